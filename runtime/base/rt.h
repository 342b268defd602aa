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
#include <ucontext.h>

#include "../thread.h"
#include "guest.h"
#include "vtb/wire.h"

#define VTB_RT_THREADS_MAX 4096u /* threads of one run, ended ones included: sched/run_limits.def */
#define VTB_RT_FRAMES_MANY 512u  /* depth of the shadow stack to begin with where it is deep: sched/run_limits.def */
#define VTB_RT_FRAMES_FEW 16u    /* for which there is room from the beginning */
#define VTB_RT_STACK_DEPTH 13u   /* frames in a STACK or ALLOC record */

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
	uint64_t marks[VTB_RT_TAIL_BYTES / 8 / VTB_RT_RUNS_CHUNK +
	               1]; /* in each chunk of the tail: where some record of the long form begins; 0 unknown */
	uint64_t places[VTB_RT_RUNS_PLACES];
	char vectors[] __attribute__((aligned(64))); /* vtb_vectors_bytes */
};

enum {
	VTB_LACKS_DISPATCH = 1,
	VTB_LACKS_FSGSBASE = 2,
	VTB_LACKS_JUMPS = 4 /* in libc: libc_calls.c */,
	VTB_LACKS_RING = 8,         /* of faults.c */
	VTB_LACKS_CALM = 16,        /* accesses in one piece: sched/points/access.c */
	VTB_LACKS_USERFAULTFD = 32, /* engines/dirty.c */
	VTB_LACKS_GUARD = 64,       /* carriers/fs_guard.h */
};

/** The process. */
struct vtb_rt {
	enum vtb_wire_mode mode;       /* OFF until main is about to be called */
	struct vtb_wire_header *block; /* NULL: not started by vtb */
	uint64_t block_size;
	uint32_t options;
	uint32_t lacks;      /* tests: VTB_LACKS_*, what this machine is to be taken to lack (VTB_TEST_LACKS) */
	const char *without; /* tests: the row of the table of primitives that does nothing (VTB_TEST_WITHOUT); NULL */
	bool begun;          /* main is about to be called */
	uint32_t hooks;      /* VTB_HOOK_*, kept until there is a block */
	int (*main)(int, char **, char **);
	uint32_t n_threads;
	uint64_t stamp;                                    /* record mode: the last stamp given out */
	uint64_t stacks_lo, stacks_hi;                     /* all thread stacks lie between */
	struct vtb_rt_thread *threads[VTB_RT_THREADS_MAX]; /* by slot */
	char directory[4096];                              /* record mode: where event files go */
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
	struct vtb_rt_span all; /* with the thunks behind the copy */
	uint64_t code;          /* bytes of the copy */
	uint64_t original;      /* where near.c itself is */
};
extern struct vtb_rt_near vtb_rt_near;
/** Is this in the copied code? It is the runtime's then. */
static inline bool vtb_rt_is_near(uint64_t pc)
{
	return pc - vtb_rt_near.all.lo < vtb_rt_near.all.size;
}

/** Where libvtb-cxx.so and libvtb-omp.so are mapped; size 0: it is not there. */
extern struct vtb_rt_span vtb_rt_libraries[2];
static inline bool vtb_rt_in_library(uint64_t pc)
{
	return pc - vtb_rt_libraries[0].lo < vtb_rt_libraries[0].size ||
	       pc - vtb_rt_libraries[1].lo < vtb_rt_libraries[1].size;
}

/** The calling thread, NULL if it was not made by pthread_create or the runtime is off. */
extern __thread struct vtb_rt_thread *vtb_self __attribute__((tls_model("initial-exec")));

/** The calling thread if its calls are to be seen, else NULL. */
static inline struct vtb_rt_thread *vtb_rt_enter(void)
{
	struct vtb_rt_thread *t = vtb_self;

	return VTB_LIKELY(t && !t->base.inside && vtb_rt.mode != VTB_MODE_OFF) ? t : NULL;
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
/** The same, where addresses do not depend on the order in which others ask: for what comes with a schedule or with
 * time. */
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
/** Room for a deeper shadow stack. False: there is no memory; deeper frames are counted, not stored. */
bool vtb_rt_frames_grow(struct vtb_rt_thread *t);
/** Functions on the shadow stack that are stored. */
static inline uint32_t vtb_rt_frames_stored(const struct vtb_rt_thread *t)
{
	const uint32_t room = __atomic_load_n(&t->base.frames_room, __ATOMIC_ACQUIRE);

	return t->base.depth < room ? t->base.depth : room;
}
/** Called first on the new thread: fix its stack bounds, make it the caller's vtb_self. */
void vtb_rt_thread_here(struct vtb_rt_thread *t);
/** Find out how large main's stack may grow, before a run: down to the address that is returned. */
uint64_t vtb_rt_main_stack(void);
/** Bounds of the calling thread's stack (not main's), noted for vtb_rt_some_stack(). */
void vtb_rt_stack_bounds(uint64_t *ret_lo, uint64_t *ret_hi);
/** Tell the code near the program where stacks and dead blocks are now. */
void vtb_rt_tell_special(struct vtb_rt_thread *t);
/** Is addr on no stack, though it lies between them, and not in a heap with dead blocks? Then remembers the gap that it
 * is in. O(threads). */
bool vtb_rt_clear(struct vtb_rt_thread *t, uint64_t addr);
/** The entry of a live or unjoined thread with this handle, or NULL. */
struct vtb_rt_thread *vtb_rt_thread_by_handle(pthread_t handle);
/** Likewise, under control, but also one that was joined, or has ended detached: the newest. O(1), mostly. */
struct vtb_rt_thread *vtb_rt_thread_once_by_handle(pthread_t handle);
/** Does its handle say nothing any more? */
static inline bool vtb_rt_handle_is_over(const struct vtb_rt_thread *t)
{
	return t->base.joined || (t->base.detached && t->base.state == VTB_T_ENDED);
}
/** t has this handle from now on. */
void vtb_rt_takes_handle(struct vtb_rt_thread *t, pthread_t handle);
/** pthread_key_create() and pthread_key_delete(). */
int vtb_rt_key_create(pthread_key_t *key, void (*destructor)(void *));
int vtb_rt_key_delete(pthread_key_t key);
/** pthread_setspecific(): what the thread keeps is part of where it stands. */
int vtb_rt_key_set(pthread_key_t key, const void *value);
/** thread_local and pthread_key destructors: they are part of the thread and run before its end. */
void vtb_rt_run_destructors(void);

/** Add the thread's accesses to the block's count. */
void vtb_rt_count_accesses(struct vtb_rt_thread *t);

/* ---- frames.c */
/** The call stack of `t`: `first` and then callers, innermost first; at most `max`. Returns how many. Where functions
 * have no hooks and a fault has interrupted t, the callers are those of t->base.fault. */
uint32_t vtb_rt_stack(const struct vtb_rt_thread *t, uint64_t first, uint64_t *pcs, uint32_t max);
/** The same of main's thread before main, where no thread is known yet: from what the hooks of functions have told by
 * these two calls. O(frames). */
uint32_t vtb_rt_early_stack(uint64_t first, uint64_t *pcs, uint32_t max);
void vtb_rt_early_entry(uint64_t caller, uint64_t sp);
void vtb_rt_early_exit(void);
/** addr lies in some thread's stack: write the FRAME record that names it (once for each activation of a function). */
void vtb_rt_stack_access(struct vtb_rt_thread *t, uint64_t addr);

static inline bool vtb_rt_own_stack(const struct vtb_rt_thread *t, uint64_t addr)
{
	return addr - t->base.stack_lo < t->base.stack_hi - t->base.stack_lo;
}

/** Where the part of t's stack ends that only its functions use. */
static inline uint64_t vtb_rt_stack_top(const struct vtb_rt_thread *t)
{
	return t->base.stack_top ? t->base.stack_top : t->base.stack_hi;
}

static inline bool vtb_rt_some_stack(uint64_t addr)
{
	return addr - vtb_rt.stacks_lo < vtb_rt.stacks_hi - vtb_rt.stacks_lo;
}

/* ---- library.c */
/** What libvtb-cxx.so or libvtb-omp.so does at `pc` the program does where it called the library. */
static inline uint64_t vtb_rt_blame(const struct vtb_rt_thread *t, uint64_t pc)
{
	return VTB_UNLIKELY(t->base.library_depth) && vtb_rt_in_library(pc) ? t->base.library_pc : pc;
}

/* ---- modules.c */
/** Is this address in executable memory of a module, with at least 8 bytes of it before? */
bool vtb_rt_is_code(uint64_t addr);
/** Is it in a part of a module that is not written? O(modules). */
bool vtb_rt_is_constant(uint64_t addr);
/** Is it our own, those libraries included? */
bool vtb_rt_is_ours(uint64_t addr);
/** Where the program called the function of libc that makes the system call at pc: the first return address on the
 * stack at sp that lies in a module other than pc's, ours and the loader. pc if there is none close by. O(modules). */
uint64_t vtb_rt_outer_caller(uint64_t pc, const uint64_t *sp);
/** Code of the library that unwinds stacks (libgcc_s): what it reads are tables about code, its frames' and also our
 * own. */
bool vtb_rt_is_unwinder(uint64_t addr);
/** The program loads one now: mapped at `at`, as far as its first part, with `n` program headers. */
void vtb_rt_module_loaded(const char *path, uint64_t at, const void *headers, uint32_t n);
/** The one that was loaded so and has this address; NULL: there is none. O(modules). */
struct vtb_wire_module *vtb_rt_module_late(uint64_t addr);
/** How far from the beginning of its module; of an address in none itself. O(modules). */
uint64_t vtb_rt_module_offset(uint64_t addr);
/** Are both of the program, or both of the same library? */
bool vtb_rt_same_module(uint64_t addr, uint64_t other);
/** Is it of the program or a library that were there when the list was made, and stay where they are? O(modules). */
bool vtb_rt_is_lasting(uint64_t addr);
/** Write the modules loaded so far to the block. */
void vtb_rt_modules(void);

/* ---- unwind.c */
#define VTB_RT_FAULT_FRAMES 64u
struct vtb_rt_fault {
	uint32_t n;
	uint64_t pcs[VTB_RT_FAULT_FRAMES]; /* return addresses, innermost first, without the runtime's own */
};
/** Who has called what a fault has interrupted at these registers of t, which nobody goes on from: they are changed.
 * To be called in the fault's handler, which calls vtb_rt_unwind_failed() for each fault that comes meanwhile. */
void vtb_rt_unwind(struct vtb_rt_thread *t, greg_t *g, struct vtb_rt_fault *ret);
/** Does not return if vtb_rt_unwind() is under way: that ends. */
void vtb_rt_unwind_failed(void);

/* ---- peek.c: read memory that may not be there */
/** The `size` (1..8) bytes at addr as a number in *ret; false if they cannot be read. */
bool vtb_rt_peek(const void *addr, uint32_t size, uint64_t *ret);
/** If `pc` is in the peeking instruction, where to go on instead; else 0. For the fault handler. */
uint64_t vtb_rt_peek_fixup(uint64_t pc);

/* ---- stream.c */
struct vtb_rec {
	uint64_t addr, pc;
	uint64_t value, arg;
	uint64_t stamp;      /* with VTB_REC_STAMP: the stamp, 0 = take one now */
	uint8_t kind, flags; /* flags: VTB_REC_VALUE, _ARG, _STAMP; _STACK if n_pcs */
	uint8_t order, size_log2, result;
	uint32_t n_pcs;
	const uint64_t *pcs;
};
/** Append a record to `t`'s stream. Returns where its value word lies (valid until the stream's window moves), or NULL.
 */
uint64_t *vtb_rt_put(struct vtb_rt_thread *t, const struct vtb_rec *rec);
/** Control mode: where records and what is not controlled go besides (sched/run_records.c). NULL: there is no control
 * mode here. */
struct vtb_rt_sink {
	struct vtb_rt_stream *(*stream)(
	    struct vtb_rt_thread *t);        /* of all threads, after a SWITCH record if the thread changed */
	void (*used)(void);                  /* a record has been written into it */
	void (*truncated)(void);             /* one did not fit */
	void (*uncontrolled)(uint32_t flag); /* for the outcome of this run */
};
extern const struct vtb_rt_sink *vtb_rt_sink;
/** Record mode: open the thread's event file. Trouble makes its events count as lost. */
void vtb_rt_stream_open(struct vtb_rt_thread *t);

/* ---- runs.c */
/** Copy `n` words of whole records to `to`, which has room for as many, with runs (vtb/wire.h) for accesses of loops.
 * Returns the words. O(n). */
uint64_t vtb_rt_find_runs(const uint64_t *words, uint64_t n, uint64_t *to, struct vtb_rt_runs_room *room);

/** Record mode: accesses of the fast way that are not yet in t->base.accesses go there. */
void vtb_rt_stream_count(struct vtb_rt_thread *t);

/** Next stamp: a number that grows along everything that happened before. */
static inline uint64_t vtb_rt_stamp(void)
{
	return __atomic_add_fetch(&vtb_rt.stamp, 1, __ATOMIC_SEQ_CST);
}

/* ---- memory/libc_own.c */
/** Called once, before there are other threads than main. */
void vtb_rt_find_libc_own(void);
/** Where the C library keeps what is t's: errno and the like. Needs t's handle. */
uint64_t vtb_rt_libc_own(const struct vtb_rt_thread *t, uint64_t *ret_end);

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
void vtb_rec_sync(struct vtb_rt_thread *t, unsigned kind, const void *obj, uint64_t stamp, unsigned result,
                  uint64_t value, uint64_t arg);
/** pthread_create in record mode. */
int vtb_rec_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

#endif /* VTB_RT_H */
