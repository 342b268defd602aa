/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file nodes.h
 * Which definition a use gets its value from: instructions, places where ways meet, parameters, results of calls.
 *
 * Node i is instruction i, as long as there are instructions; then come the others, as they are asked for. An operand
 * of an instruction has the variable that it is used as.
 */
#ifndef SLICE_NODES_H
#define SLICE_NODES_H

#include "compiled.h"

enum node_kind {
	NODE_INSN,
	NODE_MEET,   /* a variable where a block begins */
	NODE_GUARD,  /* a variable behind a block's branch, on one of its ways */
	NODE_PARAM,  /* a variable where a function begins */
	NODE_OUT,    /* a variable after a call */
	NODE_RESULT, /* what threads return */
	NODE_LAND,   /* a variable where an exception goes that comes out of a call */
	NODE_STATE,  /* what a thread is to run: the object that a call with DOES_RUN is given */
	NODE_WORD,   /* as MEET, of a word of the frame that is a variable */
	NODE_FRESH,  /* what such a word holds where its function begins: a number */
};

#define GUARD_TAKEN 64u
#define VAR_WORD (VARS + 1u) /* the operand is the word of the frame that the instruction reads */

struct node {
	uint8_t kind, visits;
	bool queued;
	uint32_t of;  /* block, function, instruction */
	uint32_t var; /* or word; of a guard with GUARD_TAKEN if the branch jumps */
	uint32_t value;
	uint32_t operands, users; /* first edge; NONE */
};

struct edge {
	uint32_t node, next;
	uint32_t var;
};

struct caller {
	uint32_t insn, next;
	bool thread; /* by pthread_create: parameter 0 is argument 3 */
	bool wild;   /* some other function calls it: nothing is known of its parameters */
};

struct nodes {
	struct program *p;
	struct node *rows;
	size_t n_rows, cap_rows;
	struct edge *edges;
	size_t n_edges, cap_edges;
	struct caller *callers;
	size_t n_callers, cap_callers;
	uint32_t *called;         /* function -> first caller */
	uint32_t *param;          /* function -> first NODE_PARAM, chained by `more` */
	struct vtb_map64 outs;    /* call -> first NODE_OUT */
	struct vtb_map64 more;    /* node -> next of that chain */
	struct vtb_map64 targets; /* call through a pointer -> first of `callees` */
	struct edge *callees;     /* node: function; chained */
	size_t n_callees, cap_callees;
	struct vtb_map64 known; /* what a node is -> node */
	uint64_t *defines;      /* block -> variables that it defines */
	uint32_t *pending;      /* nodes without their operands */
	size_t n_pending, cap_pending;
	uint32_t result;
	uint32_t handed; /* what functions return that code outside may call */
	bool failed;
	void (*changed)(void *arg, uint32_t node); /* it has got an operand */
	void *arg;
};

int nodes_init(struct nodes *g, struct program *p);
void nodes_fini(struct nodes *g);

/** The node that `var` has its value from before instruction i. NONE: nobody gives it one. */
uint32_t nodes_before(struct nodes *g, uint32_t i, uint32_t var);
/** The same of a function's result when it is left at instruction i. */
uint32_t nodes_leaving(struct nodes *g, uint32_t i, uint32_t var);
/** The node that instruction i has the word from that it reads. NONE: it reads none that is a variable. */
uint32_t nodes_word(struct nodes *g, uint32_t i);
uint32_t nodes_add(struct nodes *g, enum node_kind kind, uint32_t of, uint32_t var);
int nodes_link(struct nodes *g, uint32_t user, uint32_t operand, uint32_t var);
/** Operands for a NODE_WORD. */
int nodes_fill_word(struct nodes *g, uint32_t node);
/** Operands for all nodes that have none yet. */
int nodes_fill(struct nodes *g);
/** Function f may be called by instruction i. True if that is new. */
bool nodes_call(struct nodes *g, uint32_t i, uint32_t f, bool thread, bool wild);

/** The way back along blocks that one other comes before each. In a loop that nothing is seen to enter it has no end;
 * no value comes there, as to a block that none comes before. */
struct way_back {
	uint32_t marked, steps, until; /* a block that was passed, marked anew at 1, 2, 4, ... steps */
};

static inline bool way_back_is_round(struct way_back *way, uint32_t block)
{
	if (block == way->marked)
		return true;
	if (++way->steps == way->until)
		*way = (struct way_back){ .marked = block, .until = 2 * way->until };
	return false;
}

#endif /* SLICE_NODES_H */
