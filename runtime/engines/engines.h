/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file engines.h
 * How one run after another comes about: a process each (exec), a forked child each (forkserver), or one process that
 * is rolled back (snapshot).
 */
#ifndef VTB_RT_ENGINES_H
#define VTB_RT_ENGINES_H

#include <sys/stat.h>

#include "base.h"
#include "scheduler.h"

#define VTB_ARENA_READY (8u << 20) /* of the runtime's own memory */

/* ---- orphans.c */

/** Before the first run, in the process that makes them: what its runs leave behind comes to it from now on. */
void vtb_orphans_begin(void);
/** After each run. Does not wait for their ends. */
void vtb_orphans_end(void);

/* ---- run_server.c */
struct vtb_wire_slot *vtb_slot_of(uint32_t number);
/** The next slot to run, waiting for one. Ends the process when the tool says stop. */
struct vtb_wire_slot *vtb_server_next(void);
/** Its outcome is complete: hand it to the tool. */
void vtb_server_done(struct vtb_wire_slot *slot);
/** One run of the program in this process; returns main's status. */
int vtb_engine_run(struct vtb_wire_slot *slot, int argc, char **argv, char **envp);
/** To tell what takes long: about nanoseconds, of the processor's clock where that does not fault (sched/tsc.c). */
static inline uint64_t vtb_engine_ticks(void)
{
	struct timespec now = { 0 };

	if (!(vtb_rt.block->options & VTB_OPT_TRAP_TSC))
		return __builtin_ia32_rdtsc();
	sys3(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/** For the rows: the run is stopped before the program has come to its end. */
_Noreturn void vtb_engine_stop(int status);
/** What the engines have the hooks do. */
struct vtb_hooks {
	void (*rewrite_again)(void);                        /* between runs */
	void (*install_breaks)(void);                       /* a run begins (tier break) */
	void (*tell_early_blocks)(struct vtb_rt_thread *t); /* likewise: blocks that are there before it */
};
extern const struct vtb_hooks *vtb_hooks;
/** Run the program under control; called instead of main. Returns only in mode record or off. */
int vtb_ctl_main(const struct vtb_hooks *hooks, int argc, char **argv, char **envp);

/* ---- run_output.c: what a run prints, and reads from standard input */
/** Once, before the first run: standard output and standard error lead to the tool's file from here on. */
void vtb_output_take(void);
/** A run in a process of its own begins: the file is empty, the input rewound. */
void vtb_output_begin(void);
/** The place in standard input at which runs begin; -1: it has none. */
long vtb_output_input(void);
/** Give back the memory of what is too much to be kept. */
void vtb_output_limit(void);
/** FNV-1a 64 of what the run has printed, as far as it is kept, and how much it was. */
void vtb_output_hash(struct vtb_wire_outcome *o);
/** Engine snapshot, before memory is remembered: which descriptors lead to the file; what they print stays in memory.
 *  False: no memory. */
bool vtb_output_remember(void);
/** A run of it begins. */
void vtb_output_run_begins(struct vtb_wire_slot *slot);
/** Has it printed anything? */
bool vtb_output_any(void);
/** What stands in records for a descriptor whose output stays in memory; NULL: it is another one. */
const void *vtb_output_object(int fd);
/** The run has closed descriptor fd, or put another file there: until its end it is no captured one. */
void vtb_output_turned(int fd);
/** fstat() of such a descriptor, before anything is printed. False: the kernel knows. */
bool vtb_output_status(int fd, struct stat *ret);
/** write() or writev() to such a descriptor, with the result that the kernel's would have. */
long vtb_output_write(const greg_t *g);
/** A call may look at the file: all is there that was printed so far. */
void vtb_output_sync(void);

/* ---- libc_write.c */
/** Once: libc's write() prints to memory without a system call, if it is a libc that is known. */
void vtb_libc_write_take(void);

/* ---- libc_calls.c */
/** Likewise, for other calls that printing makes: they do not trap. */
void vtb_libc_calls_take(void);

/* ---- engine_snapshot.c */
/** Serve all schedules by rolling back; returns an explanation if that is not possible here. */
const char *vtb_snapshot_serve(int argc, char **argv, char **envp);

/* ---- engine_series.c: many runs of which few are told */
/** Before memory is remembered. False: no memory. */
bool vtb_series_begin(void);
/** Make the runs of the slot's series. `run` makes one; `longest`: bytes of events that a run has written so far. */
void vtb_series_run(struct vtb_wire_slot *slot, void (*run)(struct vtb_wire_slot *slot), const uint64_t *longest);

/** exit() has called all handlers and destructors: the run is over. Returns if there is none, or if streams are left to
 * exit(). */
void vtb_engine_run_ends(void);
/** Are other threads than the calling one still there? O(threads). */
bool vtb_engine_others_live(void);

/* ---- loader_end.c: destructors that the loader calls at the end of exit() */
/** `theirs`: what exit() is to call last (__libc_start_main). Returns what is to take its place. */
void (*vtb_loader_end_take(void (*theirs)(void)))(void);
/** The process begins: before any other, a handler is registered that ends the run. Again: nothing. */
void vtb_loader_end_begin(void);
/** Somebody registers a handler for exit(), of this module (__dso_handle); NULL: of none. Call it before it is done. */
void vtb_loader_end_handler(const void *module);
/** Before memory is remembered: has anything that is loaded a destructor? */
void vtb_loader_end_look(void);

/* ---- faults.c: page faults of the thread that makes the runs */
/** By that thread, before memory is remembered. False: no memory. */
bool vtb_faults_begin(void);
/** Has it taken one since it was asked last? Mostly without a system call, where the kernel allows that. */
bool vtb_faults_any(void);
/** The run makes a system call, whose own faults are to be counted, too. */
void vtb_faults_by_call(void);

/* ---- dirty.c: what a run has changed in memory */
/** Remember the memory of the process as it is, except for shared mappings. NULL or why it cannot be done. */
const char *vtb_dirty_snapshot(enum vtb_wire_dirty method);
/** Put it back. */
void vtb_dirty_restore(void);
/** The page faults since the last restore were in shared memory. */
void vtb_dirty_forgive(void);
enum vtb_wire_dirty vtb_dirty_method(void);
/** A write fault at addr: true if the page was protected by us and may be written now (method mprotect). */
bool vtb_dirty_fault(uint64_t addr);
/** The kernel is about to write to [addr, addr + size): no page of it may be protected by us (method mprotect). Was
 * any? */
bool vtb_dirty_open(uint64_t addr, uint64_t size);

/** A restore in two steps: first notice what has changed, then put back what was kept, at the beginning or later. */
struct vtb_dirty_mark {
	uint32_t n_pages; /* of the dirty set */
};
void vtb_dirty_look(void);
/** Bytes that vtb_dirty_keep() needs now. Call vtb_dirty_look() before. */
uint64_t vtb_dirty_bytes(void);
/** Keep all that has changed since the beginning. */
void vtb_dirty_keep(char *to, struct vtb_dirty_mark *ret);
/** Call seen() for all pages that may differ from what they were at the beginning (`saved`; NULL: zeros). `mark`: a
 * byte for each page, 0 at first, for the caller. Call vtb_dirty_look() before. O(dirty pages; method copy: all pages).
 */
typedef void vtb_dirty_seen(void *data, char *page, const char *saved, uint8_t *mark);
void vtb_dirty_each(vtb_dirty_seen *seen, void *data);
void vtb_dirty_back_to(const char *kept, const struct vtb_dirty_mark *mark);

/* ---- match.c */
void vtb_match_point(const struct vtb_rt_thread *t);

struct vtb_kept_state;

/* ---- checkpoint.c: states in the middle of a run (engine snapshot) */
void vtb_checkpoints_begin(void); /* before the memory is remembered */
/** The deepest one that a run of this schedule comes through, deeper ones are dropped; NULL if there is none. */
const struct vtb_kept_state *vtb_checkpoint_find(const struct vtb_wire_schedule *s);
bool vtb_checkpoint_any(void);
/** After vtb_kept_resume() of the one found. */
void vtb_checkpoint_resume(struct vtb_wire_slot *slot);
/** On the engine's stack: keep the state of the run that stands at this context. */
bool vtb_checkpoint_take(void *rsp, uint64_t fs);
/** May one be taken in a run of this schedule that begins? If not, neither vtb_checkpoint_point() nor
 * vtb_checkpoint_turn() need be called. */
bool vtb_checkpoint_wanted(const struct vtb_wire_schedule *s);
/** At a schedule point of a run: take one here if it may pay. */
void vtb_checkpoint_point(void);
/** What was decided there: `to` goes on. */
void vtb_checkpoint_turn(const struct vtb_rt_thread *from, const struct vtb_rt_thread *to);
void vtb_checkpoint_run_begins(void);
/** whole: from main to the end. */
void vtb_checkpoint_run_ends(bool whole);
/** Have take() called on the engine's stack, with the context of the caller. Returns false at once, and true in every
 * run that goes on from there. */
bool vtb_snapshot_keep(bool (*take)(void *rsp, uint64_t fs));
struct vtb_wire_slot *vtb_snapshot_slot(void);

/* ---- stem.c: what comes before the first thread, for random runs (engine snapshot) */
void vtb_stem_begin(void); /* before the memory is remembered */
/** Where a run of this schedule can begin, in the place of main; NULL: there is none, or not for it. Call it once
 * before each run. */
const struct vtb_kept_state *vtb_stem_find(const struct vtb_wire_schedule *s);
bool vtb_stem_any(void);
/** Main is about to make the first thread: keep the state if it may pay; or it goes on from there. */
void vtb_stem_point(void);
void vtb_stem_run_ends(void);

/* ---- run_files.c: descriptors that a run makes, closed at its end */
bool vtb_files_begin(void);
/** Before the first run, when the engine has open what it needs: those that are open now are kept. */
void vtb_files_remember(void);
/** Has this run made it? O(log descriptors). */
bool vtb_files_of_run(int fd);
/** The run is about to close fd, which was open before: keep a copy that goes back there at its end. False: it cannot
 * be kept. Until then fd is the run's own. */
bool vtb_files_set_aside(int fd);
/** The run makes one. */
void vtb_files_opens(void);
/** Is the call one on standard input, which has a place that is put back? */
bool vtb_files_takes_input(const greg_t *g);
void vtb_files_undo(void);
/** Has the run made none, and read nothing? */
bool vtb_files_clean(void);

/* ---- put_back.c: settings of the process that a run changes */
bool vtb_put_back_begin(void);
/** Make a call that may change one. Ends the run if that cannot be put back. */
long vtb_put_back_call(const greg_t *g);
void vtb_put_back(void);
/** Has the run changed none? */
bool vtb_put_back_none(void);

/* ---- audit.c: system calls of a run that can be rolled back */
/** Before the first run. NULL or why not. */
const char *vtb_audit_begin(void);
/** Undo what the calls of the run have left: mappings, descriptors, the break. */
void vtb_audit_undo(void);
/** The rows of struct vtb_engine: a call of the table before anything is done, and when it is made; one that cannot be
 * undone; the carrier's signal mask, which is put back. */
void vtb_audit_permit(const struct vtb_syscall *row, const greg_t *g);
long vtb_audit_call(const struct vtb_syscall *row, const greg_t *g);
_Noreturn void vtb_audit_refuse(long nr, const char *how);
void vtb_audit_mask_changes(void);
/** Has the run now under way changed nothing but memory? */
bool vtb_audit_clean(void);

#endif /* VTB_RT_ENGINES_H */
