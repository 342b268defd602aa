/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file solve.h
 * What each definition may be, what memory may hold, and whom calls through pointers reach: one fixpoint over the whole
 * program, flow-sensitive in registers, not in memory.
 */
#ifndef SLICE_SOLVE_H
#define SLICE_SOLVE_H

#include "nodes.h"
#include "regions.h"

struct solve {
	struct program *p;
	struct nodes nodes;
	struct values values;
	struct regions regions;
	uint32_t *queue; /* nodes */
	size_t n_queue, cap_queue, next;
	uint32_t *wild; /* calls of which it is not known whom they reach: any function whose address is lost */
	size_t n_wild, cap_wild;
	struct vtb_map64 is_wild;
	uint64_t steps;
	int status;
};

/** Find the fixpoint. 0 or a negative error; p->doubt if it takes too long. The solve is valid only where it stands. */
int solve_run(struct solve *s, struct program *p);
void solve_fini(struct solve *s);

/** The value that instruction i uses as `var`. */
uint32_t solve_operand(struct solve *s, uint32_t i, uint32_t var);
/** The value of argument k of a call. */
uint32_t solve_argument(struct solve *s, uint32_t i, unsigned k);
/** The address of memory operand `op` of instruction i. */
uint32_t solve_address(struct solve *s, uint32_t i, const struct vtb_ops_operand *op);

/** One access of an instruction or of a call: where, and what. */
struct touch {
	uint32_t address; /* value */
	unsigned size;    /* 0: not known, from there on */
	bool reads, writes;
	bool sure;     /* the whole of a word of the frame, at a known place */
	int32_t frame; /* then: where */
};
#define TOUCHES 40
/** All accesses of instruction i, hooks excepted: how many (at most TOUCHES); -1: any memory that is known outside. */
int solve_touches(struct solve *s, uint32_t i, struct touch *ret);

/* transfer.c */
uint32_t transfer(struct solve *s, uint32_t i);
/** What an instruction that leaves `value` in its first destination leaves in memory. */
uint32_t transfer_stored(struct solve *s, const struct vtb_ops *o, uint32_t value);
/* word_values.c */
/** Is what instruction i loads a word of its frame that is a variable? Then *ret is what it may hold there. */
bool words_load(struct solve *s, uint32_t i, uint32_t address, unsigned size, uint32_t *ret);
/** What a word holds where ways meet. */
uint32_t words_joined(struct solve *s, const struct node *n);
/* running.c */
/** A call with DOES_RUN: the object that it is given; and who runs. */
uint32_t running_state(struct solve *s, uint32_t node, uint32_t i);
void running_start(struct solve *s, uint32_t i);
/* calls.c */
/** What function f returns is an operand of node `user`. */
void solve_link_results(struct solve *s, uint32_t f, uint32_t user);
/** It may reach any function whose address is known outside, and any of other modules. */
void solve_set_wild(struct solve *s, uint32_t i);
void solve_call(struct solve *s, uint32_t i);
/** A jump through a pointer: does no address that it may hold lead to a function? Then it is not understood. */
bool solve_leads_nowhere(struct solve *s, uint32_t i);
uint32_t solve_result(struct solve *s, uint32_t call, uint32_t var);
/** Place by place: what is loaded; words that a caller has pushed included. */
uint32_t solve_load(struct solve *s, uint32_t i, uint32_t address, unsigned size);
void solve_store(struct solve *s, uint32_t address, unsigned size, uint32_t value);
#define SOLVE_PUSHED 32u /* words */
/** May a call of another module's function hand over arguments on the stack? Where, at most: the caller's own words
 * behind them are not told apart. What the k-th word holds. */
bool solve_pushes(struct solve *s, uint32_t i);
struct place solve_pushed_place(struct solve *s, uint32_t i);
uint32_t solve_pushed(struct solve *s, uint32_t i, unsigned k);
/** What a node's value becomes when `value` joins it: after some times, with open bounds. */
uint32_t solve_grown(struct solve *s, uint32_t node, uint32_t value);
void solve_queue(struct solve *s, uint32_t node);

extern const uint8_t solve_arguments[6];

#endif /* SLICE_SOLVE_H */
