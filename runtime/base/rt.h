/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file rt.h
 * The runtime inside the program under test: state of the process and of its threads.
 *
 * We are a guest. Nothing here exits, prints or changes errno; trouble is counted and the program's call goes through.
 * Nothing here calls a function that we interpose ourselves (malloc, pthread_*): only raw system calls (sys.h) and the
 * real functions of real.h.
 *
 *    program ──hooks (instr.c, alloc.c)──────┐         ┌─ mode record: stream.c writes to the thread's file
 *    program ──interposed calls (interpose.c)┴─ rt.mode┤
 *                                                      └─ mode control: runtime/sched decides who goes on
 */
#ifndef VTB_RT_H
#define VTB_RT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest.h"
#include "vtb/wire.h"

#define VTB_RT_THREADS_MAX 4096u /* threads of one run, ended ones included: sched/run_limits.def */
#define VTB_RT_FRAMES_MAX 512u   /* depth of the shadow stack; deeper frames are counted, not stored */
#define VTB_RT_FRAMES_FEW 16u    /* for which there is room from the beginning */
#define VTB_RT_STACK_DEPTH 12u   /* frames in a STACK or ALLOC record */

/** One function on a thread's shadow stack. */
struct vtb_rt_frame {
	uint64_t caller; /* return address of the function: where it was called */
	uint64_t pc;     /* an address in the function */
	uint64_t sp;     /* stack pointer in the function at `pc` */
	uint32_t shown;  /* a FRAME record for this activation has been written */
};

#define VTB_RT_RUNS_PLACES 256u
#define VTB_RT_RUNS_CHUNK 2048u /* words */
#define VTB_RT_TAIL_BYTES (256u << 10)
/** What vtb_rt_find_runs() works with. */
struct vtb_rt_runs_room {
	uint64_t marks[VTB_RT_TAIL_BYTES / 8 / VTB_RT_RUNS_CHUNK + 1]; /* in each chunk of the tail: where some record of the long form begins; 0 unknown */
	uint64_t places[VTB_RT_RUNS_PLACES];
};

/** Where a thread's records go. In control mode all threads share the slot's area, and `next` runs in the thread's stretch. */
struct vtb_rt_stream {
	uint64_t *next, *end;     /* room in the tail; control mode: in the slot's area (the slot's stream) */
	uint64_t *from, *limit;   /* a thread's stretch of accesses, see fast.h; limit NULL: none */
	uint64_t used_bias;       /* record mode: header->used is the address of `next` plus this */
	uint64_t special_lo, special_size; /* for near.c: all that is not for it (stacks, a heap with dead blocks) lies here, as it was when the stretch or window began */
	uint64_t clear_lo, clear_size;     /* in there: where nothing of that is, around the last access that was looked at (vtb_rt_clear()) */
	struct vtb_stream_header *header; /* record mode: first page of the file, always mapped */
	uint64_t *window;         /* record mode: the tail, see stream.c; NULL: no more is stored */
	uint64_t *runs;           /* record mode: as large, to prepare what is written of it */
	struct vtb_rt_runs_room *runs_room; /* likewise */
	int fd;                   /* record mode */
};

struct vtb_primitive;

/** What a signal handler does to the operation that it interrupts. */
enum vtb_interrupt { VTB_INTERRUPT_NOT, VTB_INTERRUPT_RESTARTS /* if the handler has SA_RESTART */, VTB_INTERRUPT_ALWAYS };

/** One operation of one thread, on its stack while it is pending (control mode, see control.h). */
struct vtb_call {
	const struct vtb_primitive *prim; /* NULL: always ready, no effect of its own (memory) */
	const void *obj;
	uint64_t pc;
	uint64_t value; /* for the record, if has_value */
	uint64_t arg;   /* for the record, if not 0; kind's meaning */
	uint64_t data;  /* the primitive's own: address of its flag, depth of a mutex, ... */
	uint32_t aux;   /* likewise */
	uint8_t kind, order, size_log2;
	bool has_value;
	uint8_t interrupt; /* enum vtb_interrupt */
	bool masked;       /* signals that are not blocked now were until the operation began */
	bool interrupted;  /* a handler has run: the operation does not take effect, its result is EINTR */
	bool idle;         /* it looked for something and found nothing: a loop of these is a spin */
	bool same;         /* an atomic operation that has left memory as it was */
	long result;    /* what the interposed function returns */
};

enum vtb_rt_thread_state { VTB_T_FREE, VTB_T_ALIVE, VTB_T_ENDED };

/** Where a thread has entered the runtime, for fingerprints of states (runtime/engines/match.c, whose assembly knows it by offset). */
struct vtb_view {
	uint64_t rbx, rbp, r12, r13, r14, r15;
	uint64_t sp;             /* of the frame that has arrived at its operation */
	uint32_t mxcsr, x87;     /* modes of floating point */
	const struct vtb_call *call; /* that operation */
	uint64_t vectors[2];     /* at a pad: fingerprint of the vector registers */
};

/** An operation that a thread may come round to (runtime/sched/progress.c). */
struct vtb_anchor {
	uint64_t pc;             /* where it was; 0: the next operation will do */
	const void *obj;         /* what it touched there */
	uint64_t word;           /* and what stood in it */
	uint32_t steps, limit;   /* operations since; how many make another one the anchor */
	uint32_t misses;         /* times it was there in another state */
	bool tracks;             /* the instruction has been met again: what is touched is noted */
	bool lost;               /* not all of it */
	bool slowly;             /* its state has come again: what is touched must be seen */
	bool anything;           /* it has looked at what is not in memory: any change by others may matter */
	uint64_t others;         /* changes made by others, as it was there */
	uint64_t state[2];       /* fingerprint of its registers and stack there */
	struct vtb_round *round;
};

/** A thread of the program. Lives until the process ends: ended threads keep their entry, since names refer to it. */
struct vtb_rt_thread {
	uint32_t slot;
	uint32_t parent; /* slot of the creator, VTB_NO_PATH for main */
	uint32_t nth;    /* the creator's nth child */
	uint32_t children;
	uint32_t inside; /* depth inside the runtime: hooks and interposed calls pass through */
	uint32_t state;  /* enum vtb_rt_thread_state */
	uint32_t in_pad; /* depth inside pads: the vector registers are the program's */
	uint64_t accesses; /* hooked accesses not yet added to the block's count */
	uint64_t outer_pc; /* not 0: the next interposed call is made from there (interpose_c11.c) */
	uint64_t pc;     /* where the program entered the runtime last */
	uint64_t library_pc, library_sp; /* library.c: where the program called libvtb-cxx.so, and the stack pointer there */
	uint32_t library_depth; /* functions of it that are running */
	uint64_t stack_lo, stack_hi;
	struct vtb_rt_stream stream;
	struct vtb_wire_thread *entry; /* record mode: our line in the block */

	void *(*start)(void *);
	void *arg;
	void *result;
	pthread_t handle;
	bool detached, joined;

	uint64_t fp;    /* frame of the runtime's function that the program entered last; 0: none. For programs without a shadow stack */
	uint32_t n_shown; /* of these: frames told so far, the outermost first, in `frames` */
	uint32_t depth; /* functions on the shadow stack, also those beyond VTB_RT_FRAMES_MAX */
	uint32_t frames_room;
	struct vtb_rt_frame *frames; /* others read it while the thread records: it moves to a larger one, the old one stays */
	struct vtb_tsan_fiber *own_fiber; /* of the program's own, which it runs: tsan_fibers.c */

	/* ---- control mode */
	struct vtb_call *call; /* the operation it is at; NULL while it runs between operations */
	struct vtb_call birth; /* its first operation */
	bool enabled;          /* `call` can be done now */
	uint32_t ops;          /* visible operations done */
	uint32_t path;         /* index in the schedule's paths, VTB_NO_PATH if not named there */
	uint64_t rank;         /* place in the order of ranks: lower runs first */
	bool waits;            /* in a list of those that stand at an operation: ready.c */
	const void *waits_at;
	struct vtb_rt_thread *waits_before, *waits_after;
	int kernel_id;         /* carrier threads: as the kernel knows it */
	uint32_t go;           /* carrier threads: futex word, 1 = it is this thread's turn */
	uint32_t parked;       /* carrier threads: futex word, 1 = ready for its first turn */
	uint8_t forking;       /* enum vtb_forking: where it is in fork() (runtime/kernel/follow.c) */
	struct vtb_fiber *fiber; /* carrier fibers */
	/* waiting in a queue of a condition variable or futex */
	const void *queue;
	uint64_t ticket;       /* order of arrival */
	bool signalled, timed_out, spurious;
	uint32_t futex_bits; /* waiting at a futex: which wake-ups it is there for (FUTEX_WAIT_BITSET) */
	uint32_t prints;     /* operations on streams so far (runtime/hooks/libc/stdio.c) */
	uint64_t randoms;    /* random words it was given (runtime/kernel/random.c) */
	uint64_t deadline;     /* virtual nanoseconds; 0: none */
	/* signals.c */
	uint64_t sigmask;      /* blocked signals: bit signal - 1 */
	bool interrupted;      /* before its operation it has a signal to handle */
	bool due;              /* a signal might come to it earlier than by default */
	bool service;          /* a timer's thread: not the program's */
	/* spinning: see fair.c */
	uint32_t wrote __attribute__((aligned(8))); /* 1: in its present stretch. With `spins`, which a write clears, in one word for near.c */
	uint32_t spins, own_spins;
	uint32_t yields; /* see fair.c */
	bool spinning;
	uint64_t spin_epoch, spin_others, own_epoch;
	uint64_t clock_reads, clock_others; /* since somebody else moved; what that was */
	uint64_t *seen; /* table of vtb_seen_key() */
	struct vtb_anchor anchors[2]; /* [0] begins anew with every change that the thread makes */
	struct vtb_anchor *exact;     /* spinning: the round that it repeats; NULL: that is only assumed */
	/* value of the last plain write, filled in when the thread comes back */
	uint64_t *written_word;
	uint64_t written_addr;
	uint32_t written_log2; /* of its size; 3 or more: its first 8 bytes */

	bool cancelled, cancel_enabled, cancel_async;
	struct vtb_view view;
};

enum { VTB_LACKS_DISPATCH = 1, VTB_LACKS_FSGSBASE = 2 };

/** The process. */
struct vtb_rt {
	enum vtb_wire_mode mode;   /* OFF until main is about to be called */
	struct vtb_wire_header *block; /* NULL: not started by vtb */
	uint64_t block_size;
	uint32_t options;
	uint32_t lacks;            /* tests: VTB_LACKS_*, what this machine is to be taken to lack (VTB_TEST_LACKS) */
	const char *without;       /* tests: the row of the table of primitives that does nothing (VTB_TEST_WITHOUT); NULL */
	bool begun;                /* main is about to be called */
	uint32_t hooks;            /* VTB_HOOK_*, kept until there is a block */
	int (*main)(int, char **, char **);
	uint32_t n_threads;
	uint64_t stamp;            /* record mode: the last stamp given out */
	uint64_t stacks_lo, stacks_hi; /* all thread stacks lie between */
	struct vtb_rt_thread *threads[VTB_RT_THREADS_MAX]; /* by slot */
	char directory[4096];      /* record mode: where event files go */
};
extern struct vtb_rt vtb_rt;

/** Addresses from lo on; size 0: none. */
struct vtb_rt_span {
	uint64_t lo, size;
};
/** The code by which pads enter the runtime, for walks over frames. */
extern struct vtb_rt_span vtb_rt_pads;

/** The copy of near.c within reach of the program's code (rewrite.c). */
struct vtb_rt_near {
	struct vtb_rt_span all;  /* with the thunks behind the copy */
	uint64_t code;           /* bytes of the copy */
	uint64_t original;       /* where near.c itself is */
};
extern struct vtb_rt_near vtb_rt_near;
/** Is this in the copied code? It is the runtime's then. */
static inline bool vtb_rt_is_near(uint64_t pc)
{
	return pc - vtb_rt_near.all.lo < vtb_rt_near.all.size;
}

/** Where libvtb-cxx.so is mapped; size 0: it is not there. */
extern uint64_t vtb_rt_library_lo, vtb_rt_library_size;

/** The calling thread, NULL if it was not made by pthread_create or the runtime is off. */
extern __thread struct vtb_rt_thread *vtb_self __attribute__((tls_model("initial-exec")));

/** The calling thread if its calls are to be seen, else NULL. */
static inline struct vtb_rt_thread *vtb_rt_enter(void)
{
	struct vtb_rt_thread *t = vtb_self;

	return VTB_LIKELY(t && !t->inside && vtb_rt.mode != VTB_MODE_OFF) ? t : NULL;
}

static inline bool vtb_rt_controls(void)
{
	return vtb_rt.mode == VTB_MODE_CONTROL;
}

/* ---- alloc.c */
/** Write ALLOC records for blocks that were handed out before main and are still in use. */
void vtb_rt_tell_early_blocks(struct vtb_rt_thread *t);

/* ---- arena.c */
/** Zeroed memory that lasts as long as the process, 16-byte aligned; NULL if there is none. */
void *vtb_rt_alloc(size_t size);
/** The same, where addresses do not depend on the order in which others ask: for what comes with a schedule or with time. */
void *vtb_rt_alloc_aside(size_t size);
/** Does the address lie in it? Only what was mapped with vtb_rt_alloc_reserve(). */
bool vtb_rt_arena_has(uint64_t addr);
/** Have so many bytes mapped already: what a run takes is then given back when the process is rolled back. */
void vtb_rt_alloc_reserve(size_t size);

/* ---- alloc.c */
/** The program's malloc, called from `pc`. */
void *vtb_rt_malloc(size_t size, uint64_t pc);

/* ---- threads.c */
/** A new entry; `parent` NULL: main. NULL if there are too many. */
struct vtb_rt_thread *vtb_rt_thread_new(struct vtb_rt_thread *parent);
/** Make the entries of the first n slots now, next to each other. */
void vtb_rt_threads_prepare(uint32_t n);
/** The entry that the thread of this slot will have, NULL if it is not made yet. */
struct vtb_rt_thread *vtb_rt_thread_prepared(uint32_t slot);
/** The calling thread is t. Its thread-local memory is written only if that is new. */
static inline void vtb_rt_is_self(struct vtb_rt_thread *t)
{
	if (vtb_self != t)
		vtb_self = t;
}
/** Room for the deepest shadow stack that is kept. False: there is no memory. */
bool vtb_rt_frames_grow(struct vtb_rt_thread *t);
/** Functions on the shadow stack that are stored. */
static inline uint32_t vtb_rt_frames_stored(const struct vtb_rt_thread *t)
{
	const uint32_t room = __atomic_load_n(&t->frames_room, __ATOMIC_ACQUIRE);

	return t->depth < room ? t->depth : room;
}
/** Called first on the new thread: fix its stack bounds, make it the caller's vtb_self. */
void vtb_rt_thread_here(struct vtb_rt_thread *t);
/** Find out how large main's stack may grow, before a run. */
void vtb_rt_main_stack(void);
/** Bounds of the calling thread's stack (not main's), noted for vtb_rt_some_stack(). */
void vtb_rt_stack_bounds(uint64_t *ret_lo, uint64_t *ret_hi);
/** Tell the code near the program where stacks and dead blocks are now. */
void vtb_rt_tell_special(struct vtb_rt_thread *t);
/** Is addr on no stack, though it lies between them, and not in a heap with dead blocks? Then remembers the gap that it is in. O(threads). */
bool vtb_rt_clear(struct vtb_rt_thread *t, uint64_t addr);
/** The entry of a live or unjoined thread with this handle, or NULL. */
struct vtb_rt_thread *vtb_rt_thread_by_handle(pthread_t handle);
/** thread_local and pthread_key destructors: they are part of the thread and run before its end. */
void vtb_rt_run_destructors(void);

/** Add the thread's accesses to the block's count. */
void vtb_rt_count_accesses(struct vtb_rt_thread *t);

/* ---- frames.c */
/** The call stack of `t`: `first` and then callers, innermost first; at most `max`. Returns how many. */
uint32_t vtb_rt_stack(const struct vtb_rt_thread *t, uint64_t first, uint64_t *pcs, uint32_t max);
/** addr lies in some thread's stack: write the FRAME record that names it (once for each activation of a function). */
void vtb_rt_stack_access(struct vtb_rt_thread *t, uint64_t addr);

static inline bool vtb_rt_own_stack(const struct vtb_rt_thread *t, uint64_t addr)
{
	return addr - t->stack_lo < t->stack_hi - t->stack_lo;
}

static inline bool vtb_rt_some_stack(uint64_t addr)
{
	return addr - vtb_rt.stacks_lo < vtb_rt.stacks_hi - vtb_rt.stacks_lo;
}

/* ---- library.c */
/** What libvtb-cxx.so does at `pc` the program does where it called the library. */
static inline uint64_t vtb_rt_blame(const struct vtb_rt_thread *t, uint64_t pc)
{
	return VTB_UNLIKELY(t->library_depth) && pc - vtb_rt_library_lo < vtb_rt_library_size ? t->library_pc : pc;
}

/* ---- modules.c */
/** Is this address in executable memory of a module, with at least 8 bytes of it before? */
bool vtb_rt_is_code(uint64_t addr);
/** Is it our own, libvtb-cxx.so included? */
bool vtb_rt_is_ours(uint64_t addr);
/** Code of the library that unwinds stacks (libgcc_s): what it reads are tables about code, its frames' and also our own. */
bool vtb_rt_is_unwinder(uint64_t addr);
/** Write the modules loaded so far to the block. */
void vtb_rt_modules(void);

/* ---- peek.c: read memory that may not be there */
/** The `size` (1..8) bytes at addr as a number in *ret; false if they cannot be read. */
bool vtb_rt_peek(const void *addr, uint32_t size, uint64_t *ret);
/** If `pc` is in the peeking instruction, where to go on instead; else 0. For the fault handler. */
uint64_t vtb_rt_peek_fixup(uint64_t pc);

/* ---- stream.c */
struct vtb_rec {
	uint64_t addr, pc;
	uint64_t value, arg;
	uint64_t stamp; /* with VTB_REC_STAMP: the stamp, 0 = take one now */
	uint8_t kind, flags; /* flags: VTB_REC_VALUE, _ARG, _STAMP; _STACK if n_pcs */
	uint8_t order, size_log2, result;
	uint32_t n_pcs;
	const uint64_t *pcs;
};
/** Append a record to `t`'s stream. Returns where its value word lies (valid until the stream's window moves), or NULL. */
uint64_t *vtb_rt_put(struct vtb_rt_thread *t, const struct vtb_rec *rec);
/** Control mode: where records and what is not controlled go besides (sched/run_records.c). NULL: there is no control
 * mode here. */
struct vtb_rt_sink {
	struct vtb_rt_stream *(*stream)(struct vtb_rt_thread *t); /* of all threads, after a SWITCH record if the thread changed */
	void (*used)(void);                                        /* a record has been written into it */
	void (*truncated)(void);                                   /* one did not fit */
	void (*uncontrolled)(uint32_t flag);                       /* for the outcome of this run */
};
extern const struct vtb_rt_sink *vtb_rt_sink;
/** Record mode: open the thread's event file. Trouble makes its events count as lost. */
void vtb_rt_stream_open(struct vtb_rt_thread *t);

/* ---- runs.c */
/** Copy `n` words of whole records to `to`, which has room for as many, with runs (vtb/wire.h) for accesses of loops. Returns the words. O(n). */
uint64_t vtb_rt_find_runs(const uint64_t *words, uint64_t n, uint64_t *to, struct vtb_rt_runs_room *room);

/** Record mode: accesses of the fast way that are not yet in t->accesses go there. */
void vtb_rt_stream_count(struct vtb_rt_thread *t);

/** Next stamp: a number that grows along everything that happened before. */
static inline uint64_t vtb_rt_stamp(void)
{
	return __atomic_add_fetch(&vtb_rt.stamp, 1, __ATOMIC_SEQ_CST);
}

/* ---- process_block.c */
/** Say in the block why the runtime cannot work. First one wins. */
void vtb_rt_trouble(const char *text);
/** Main is about to be called, or the server waits for schedules: what the block says of this process holds. */
void vtb_rt_announce(void);
void vtb_rt_uncontrolled(uint32_t flag);

/* ---- record mode: record.c */
/** Attach the main thread and open its stream. */
void vtb_rec_begin(void);
/** A synchronisation event of `t`, with stamp `stamp` (0: now), a value and an argument. */
void vtb_rec_sync(struct vtb_rt_thread *t, unsigned kind, const void *obj, uint64_t stamp, unsigned result, uint64_t value, uint64_t arg);
/** pthread_create in record mode. */
int vtb_rec_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

#endif /* VTB_RT_H */
