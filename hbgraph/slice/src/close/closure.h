/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file closure.h
 * The backward closure: what an essential statement needs, what that needs, and so on, for each kind of statement.
 *
 * What is needed is an item: a definition, an instruction's addresses, that a block is executed, that a function is
 * called, that calls of it return, what some memory holds.
 */
#ifndef SLICE_CLOSURE_H
#define SLICE_CLOSURE_H

#include "solve.h"

enum item_kind {
	ITEM_NODE,
	ITEM_ADDRESS, /* of an instruction: where it accesses, not what */
	ITEM_BLOCK,
	ITEM_FUNCTION,
	ITEM_STOPS,     /* whether calls of a function return */
	ITEM_PLACE,     /* closure.needs */
	ITEM_MEMORY,    /* whatever is known outside */
	ITEM_ESSENTIAL, /* the instruction itself is what is asked about: nothing needs it */
	ITEM_SLOT,      /* a private word of a frame where a block begins: block and slot */
};
#define ITEM(kind, id) ((uint64_t)(kind) << 56 | (id))
#define NO_ITEM UINT64_MAX

/** A private word of a frame: nothing but instructions of its function, at known places, touches it. */
struct slot {
	uint32_t function;
	int32_t lo, hi;
	bool exposed;
};

struct writer {
	uint32_t insn, next;
	struct place at;
};

struct closure {
	struct solve *s;
	struct slot *slots; /* by function and place */
	size_t n_slots, cap_slots;
	uint32_t *first_slot;               /* function -> its first */
	uint32_t *reads_slot, *writes_slot; /* instruction -> private word, or NONE */
	bool *covers;                       /* the instruction writes all of it */
	uint8_t *told;                      /* instruction -> TOLD_*: which of its accesses vtb is told of */
	uint8_t *dark;                      /* region -> it is written where vtb is not told of it */
	size_t n_dark, cap_dark;
	bool dark_outside; /* and so is whatever is known outside */
	bool blind;        /* memory that is needed is written where vtb is not told of it */
	struct writer *writers;
	size_t n_writers, cap_writers;
	uint32_t *first_writer; /* region -> first */
	size_t n_first_writer, cap_first_writer;
	uint32_t *anywhere; /* instructions that write memory known outside */
	size_t n_anywhere, cap_anywhere;
	struct place *needs;
	size_t n_needs, cap_needs;
	uint32_t *asked; /* region -> how many of `needs` */
	size_t n_asked, cap_asked;
	struct vtb_map64 need;  /* hash -> row */
	struct vtb_map64 kinds; /* item -> kinds that need it */
	struct vtb_map64 cause; /* item and kind -> item that needs it */
	struct task {
		uint64_t item;
		uint32_t kinds;
	} * tasks;
	size_t n_tasks, cap_tasks, next;
	bool failed;
};

/** Who writes what, and which words of frames are private. */
int closure_init(struct closure *c, struct solve *s);
void closure_fini(struct closure *c);
/** `item` is needed for `kinds` because of `why` (NO_ITEM: by itself). */
void closure_need(struct closure *c, uint64_t item, uint32_t kinds, uint64_t why);
/** All that follows. 0 or -ENOMEM. */
int closure_run(struct closure *c);
uint32_t closure_kinds(const struct closure *c, uint64_t item);

/* writers.c */
int writers_note(struct closure *c, uint32_t insn);
/** States outside of memory that a call reads and changes: places, how many. */
int writers_states(struct closure *c, uint32_t insn, struct place *ret);

/* told_accesses.c */
enum { TOLD_READS = 1, TOLD_WRITES = 2 };
int told_find(struct closure *c);
/** The items of which the hook at `call` tells, of words that no other function can touch (`private`) or of others: at
 * most max; 0: not known. `first`: only the first that is met on each way. */
size_t told_by(struct closure *c, uint32_t call, bool private, bool first, uint64_t *ret, size_t max);
/** Addresses behind pads, in order; to be freed. */
int told_by_number(const void *a, const void *b);
uint64_t *told_pads(const struct image *im, size_t *ret_n);
/** Does the instruction read, or write, memory without telling? */
bool told_nobody(const struct closure *c, uint32_t insn, unsigned what);

/* stops.c */
/** Whether the call at instruction i returns, and which exception comes out of it. */
void stops_need(struct closure *c, uint32_t i, uint32_t kinds, uint64_t why);
/** Whether calls of function f return: all of it that may stop or throw. */
void stops_follow(struct closure *c, uint32_t f, uint32_t kinds, uint64_t why);
/** Who throws an object has its destructor called where a handler ends. */
void stops_destroy(struct closure *c, const struct caller *caller, uint32_t kinds, uint64_t why);

/* frame_words.c */
/** Which words of frames are variables, once it is known what values there are: p->words. 0 or -ENOMEM. */
int words_find(struct solve *s);

/* slots.c */
int slots_find(struct closure *c);
uint32_t slots_at(const struct closure *c, uint32_t function, int32_t lo, int32_t hi);
/** The definitions of the word that instruction i reads are needed. */
void slots_need(struct closure *c, uint32_t block, uint32_t end, uint32_t slot, uint32_t kinds, uint64_t why);
void slots_enter(struct closure *c, uint32_t block, uint32_t slot, uint32_t kinds, uint64_t why);

#endif /* SLICE_CLOSURE_H */
