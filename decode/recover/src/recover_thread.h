/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file recover_thread.h
 * One thread during the recovery: where it is in its flow, its registers, its calls. Between recover.c (the merge) and
 * recover_thread.c.
 */
#ifndef DECODE_RECOVER_THREAD_H
#define DECODE_RECOVER_THREAD_H

#include "vtb/map64.h"
#include "vtb/recover.h"
#include "recover_contracts.h"
#include "recover_exec.h"

/* Where stacks lie whose stack pointer no log entry tells: not canonical, so that no real address is there. */
#define SYMBOLIC_BASE(slot) (0x0100000000000000ull + ((uint64_t)(slot) << 40) + (1ull << 39))
#define IS_SYMBOLIC_STACK(addr) ((addr) >> 56 == 1)

#define STACK_REACH (8ull << 20) /* how far below its beginning a stack is forgotten */

/* A destructor of a global, and the object: known before it is called by nobody we interpret. */
struct recover_at_exit {
	uint64_t function, object;
	uint32_t owner; /* the thread that calls it, or RECOVER_PROCESS: whoever ends the program */
};
#define RECOVER_PROCESS UINT32_MAX

/* What all threads share in one pass. */
struct recover_run {
	struct vtb_pt_recording *rec;
	struct recover_order order;
	struct recover_memory memory;
	struct recover_contracts *contracts;
	struct vtb_pt_code *code;
	struct vtb_disasm *decoder;
	struct vtb_ops *ops; /* decoded once; an instruction's `user` is its index + 1 */
	size_t n_ops, cap_ops;
	const struct vtb_recover_sink *sink; /* NULL: not the last pass */
	struct vtb_recover_stats stats;
	struct recover_at_exit *at_exits; /* not yet called; the last registered is called first */
	size_t n_at_exits, cap_at_exits;
	struct recover_thread *threads; /* of this pass */
	size_t n_threads;
	struct vtb_map64 lent;   /* words of stacks that other threads reach: address / 4; kept from pass to pass */
	struct vtb_map64 blocks; /* of the heap: address -> bytes that were asked for; 0: given back */
	uint64_t first_fs;       /* of the first thread whose base of thread-local storage is known; 0: none yet */
	uint32_t next_log;       /* entry of the log whose turn it is */
	int error;
};

/* A call that has not returned: what the ABI gives back. */
struct recover_frame {
	uint64_t ret;                  /* return address */
	bool shown;                    /* the call was told as one whose variables others reach */
	bool told;                     /* an entry of the log was taken for this call: the next is for another */
	struct recover_value saved[7]; /* rsp after the return, rbx, rbp, r12..r15 */
};

/* A contract being executed: instructions are passed over until it returns. */
struct recover_quiet {
	bool active;
	const struct recover_contract *contract;
	uint64_t entry; /* address of its first instruction */
	uint64_t ret;   /* return address; 0 unknown */
	int32_t depth;  /* calls inside */
	struct recover_value result;
	struct recover_cpu before; /* registers at its first instruction */
	uint64_t slot;   /* the loader's: the word through which it was called, for which it looks for a function */
	uint64_t resume; /* suspended by a callback: address at which it goes on */
	size_t frames;   /* calls that had not returned at its first instruction; suspended: then */
};

/* Interrupted by a signal handler. */
struct recover_interrupted {
	uint64_t ip;
	struct recover_cpu cpu;
	struct recover_quiet quiet;
	size_t n_frames;
	bool symbolic;
};

struct recover_thread {
	struct recover_run *run;
	uint32_t slot;
	struct vtb_pt_reader *reader;
	struct recover_cpu cpu;
	uint64_t tsc;
	/* flow: the instruction to be executed, and what was read ahead */
	int64_t current; /* index in the code; < 0: none */
	int64_t ahead;   /* the one after it */
	uint64_t ahead_tsc;
	bool ahead_broken;  /* something is lost before `ahead` */
	bool ahead_enabled; /* tracing resumed at `ahead`: control may have come from elsewhere */
	uint32_t left;      /* instructions left in the block of `ahead` */
	bool ended;
	/* calls */
	struct recover_frame *frames;
	size_t n_frames, cap_frames;
	uint64_t last_slot; /* the word through which the last indirect jump to other code than the loader's went */
	struct recover_quiet quiet;
	struct recover_quiet *suspended; /* contracts that have called back */
	size_t n_suspended, cap_suspended;
	struct recover_interrupted interrupted[4];
	unsigned n_interrupted;
	bool stack_dirty;   /* something was pushed at an unknown place */
	uint64_t first_rsp; /* 0: not known yet */
	bool shown;         /* as of a frame, of its first function */
	bool symbolic;      /* rsp counts from a place of our own */
	uint32_t n_unknown_stacks;
	uint64_t executed; /* instructions */
	uint64_t taken_at; /* `executed` when an entry with a place was last taken, + 1; and that place */
	uint64_t taken_place;
	struct heap_call {
		uint16_t function;
		uint64_t args[3];
		uint8_t *bytes; /* realloc: the old block's first n bytes, and for each 32 of them which are known */
		uint32_t *known;
		uint64_t n;
	} heap; /* allocation being done */
	struct recover_jump {
		uint64_t buffer; /* setjmp's, at which longjmp will find these */
		struct recover_value saved[7];
		size_t frames, suspended;
	} * jumps;
	size_t n_jumps, cap_jumps;
};

int recover_thread_init(struct recover_thread *t, struct recover_run *run, uint32_t slot, size_t index);
void recover_thread_fini(struct recover_thread *t);

/** Execute until the thread has to wait for its turn in the log, its time changes, or it ends. Returns 1 if it moved, 0
 * if it must wait, or an error. */
int recover_thread_go(struct recover_thread *t);

/** Give up on the thread's next log entry: it was not found in its flow. */
void recover_thread_skip_log(struct recover_thread *t);

/* ------------------------------------------------------------------ recover_calls.c */

/** A function of the allocator is called or returns. (recover_heap.c) */
void recover_heap_log(struct recover_thread *t, const struct vtb_pt_log *log);
/** A call is about to be executed that returns to `ret`. */
int recover_push_frame(struct recover_thread *t, uint64_t ret);
/** Control returns to `to`: registers that the ABI preserves and that have become unknown are as they were at the call.
 */
void recover_pop_frame(struct recover_thread *t, uint64_t to);
/** Control has reached `ip` by a call or jump: does a contract begin here? */
void recover_enter_contract(struct recover_thread *t, uint64_t ip);
/** A return to `to` out of a callback takes up the contract again. */
bool recover_resume_contract(struct recover_thread *t, uint64_t to);
/** One instruction inside a contract. `next` is the address after it. */
int recover_pass_quietly(struct recover_thread *t, const struct vtb_pt_insn *insn, const struct vtb_ops *ops,
                         uint64_t next);
/** Everything is uncertain from here on. */
void recover_lose_track(struct recover_thread *t);
/** Control was at `expected` (0: after a return from a handler) and goes on at `ip` after a break of tracing. */
void recover_resume_elsewhere(struct recover_thread *t, uint64_t expected, uint64_t ip);

#endif /* DECODE_RECOVER_THREAD_H */
