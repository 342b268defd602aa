/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file kernel.h
 * The contract of this room: what carriers, engines and hooks ask of it. The other headers here are for the room alone.
 *
 *     the program's calls ──► a row of the table ──► may wait for another thread ──► a wait of the model
 *                                                └─► else what the engine says of such a call
 */
#ifndef VTB_RT_KERNEL_H
#define VTB_RT_KERNEL_H

#include <signal.h>
#include <ucontext.h>

#include "base.h"
#include "models.h"

/* ---- the table of calls, syscalls.def */

enum vtb_undo {
	UNDO_NONE,
	UNDO_HARMLESS,
	UNDO_FUTEX,
	UNDO_END,
	UNDO_OUTPUT,
	UNDO_MAP,
	UNDO_UNMAP,
	UNDO_PROTECT,
	UNDO_BREAK,
	UNDO_OPEN,
	UNDO_CLOSE,
	UNDO_USE,
	UNDO_SIGMASK,
	UNDO_SIGACTION,
	UNDO_MAKE,
	UNDO_OWN,
	UNDO_PUT_BACK,
	UNDO_MODEL
};
enum vtb_wait {
	WAIT_NONE,
	WAIT_INPUT,
	WAIT_OUTPUT,
	WAIT_POLL,
	WAIT_SELECT,
	WAIT_EPOLL,
	WAIT_FUTEX,
	WAIT_SLEEP,
	WAIT_CHILD,
	WAIT_IDS,
	WAIT_COUNTED,
	WAIT_AFFINITY,
	WAIT_THREAD_NAME,
	WAIT_SETTING,
	WAIT_SIGNAL,
	WAIT_TIMER,
	WAIT_TRY,
	WAIT_RANDOM,
	WAIT_URING,
	WAIT_FAULTS,
	WAIT_PTRACE,
	WAIT_WAITV,
	WAIT_CHANGE,
	WAIT_ASK,
	WAIT_NUMBERS,
	WAIT_LOOK,
	WAIT_NAMES,
	WAIT_AGAIN,
	WAIT_SIGRETURN
};
enum vtb_place {
	PLACE_NOT,
	PLACE_PATH,
	PLACE_PATH_AT,
	PLACE_ENTRY,
	PLACE_ENTRY_AT,
	PLACE_SECOND,
	PLACE_SECOND_AT,
	PLACE_TWO,
	PLACE_TWO_AT,
	PLACE_ADDRESS,
	PLACE_FD,
	PLACE_FD_3,
	PLACE_FD_5
};
enum vtb_deed {
	DEED_NONE,
	DEED_LOOK,
	DEED_CHANGE,
	DEED_RESIZE,
	DEED_WRITE,
	DEED_COPY,
	DEED_MAKE,
	DEED_LINK,
	DEED_MOVE,
	DEED_MOVE_FLAGS,
	DEED_OPEN,
	DEED_OPEN_HOW,
	DEED_CREATE,
	DEED_QUEUE,
	DEED_IPC
};

struct vtb_syscall {
	const char *name; /* NULL: not in the table */
	uint8_t undo, wait, place, deed;
};

const struct vtb_syscall *vtb_syscall_row(long nr);
/** Of DEED_OPEN, DEED_OPEN_HOW and DEED_CREATE: open()'s flags. */
long vtb_named_flags(const struct vtb_syscall *row, const greg_t *g);

/* ---- catching and making them */

/** Catch the calls of this kernel thread from now on; once for each. `all`: not only those that a run may wait in.
 * NULL, or why it cannot be done. */
const char *vtb_syscalls_catch(bool all);
/** How that is done here: VTB_MEANS_* of vtb/wire.h. */
uint32_t vtb_syscalls_means(void);
/** Is what stands right before the program counter a system call of the program's, and do they trap? */
bool vtb_syscalls_traps_before(const greg_t *g);
/** Has the running thread's last call that has trapped been there, with that stack pointer? */
bool vtb_syscalls_answered(const greg_t *g);
/** Calls of this kernel thread pass from now on. */
void vtb_syscalls_release(void);
/** Make the call with the arguments in the registers. */
long vtb_syscall_make(const greg_t *g);
/** The call may have to wait for other threads: do so in the model. True if that was all, *ret_result is its result;
 * false if it can be made now without waiting. */
bool vtb_syscall_wait(const struct vtb_syscall *row, greg_t *g, long *ret_result);
/** Likewise, unless the call is part of a step (vtb_step_begin()) and need not wait: then false. told/libc_step.c. */
bool vtb_step_wait(const struct vtb_syscall *row, greg_t *g, long *ret);

/** t calls a function of libc, as part of an operation that is just done and depends on whatever other threads do to
 * the descriptor `fd` (-1: to any descriptor and file): system calls that it makes are no operations of their own.
 * Returns what _end() takes, when the function has returned. */
static inline int32_t vtb_step_begin(struct vtb_rt_thread *t, int fd)
{
	const int32_t before = t->kernel.step;

	t->kernel.step = fd < 0 ? VTB_STEP_ANY : fd + 1;
	return before;
}
static inline void vtb_step_end(struct vtb_rt_thread *t, int32_t before)
{
	t->kernel.step = before;
}

/* ---- what is not in memory */

/** What stands for the descriptor in records: the lowest descriptor of the same pipe; of all sockets; else itself. */
const void *vtb_io_object(int fd);
/** An object that is no descriptor, for records (vtb/wire.h). */
static inline const void *vtb_io_name(unsigned kind, uint64_t payload)
{
	return (const void *)(VTB_IO_NAMED | (uint64_t)kind << VTB_IO_KIND_SHIFT |
	                      (payload & ((1ull << VTB_IO_KIND_SHIFT) - 1)));
}
/** Before main: what the kernel has put down for the process is the same each time as well. */
void vtb_random_begin(void);

/** One processor for all threads, from now on. */
bool vtb_affinity_pin(void);

/* ---- signals */

/** The runtime's own, which the kernel must never block: it would kill the process. */
#define VTB_SIGNALS_OWN                                                                               \
	(1ull << (SIGSYS - 1) | 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGFPE - 1) | \
	 1ull << (SIGILL - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGPROF - 1))
/** Read the mask that the process starts with; no handler set so far blocks the runtime's own signals any more. Once,
 * before the first run. */
void vtb_signals_begin(void);
/** A signal of VTB_SIGNALS_OWN that is no fault is the runtime's from now on: it goes to `handler`, with these flags of
 * sigaction, and while it runs those of `blocked` wait. What the program has set, or sets later, is remembered and
 * told. False: the kernel refuses. */
bool vtb_signals_keep(int signal, void (*handler)(int, siginfo_t *, void *), unsigned long flags, uint64_t blocked);
/** Called by such a handler: it was the program's after all. What the program has set happens; by default, or if a
 * fault is to be ignored, the run ends. */
void vtb_signals_of_program(int signal, siginfo_t *info, void *context);
/** In a forked process that goes its own way: all is as the program has set it. */
void vtb_signals_kept_end(void);
/** Faults come to the runtime first, whatever handlers the program has set before main. */
void vtb_fault_handlers_begin(void);

/** What wakes threads from here: signals, timers, descriptors, a followed child. */
extern const struct vtb_source *const vtb_kernel_sources[];

/* ---- fork and control that goes along */

/** A thread is about to be made: what child processes do by themselves is seen by more than one from now on. */
void vtb_children_meet_threads(void);

/** A run begins. */
void vtb_follow_begin(void);
/** A timer is set. In a forked process that goes its own way that is noted in the run that it belongs to: time may end
 * what it waits in, and nobody who looks at it sees so (at_rest.c). */
void vtb_follow_sets_timer(void);
/** Likewise by the number of a system call. */
void vtb_follow_calls(long number);
/** Have handlers of fork() installed; once a process, before the program has its own. */
void vtb_follow_install(void);

/* ---- files: the private view, and what is removed after a run */

/** Before the first run: leave what was mounted for what happens before main. NULL, or why this process cannot serve
 * runs. */
const char *vtb_view_begin(void);
/** In the process of a run, before it begins. NULL, or what could not be done. */
const char *vtb_view_enter(void);
/** The program is about to make this call: note if the view cannot show what it does. */
void vtb_view_before(const greg_t *g);
/** The program has made this call (registers as they were before it): its result as it would be without a view. Does
 * not return if only a wider view can tell. */
long vtb_view_made(const greg_t *before, long result);
/** The run is over: note whether there was room for all that it wrote. */
void vtb_view_run_ends(void);

/** Before the first run: what is made is noted from now on. */
void vtb_created_begin(void);
/** The process of the run is about to end: in engine exec nobody outlives it. */
void vtb_created_end(void);
/** Remove all that was noted, newest first. In any process that has the log. */
void vtb_created_remove(void);

/** What child processes change in files is seen from now on, if that can be; before each run, after
 * vtb_created_begin(). */
void vtb_child_files_begin(void);
/** Wait until the run has ended, or end it if the tool wants us to end, and answer its children. False: one would have
 * changed what was there before, or could not go on; the run was ended before that, and is to be made again. */
bool vtb_child_files_serve(pid_t run, int *ret_status);
/** After it, when what it has left is ended: nobody is answered any more. */
void vtb_child_files_end(void);

/* ---- functions of libc that are ours: as libc's, called from `pc` */

int vtb_timer_create(clockid_t clock, struct sigevent *event, timer_t *ret, uint64_t pc);
int vtb_timer_settime(timer_t name, int flags, const struct itimerspec *to, struct itimerspec *old, uint64_t pc);
int vtb_timer_gettime(timer_t name, struct itimerspec *ret, uint64_t pc);
int vtb_thread_name_set(pthread_t handle, const char *text, uint64_t pc);
int vtb_thread_name(pthread_t handle, char *ret, size_t size, uint64_t pc);
int vtb_prctl(int option, const unsigned long args[4], uint64_t pc);
int vtb_affinity_of(pid_t pid, size_t size, cpu_set_t *set);

/* processes/mapped.c */
/** Where mmap() shall put what may be anywhere: each thread has its own stretch of addresses, of which nothing comes
 * twice in a run. So where memory is does not depend on who asked first, and what was unmapped is not met again. */
void *vtb_mapped_place(void *at, size_t size, int flags);
/** Called when the program has protected memory at `at`: as the loader does with a library that is there, before
 * anything in it runs. NULL: nobody asks. */
extern void (*vtb_mapped_protected)(uint64_t at);

#endif /* VTB_RT_KERNEL_H */
