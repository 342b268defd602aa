/* SPDX-License-Identifier: BSD-2-Clause */
/** @file base_thread.h Of a thread: who it is, where it entered the runtime, its stack and its records. Plain data. */
#ifndef VTB_RT_BASE_THREAD_H
#define VTB_RT_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct vtb_call;
struct vtb_rt_frame;
struct vtb_rt_runs_room;
struct vtb_stream_header;
struct vtb_wire_thread;

/** Where a thread's records go. In control mode all threads share the slot's area, and `next` runs in the thread's
 * stretch. */
struct vtb_rt_stream {
	uint64_t *next, *end;              /* room in the tail; control mode: in the slot's area (the slot's stream) */
	uint64_t *from, *limit;            /* a thread's stretch of accesses, see fast.h; limit NULL: none */
	uint64_t special_lo, special_size; /* for near.c: all that is not for it (stacks, a heap with dead blocks) lies
	                                      here, as it was when the stretch or window began */
	uint64_t clear_lo, clear_size; /* in there: where nothing of that is, around the last access that was looked at
	                                  (vtb_rt_clear()) */
	uint64_t used_bias;            /* record mode: header->used is the address of `next` plus this */
	struct vtb_stream_header *header;   /* record mode: first page of the file, always mapped */
	uint64_t *window;                   /* record mode: the tail, see stream.c; NULL: no more is stored */
	uint64_t *runs;                     /* record mode: as large, to prepare what is written of it */
	struct vtb_rt_runs_room *runs_room; /* likewise */
	int fd;                             /* record mode */
};

/** Where a thread has entered the runtime, for fingerprints of states (runtime/engines/match.c, whose assembly knows it
 * by offset). */
struct vtb_view {
	uint64_t rbx, rbp, r12, r13, r14, r15;
	uint64_t sp;                 /* of the frame that has arrived at its operation */
	uint32_t mxcsr, x87;         /* modes of floating point */
	const struct vtb_call *call; /* that operation */
	uint64_t vectors[2];         /* at a pad: fingerprint of the vector registers */
	uint64_t specific;           /* of what pthread_setspecific() keeps for it */
};

enum vtb_rt_thread_state { VTB_T_FREE, VTB_T_ALIVE, VTB_T_ENDED };

/** What a thread knows of the others (sched/stretches/order.h) and which memory is dead (fast.h), as near.c looks it
 * up, whose assembly knows these places. */
struct vtb_knows {
	const uint32_t *known; /* by slot: up to which interval */
	const uint8_t *whose;  /* by interval - first: slot, VTB_ORDER_NOBODY */
	uint32_t first, span;  /* known are intervals in [first, first + span) */
	uint64_t heap_lo, heap_size;
	const uint8_t *dead; /* a bit for each grain of the heap */
};

#define VTB_FP_PAD 1u

/** The innermost function of a thread, at a pad, of which is known that its frame has been told (frames.c). */
struct vtb_own_frame {
	uint64_t fp;      /* as in vtb_base_thread; 0: none */
	uint64_t lo, top; /* the frame: from its stack pointer to behind its return address */
	uint64_t caller;  /* that address */
};

struct vtb_rt_fault;

struct vtb_base_thread {
	uint32_t slot;
	uint32_t parent; /* slot of the creator, VTB_NO_PATH for main */
	uint32_t nth;    /* the creator's nth child */
	uint32_t children;
	uint32_t inside;        /* depth inside the runtime: hooks and interposed calls pass through */
	uint32_t state;         /* enum vtb_rt_thread_state */
	uint32_t in_pad;        /* depth inside pads */
	uint32_t in_vectors;    /* depth inside those at which vector registers are the program's */
	uint64_t accesses;      /* hooked accesses not yet added to the block's count */
	uint64_t outer_pc;      /* not 0: the next interposed call is made from there (interpose_c11.c) */
	uint64_t pc;            /* where the program entered the runtime last */
	uint64_t library_pc;    /* library.c: where the program called libvtb-cxx.so */
	uint32_t library_depth; /* functions of it that are running */
	uint64_t stack_lo, stack_hi;
	uint64_t stack_top; /* of main, while it runs: above lie its arguments and the environment, which are memory
	                       like any other; 0: the whole stack is the thread's own */
	uint64_t body;      /* frame of ours that called its start routine: the program's lie below. 0: not known */
	struct vtb_rt_stream stream;
	struct vtb_wire_thread *entry; /* record mode: our line in the block */

	/* fast.h and near.c: spinning, see fair.c */
	uint32_t wrote
	    __attribute__((aligned(8))); /* 1: in its present stretch. A write sets it and clears `spins` as one word */
	uint32_t spins, own_spins;
	int32_t again; /* readings in a row of what it knew: it may be in a loop (progress.c). Below 0: left alone for
	                  so many */
	uint32_t written_log2;  /* of the last plain write's size; 3 or more: its first 8 bytes; VTB_WRITTEN_OWN */
	uint64_t *written_word; /* for the value of that write, filled in when the thread comes back */
	uint64_t written_addr;
	uint64_t *seen;    /* table of vtb_seen_key() */
	uint64_t seen_run; /* part of every key: what an earlier run has left in the table is none of this one's */

	/* near.c: accesses that are passed over (sched/stretches/owned.h) */
	uint32_t owned_left; /* so many more, 0: none; with owned_armed, from so many on */
	uint32_t owned_armed;
	uint32_t owned_long; /* times that it has gone as far as it may */
	uint32_t owned_tag;  /* upper half of a cell of which the thread knows all */
	struct vtb_knows knows;

	void *(*start)(void *);
	void *arg;
	void *result;
	pthread_t handle;
	bool detached, joined;

	uint64_t fp; /* frame of the runtime's function that the program entered last; 0: none. For programs without a
	                shadow stack. With VTB_FP_PAD: of a pad's entry */
	uint32_t n_shown; /* of these: frames told so far, the outermost first, in `frames` */
	uint32_t depth;   /* functions on the shadow stack, also those that found no room */
	uint32_t frames_room;
	struct vtb_rt_frame
	    *frames; /* others read it while the thread records: it moves to a larger one, the old one stays */
	struct vtb_view view;
	uint64_t arrivals; /* times that `view` was noted */
	struct vtb_own_frame own;
	const struct vtb_rt_fault *fault; /* who called what a fault has interrupted, while that is told; else NULL */
	bool noted;                       /* at its last operation fingerprints were wanted */
};

#endif /* VTB_RT_BASE_THREAD_H */
