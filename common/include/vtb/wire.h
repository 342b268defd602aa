/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/**
 * @file wire.h
 * What the runtime in the traced process and the tools share: block and event stream; see docs/format/wire.md.
 *
 * Shape:     one block of shared memory (a file `process.vtb` in a recording directory, or a memfd in control mode):
 *
 *              header | modules | threads | strings | slots | breaks | sites | arena
 *
 *            All integers little-endian; all offsets from the block's first byte; every area's place and size stands
 *            in the header, and readers check both against the block's size before they follow them.
 * Version:   a reader refuses another `version`, a `header_size` smaller than it knows, and any feature bit it does not know.
 * Threads:   the runtime appends to modules, threads and strings with atomic counters; each slot is written by the tool
 *            while EMPTY or DONE and by the runtime while READY or RUNNING.
 * Layout:    by hand: docs/format/wire.md takes its tables from these lines, a member a line. */
#ifndef VTB_WIRE_H
#define VTB_WIRE_H
#include <stddef.h>
#include <stdint.h>

#include "vtb/events.h"

#define VTB_WIRE_MAGIC "vtbwire"     /* 8 bytes with the NUL */
#define VTB_WIRE_VERSION 3u
#define VTB_STREAM_MAGIC "vtbevts"   /* a thread's event file in a recording directory */
#define VTB_STREAM_VERSION 2u

#define VTB_WIRE_MODULES_MAX 16384u /* with four mappings each and more, the kernel has no more */
#define VTB_WIRE_THREADS_MAX 65536u
#define VTB_WIRE_SLOTS_MAX 256u
#define VTB_WIRE_BREAKS_MAX 1024u
#define VTB_WIRE_SITES_MAX (1u << 20)
#define VTB_WIRE_BLINDS_MAX 1024u
#define VTB_WIRE_MESSAGE_MAX 512u
#define VTB_NO_PATH UINT32_MAX

/** Environment variable that hands the block to the runtime: "fd:NUMBER" or "file:PATH". Removed from the target's environment. */
#define VTB_WIRE_ENV "VTB_WIRE"
/* The launcher adds to LD_PRELOAD and GLIBC_TUNABLES (rseq=0), sets LD_BIND_NOW; the runtime takes that out again. */

enum vtb_wire_mode { VTB_MODE_OFF, VTB_MODE_RECORD, VTB_MODE_CONTROL };
enum vtb_wire_engine { VTB_ENGINE_EXEC, VTB_ENGINE_FORKSERVER, VTB_ENGINE_SNAPSHOT };
enum vtb_wire_carrier { VTB_CARRIER_THREADS, VTB_CARRIER_FIBERS };

/** How the snapshot engine finds the pages that a run has changed. */
enum vtb_wire_dirty { VTB_DIRTY_AUTO, VTB_DIRTY_SCAN, VTB_DIRTY_COPY, VTB_DIRTY_MPROTECT };

/** Options of a whole process, header.options. */
enum {
	VTB_OPT_ACCESSES = 1 << 0,  /* record memory accesses, not only synchronisation */
	VTB_OPT_VALUES = 1 << 1,    /* record values */
	VTB_OPT_REAL_TIME = 1 << 2, /* clocks and sleeps are the system's */
	VTB_OPT_OUTPUT = 1 << 4,    /* engine snapshot: what a run prints must be in output_fd when it is over, not only its hash */
	VTB_OPT_NO_CHECKPOINTS = 1 << 5, /* engine snapshot: run every schedule from main */
	VTB_OPT_CHECKPOINT_ALWAYS = 1 << 6, /* engine snapshot: a checkpoint at every point that can have one, to test them */
	VTB_OPT_KEEP_FILES = 1 << 8, /* what runs make in the file system stays */
	VTB_OPT_REAL_IDS = 1 << 9,  /* getpid() and the like tell the kernel's numbers */
	VTB_OPT_TRAP_TSC = 1 << 10, /* the program has instructions that read the processor's clock: they trap */
	VTB_OPT_CAPTURE = 1 << 3,   /* send stdout and stderr to output_fd, keep their hash */
};

struct vtb_wire_area {
	uint64_t offset; /* from the block's first byte */
	uint64_t size;   /* bytes */
	uint64_t used;   /* bytes or entries in use, as the area says */
};

struct vtb_wire_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size; /* sizeof(struct vtb_wire_header) */
	uint64_t block_size;
	uint64_t features;    /* none defined yet: 0 */
	uint32_t mode;        /* enum vtb_wire_mode; set by the tool */
	uint32_t engine;      /* enum vtb_wire_engine; control mode */
	uint32_t carrier;     /* enum vtb_wire_carrier; control mode */
	uint32_t options;     /* VTB_OPT_* */

	/* written by the runtime */
	uint32_t pid;             /* of the process that holds the block; 0: the runtime never started */
	uint32_t state;           /* enum vtb_wire_state; a futex word */
	uint32_t hooks;           /* VTB_HOOK_*: what this program calls */
	uint32_t uncontrolled;    /* VTB_UNC_*: what escaped control */
	uint64_t accesses;        /* accesses that came through a hook */
	uint64_t lost;            /* events that could not be stored */
	uint64_t clock_ns;        /* CLOCK_REALTIME at start */
	char trouble[256];        /* one sentence if the runtime cannot work here, else empty */

	struct vtb_wire_area modules; /* struct vtb_wire_module[]; used: entries */
	struct vtb_wire_area threads; /* struct vtb_wire_thread[]; used: entries; record mode */
	struct vtb_wire_area strings; /* NUL-terminated strings; used: bytes. Offset 0 is the empty string */
	struct vtb_wire_area slots;   /* struct vtb_wire_slot[]; used: entries; control mode */
	struct vtb_wire_area breaks;  /* struct vtb_wire_break[]; used: entries; tier break */
	struct vtb_wire_area arena;   /* schedules and events of the slots; the tool deals it out. used: their bytes; if
	                                 that is not 0, a struct vtb_fsview follows them (control mode) */

	/* the batch: schedules posted (a futex word) and finished since the start; both only grow */
	uint32_t posted;   /* by the tool: slots [0, posted) modulo the number of slots are or were READY */
	uint32_t finished; /* by the runtime */
	uint32_t waiting;  /* by the tool: it sleeps on the state of a slot and wants to be woken; who does sets it to 0 */
	uint32_t stop;     /* by the tool: end when the current run is over */
	uint32_t pool;      /* carrier fibers, engines snapshot and forkserver: threads to prepare before main (snapshot: at most so many may run) */
	uint32_t dirty;     /* engine snapshot: enum vtb_wire_dirty asked for; the runtime writes what it uses */
	uint32_t output_fd; /* captured output: a file of the server process, truncated at the start of each run */
	uint32_t processor; /* by the tool, control mode: the number + 1 of the one that all threads are to run on; 0: the present one */
	uint64_t max_bytes; /* by the tool, record mode: stop storing events (and count them as lost) beyond so many bytes in all; 0: no limit */
	struct vtb_wire_area sites; /* struct vtb_wire_site[]; used: entries; calls of hooks in the program, by the tool before the start */
	uint32_t sites_wanted; /* by the tool: grows when it has changed which sites are on; looked at between runs */
	uint32_t sites_now;    /* by the runtime: sites_wanted as it has put it into effect */
	uint32_t rewritten;    /* by the runtime: sites that it has taken over; the others call through the linkage table */
	uint32_t means;        /* by the runtime, control mode: VTB_MEANS_* */
	uint32_t follow;       /* by the tool, control mode: the number of the fork() whose child takes control with it; 0: none */
	uint32_t resting;      /* by the runtime: its server sleeps on `posted` and wants to be woken; who does sets it to 0 */
	uint64_t sites_bias;   /* by the runtime: runtime address of a site minus its `addr` */
	struct vtb_wire_area blinds; /* struct vtb_wire_blind[]; used: entries; by the tool before the start, control mode */
	uint32_t blinds_taken;       /* by the runtime: how many of them have a hook now */
	uint32_t pad;
};

/** header.means: what the runtime has found here. */
enum {
	VTB_MEANS_DISPATCH = 1 << 0, /* system calls are seen by Syscall User Dispatch: all of them */
	VTB_MEANS_SECCOMP = 1 << 1,  /* by a seccomp filter: those that a run may wait in, made by the program's libraries */
	VTB_MEANS_FSGSBASE = 1 << 2, /* fibers change the thread pointer by an instruction that the kernel knows, */
	VTB_MEANS_FS_GUARD = 1 << 3, /* or that it does not know, and a signal at each context switch; else by arch_prctl */
};

enum vtb_wire_state {
	VTB_STATE_NEW,     /* the runtime has not looked at the block yet */
	VTB_STATE_RUNNING, /* main has been or is about to be called (record, exec), or the server waits for schedules */
	VTB_STATE_ENDED,   /* the process has reached its end and all is written */
};

/** header.hooks: which of the ways into the runtime this program has used. */
enum {
	VTB_HOOK_TSAN = 1 << 0,     /* __tsan_init was called */
	VTB_HOOK_PADS = 1 << 1,
	VTB_HOOK_SYNC = 1 << 2,     /* pthread functions resolve to ours */
	VTB_HOOK_FUNCS = 1 << 3,    /* function entry and exit are hooked */
	VTB_HOOK_REAL_TSAN = 1 << 4, /* the real sanitizer runtime is loaded as well: accesses do not reach us */
};

/** header.uncontrolled: what a run did that control does not cover. */
enum {
	VTB_UNC_CLONE = 1 << 0,   /* a thread that was not made by pthread_create */
	VTB_UNC_FORK = 1 << 1,    /* fork without exec: the child is not controlled */
	VTB_UNC_EXEC = 1 << 2,    /* a child program was started; it is not controlled */
	VTB_UNC_SYSCALL = 1 << 3, /* a blocking system call that has no model */
	VTB_UNC_REENTRY = 1 << 4, /* a second process attached to the block and was sent away */
	VTB_UNC_PRINTS = 1 << 6,  /* a thread printed so often that its later prints were no operations */
	VTB_UNC_ASIDE = 1 << 7,   /* control went with a forked child (header.follow): its parent went on by the default policy, unrecorded */
	VTB_UNC_URING = 1 << 8,   /* io_uring: the kernel works for the program, and calls do not show it */
	VTB_UNC_FAULTS = 1 << 9,  /* userfaultfd: accesses wait for a thread that answers their faults */
	VTB_UNC_PTRACE = 1 << 10, /* ptrace: a process is stopped and changed from outside */
	VTB_UNC_FILES = 1 << 11, /* files that were there may have been changed, without a private view */
	VTB_UNC_SCRATCH = 1 << 12, /* a run had no room left for what it wrote in its private view */
	VTB_UNC_OWNER = 1 << 13, /* a file of another owner could not be changed in the private view */
	VTB_UNC_OUTPUT = 1 << 14, /* a run printed more than VTB_OUTPUT_MAX: the rest was counted and not kept */
	VTB_UNC_IDS = 1 << 15, /* the program asked for process or thread ids, which were others in each process */
	VTB_UNC_PROC = 1 << 16, /* it read what the kernel counts, from /proc */
	VTB_UNC_TSC = 1 << 17, /* it may have read the processor's clock itself */
	VTB_UNC_ALIAS = 1 << 18, /* one piece of memory was at two addresses, and counted as two */
	VTB_UNC_ADDRESSES = 1 << 19, /* several threads got memory or made threads: who came first is no operation */
	VTB_UNC_SCANS = 1 << 20, /* a scan wrote several places in one step: a stream's, or by a format too long */
	VTB_UNC_MEMORY = 1 << 21, /* memory was limited or listed while other threads may get some, which is no operation */
	VTB_UNC_BLIND = 1 << 22, /* hooks of instructions (blinds) were given up in the middle of a run */
	VTB_UNC_LIBC_OWN = 1 << 24, /* a thread touched what the C library keeps for another one: errno and the like */
	VTB_UNC_CHILDREN = 1 << 25, /* what child processes did was decided by time, or by what nobody sees */
	VTB_UNC_UNREAD = 1 << 23, /* by the tool: records of a run made no sense or did not all fit */
};

struct vtb_wire_module {
	uint64_t base;       /* load bias: runtime address - bias = address in the file; no file: a place that all have */
	uint64_t lo, hi;     /* mapped range, [lo, hi) */
	uint32_t path;       /* offset in strings. In brackets: no file, but memory that each process has elsewhere */
	uint16_t build_id_size; /* 0 if the module has none */
	uint16_t late;          /* 1: loaded by the program while it ran, and pads that it may have are off */
	uint8_t build_id[24];
};

/** A thread of a recorded run. Its events lie in the file `thread-<slot>.vtbe` of the recording directory. */
struct vtb_wire_thread {
	uint32_t parent;  /* slot of the creator; VTB_NO_PATH: main */
	uint32_t nth;     /* the creator's nth child, from 0. Path: parent's path, '.', nth; main is "0" */
	uint32_t tid;     /* kernel's thread id */
	uint32_t state;   /* 1 alive, 2 ended */
	uint64_t start;   /* address of the start routine; 0: main */
	uint64_t stack_lo, stack_hi;
	uint64_t lost;    /* events of this thread that could not be stored */
};

/** So many bytes at header_size, in which runs (below) stand for accesses, are the first `records` bytes of records. */
struct vtb_stream_stored {
	uint64_t bytes, records;
};

/** First bytes of a thread's event file. Records follow at `header_size`; while the file is being written, the last of them lie at `tail`
 *  instead, which is in front of `header_size`, until there are enough of them to be written behind the others. */
struct vtb_stream_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size;
	uint32_t slot;
	uint32_t which; /* of `stored`: it changes when the tail has been written, all at once */
	uint64_t used; /* without a tail: bytes at header_size. With one: bytes of records that are complete, bumped after each long record */
	uint32_t tail;   /* offset in the file; 0: all records are at header_size */
	uint32_t tail_size; /* room there, bytes */
	struct vtb_stream_stored stored[2]; /* with a tail: what is at header_size; the tail holds the rest of `used` */
	uint32_t more; /* 1: and behind them the words of the tail up to the first that is no short record (VTB_REC_SHORT) */
	uint32_t pad;
};

/*
 * One record of an event stream, 16 bytes + up to 15 extra words:
 *
 *   word 0   63 ........ 16 | 15 .. 8 | 7 .. 4 | 3 .. 0
 *            address        | kind    | extra  | flags          extra: words after word 1
 *   word 1   63 ........ 16 | 15 .. 12 | 11 .. 8 | 7 .. 0
 *            pc             | order    | size    | result
 *   then, each if its flag is set: value, arg, stamp; with VTB_REC_STACK the words left are a call stack, innermost first.
 *
 * pc is a return address (the instruction after the call of the hook), except in tier break (the instruction itself).
 * A write of which it is not known what it has written has an arg, 0, instead of a value.
 * size: log2 of the bytes (0..4), or 15: in arg. result: an error number, for kinds whose value is one.
 */
enum { VTB_REC_VALUE = 1, VTB_REC_ARG = 2, VTB_REC_STAMP = 4, VTB_REC_STACK = 8 };
/* As memory order of what is no access, controlled: child processes went on; ALL: with memory that they may share. */
enum { VTB_MOVES_IO = 1, VTB_MOVES_ALL = 2 };
#define VTB_REC_EXTRA_MAX 15u
#define VTB_REC_SIZE_IN_ARG 15u

static inline uint64_t vtb_rec_word0(uint64_t addr, unsigned kind, unsigned extra, unsigned flags)
{
	return addr << 16 | (uint64_t)(kind & 255u) << 8 | (uint64_t)(extra & 15u) << 4 | (flags & 15u);
}

static inline uint64_t vtb_rec_word1(uint64_t pc, unsigned order, unsigned size_log2, unsigned result)
{
	return pc << 16 | (uint64_t)(order & 15u) << 12 | (uint64_t)(size_log2 & 15u) << 8 | (result & 255u);
}

/*
 * A plain access from a site that the block lists (sites) may be recorded in one word:
 *
 *   word     63 ........ 16 | 15 | 14 .. 0
 *            address        | 1  | site             kind, size and pc are the site's; in control mode the value follows in a second word
 *
 * In files, a run stands for `count` further such words w[i] = 2 w[i - period] - w[i - 2 period]: each access of a loop goes on by the stride
 * that it had last. The 2 period words before it are accesses of this form.
 *
 *   word 0   63 ........ 16 | 15 .. 8        | 7 .. 0        word 1   63 ........ 0
 *            count          | VTB_REC_RUN    | 0                      period
 */
#define VTB_REC_SHORT 0x8000u
#define VTB_REC_SHORT_SITES 0x8000u /* sites with higher numbers have records of the other form */
#define VTB_REC_RUN 127u            /* in the place of a kind, and none */
#define VTB_REC_RUN_PERIOD_MAX 64u

/*
 * Objects of input and output that are no descriptor and no FILE: an address that no program has.
 *
 *   47 | 46 .. 42 | 41 .. 0
 *   1  | kind     | payload: POLL up to four descriptors of 10 bits, the first one lowest: 7 bits number, 3 bits enum vtb_io_what (0: none); bits 40
 *                   and 41: 1 there are more. EPOLL, FILE_LOCK: a descriptor. SEMAPHORES, QUEUE: ordinal in the run. CHILD, FILES, NUMBERS, TIMERS, SIGNALS: 0. THREAD_NAME: a slot. SETTING: what a signal does, 0 limits
 */
#define VTB_IO_NAMED (1ull << 47)
/* Beside the number of a descriptor, where that stands for both ends of a pipe, or for all sockets. */
#define VTB_IO_OF_PIPE 0x20000
#define VTB_IO_OF_SOCKETS 0x40000
#define VTB_IO_KIND_SHIFT 42
enum vtb_io_kind { VTB_IO_POLL, VTB_IO_EPOLL, VTB_IO_FILE_LOCK, VTB_IO_SEMAPHORES, VTB_IO_QUEUE, VTB_IO_CHILD, VTB_IO_FILES, VTB_IO_THREAD_NAME, VTB_IO_SETTING, VTB_IO_NUMBERS, VTB_IO_TIMERS, VTB_IO_PROCESSORS, VTB_IO_SIGNALS };
enum vtb_io_what { VTB_IO_NOTHING, VTB_IO_DESCRIPTOR, VTB_IO_PIPE, VTB_IO_SOCKET, VTB_IO_EVENT, VTB_IO_TIMER };
#define VTB_IO_POLL_MAX 4u

/* ------------------------------------------------------------------ control: schedules in, outcomes out */

enum vtb_wire_policy {
	VTB_POLICY_RUN_TO_BLOCK, /* keep the running thread while it can go on, else the best-ranked enabled thread */
	VTB_POLICY_PRIORITY,     /* always the best-ranked enabled thread */
	VTB_POLICY_RANDOM,       /* uniform among the enabled threads at every point */
	VTB_POLICY_POS,          /* random priorities of pending operations, drawn anew by those that race with the one done (vtb/walk.h) */
	VTB_POLICY_SURW,         /* all orders of the interesting operations equally likely, as far as the weights are right (vtb/walk.h) */
};

enum { VTB_MATCH_INDEX, VTB_MATCH_SITE };

/** One operation of one thread: the `index`-th visible operation of the thread (1 is its first; 0: the point before its
 *  first), or the `occurrence`-th (from 1) whose pc is in the given set, of the given kind (0: any) and address range. */
struct vtb_wire_op {
	uint32_t path;   /* index in the schedule's paths */
	uint32_t match;  /* VTB_MATCH_* */
	uint32_t index;
	uint32_t kind;
	uint32_t occurrence;
	uint32_t pcs_first, pcs_count; /* in the schedule's pcs; count 0: any pc */
	uint32_t lapses; /* `before` of a constraint: 1: it is void once its thread has ended */
	uint64_t addr_lo, addr_hi;     /* [lo, hi); both 0: any */
};

struct vtb_wire_deviation {
	struct vtb_wire_op after; /* at the point after this operation */
	uint32_t kind;            /* enum vtb_deviation_kind */
	uint32_t target;          /* SWITCH, SPURIOUS, TIMEOUT: index in paths; WAITER: position in the queue */
};

struct vtb_wire_constraint {
	struct vtb_wire_op before, after; /* `after` stays disabled until `before` is done */
};

struct vtb_wire_path {
	uint32_t parent; /* index in paths, VTB_NO_PATH for main */
	uint32_t nth;    /* as in struct vtb_wire_thread */
};

#define VTB_RANK_FRAGMENT 0x80000000u

/** A schedule in the arena: this header, then paths, ranks, deviations, constraints, pcs, weights, each 8-byte aligned. */
struct vtb_wire_schedule {
	uint32_t size; /* bytes, all arrays included */
	uint32_t policy;
	uint64_t seed;
	uint32_t paths, ranks, deviations, constraints, pcs; /* entries; ranks are uint32_t, best first: index in paths, or fragment number | VTB_RANK_FRAGMENT */
	uint32_t flags;      /* VTB_SCHED_* */
	uint64_t max_points; /* stop the run with verdict livelock after so many points; 0: the runtime's limit */
	uint64_t max_cpu_ms; /* processor time after which the run is stopped; 0: the runtime's limit */
	uint32_t weights;    /* policy surw, entries: uint32_t by path, interesting operations expected of that thread */
	uint32_t interesting_first, interesting_count; /* policy surw, in pcs: operations made from there are interesting */
	uint32_t pad;
};
enum {
	VTB_SCHED_STACKS = 1, /* emit STACK records for operations; value: slot of a pending one; arg: frames told before */
	VTB_SCHED_STATES = 4, /* engine snapshot: emit a STATE record at each point behind the last deviation at which something could be decided */
	VTB_SCHED_OWNED = 16, /* pass over what a thread owns: accesses of VTB_SITE_OWNED that no other thread minds */
	VTB_SCHED_LOOSE = 2,  /* the schedule is of another build: where the target of a switch cannot go on, any other thread may */
	VTB_SCHED_PAST = 64,     /* go on past a misuse of a primitive, as libc would */
	VTB_SCHED_TELL = 8,   /* in a series: the run is told, whatever its class */
	VTB_SCHED_WAKES = 32, /* a signal of a condition, or of a futex, wakes all who wait for it */
	VTB_SCHED_PATIENT = 128, /* allow 256 times as many readings before a thread is assumed to spin */
	VTB_SCHED_STEM = 256, /* tell by its number what the stem leaves out (vtb_event_in_stem); MATCH_SITE skips it */
};
#define VTB_OWNED_MAX (1u << 20) /* accesses that one OWNED record stands for */
/** Outcome flags. */
enum {
	VTB_OUT_DIVERGED = 1 << 0,   /* a deviation or constraint did not find its place */
	VTB_OUT_TRUNCATED = 1 << 1,  /* events did not fit */
	VTB_OUT_TIMING = 1 << 2,     /* a deadline passed although others could run */
	VTB_OUT_CRASHED = 1 << 3,    /* the process died without a word; written by the server or the tool */
	VTB_OUT_HELD_BACK = 1 << 5,  /* a thread that ran on without an operation was held back: not exactly repeatable */
	VTB_OUT_MORE_THREADS = 1 << 6, /* header.pool was too small: with REFUSED the run was stopped, else it was slower */
	VTB_OUT_FOLLOWED = 1 << 7,   /* control went with a forked child (header.follow), whose outcome this is */
	VTB_OUT_VIEW = 1 << 8,       /* with REFUSED: it has no view of its own; message: a path that it needs, or empty */
	VTB_OUT_ASSUMED = 1 << 9,    /* a thread was held back as spinning though its state did not repeat: what it would have done is not known */
	VTB_OUT_SPUN = 1 << 10,      /* a thread was held back that had come round to the state in which it was */
	VTB_OUT_SHARED = 1 << 11,    /* with OWNED: it passed over what is shared (VTB_SITE_MET): no run of its schedule */
	VTB_OUT_SPUN_OPEN = 1 << 12, /* as SPUN, and what others did that it did not see may have decided that */
	VTB_OUT_IDS = 1 << 13,       /* with REFUSED: another process may come to know told ids: needs REAL_IDS */
	VTB_OUT_ARRIVED = 1 << 14,   /* somebody had to wait because another had arrived at an operation, not done it */
	VTB_OUT_TIMED = 1 << 15,     /* an operation had a deadline while others lived: in another order it could pass */
	VTB_OUT_CHILDREN = 1 << 17,  /* a child process ran on, or slept, when the program went on: not exactly repeatable */
	VTB_OUT_PATIENT = 1 << 16,   /* with PATIENT: that has decided something */
	VTB_OUT_REFUSED = 1 << 4,    /* it would do what cannot be undone (message): stopped before, for another engine */
};

struct vtb_wire_outcome {
	uint32_t verdict; /* enum vtb_verdict */
	uint32_t flags;   /* VTB_OUT_* */
	uint32_t exit_status;
	uint32_t signal;
	uint32_t thread;  /* slot of the thread that failed; with ASSUMED and no failure, of the first one that was held back so */
	uint32_t threads; /* threads that existed in this run, main included */
	uint64_t pc;      /* where; 0 unknown */
	uint64_t fault;   /* address of a faulting access */
	uint64_t points;  /* schedule points passed */
	uint64_t output_hash; /* FNV-1a 64 of the captured output, at most VTB_OUTPUT_MAX bytes of it */
	uint64_t output_size;
	uint32_t deviations_done; /* deviations that found their place */
	uint32_t uncontrolled;    /* VTB_UNC_* of this run */
	char message[VTB_WIRE_MESSAGE_MAX]; /* what the program said (assertion text, exception), NUL-terminated */
};

/** Tier break: an instruction of the target at which an access takes place. */
struct vtb_wire_break {
	uint64_t pc;      /* runtime address of the instruction */
	uint32_t kind;    /* VTB_E_READ, VTB_E_WRITE or VTB_E_ATOMIC_RMW */
	uint8_t size_log2;
	uint8_t base, index, scale; /* memory operand: DWARF register numbers (255 none, 16 = rip); address = base + index*scale + disp */
	int64_t disp;
	uint16_t segment; /* 0 none, 1 fs, 2 gs */
	uint16_t flags;   /* VTB_BREAK_* */
	uint32_t length;  /* of the instruction: rip as base is the address after it */
};

/** The instruction reads and writes its operand without a lock ("add $5, x"), kind is WRITE: two operations, READ, then WRITE. Others may
 *  run between them, so what was read must be put back before the instruction runs: then it computes from the old value. */
enum { VTB_BREAK_SPLIT = 1 };

#include "vtb/wire_slot.h"

#endif /* VTB_WIRE_H */
