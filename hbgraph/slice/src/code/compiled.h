/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file compiled.h
 * A compiled program as the slice sees it: functions of blocks of instructions.
 *
 * Shape:     instructions, blocks and functions are numbered through the whole file; those of one block, and of one
 *            function, stand together. A function is what its first instruction reaches by jumps, so that code that two
 *            of them share stands in each.
 * Registers: a variable is a number 0..63: general registers (DWARF), VAR_FLAGS, vectors from VAR_VECTOR, VAR_OTHER.
 */
#ifndef SLICE_COMPILED_H
#define SLICE_COMPILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image.h"
#include "summaries.h"
#include "vtb/disasm_ops.h"
#include "vtb/map64.h"

#define NONE UINT32_MAX
#define NO_FRAME INT32_MIN
#define PROGRAM_INSNS_MAX (4u << 20)

enum { VAR_FLAGS = 16, VAR_VECTOR = 17, VAR_OTHER = 49, VARS = 50 };
#define VAR_BIT(var) (1ull << (var))
#define VECTOR_VARS (0xffffffffull << VAR_VECTOR)
/** What a call may change (System V psABI, 3.2.1). */
#define CALL_DEFS                                                                                      \
	(VECTOR_VARS | VAR_BIT(VAR_FLAGS) | VAR_BIT(VAR_OTHER) | VAR_BIT(OPS_RAX) | VAR_BIT(OPS_RDX) | \
	 VAR_BIT(OPS_RCX) | VAR_BIT(OPS_RSI) | VAR_BIT(OPS_RDI) | VAR_BIT(8) | VAR_BIT(9) | VAR_BIT(10) | VAR_BIT(11))

enum flow { FLOW_NEXT, FLOW_JUMP, FLOW_BRANCH, FLOW_WAYS, FLOW_CALL, FLOW_TAIL, FLOW_RET, FLOW_STOP };

struct insn {
	uint64_t addr;
	uint64_t uses, defs; /* variables */
	uint64_t target;     /* of a direct jump or call */
	uint64_t landing;    /* of a call: where an exception goes that comes out of it; 0: nowhere in the function */
	bool again;     /* landing is where setjmp returns, any of the function: registers are as they were there */
	bool returned;  /* setjmp returns here */
	int32_t landed; /* bytes of arguments on the stack that are taken away then */
	uint32_t block;
	uint32_t callee;                /* CALL, TAIL: function; NONE: external, or through a pointer */
	const struct summary *external; /* CALL, TAIL of another module's function; NULL: none */
	int32_t frame;                  /* where in the frame its memory operand lies; NO_FRAME: not known so */
	int32_t sp;                     /* where the stack pointer stands before it, 0 at entry; NO_FRAME */
	uint8_t size;
	uint8_t flow;  /* enum flow */
	uint8_t cond;  /* BRANCH: condition, low 4 bits of the opcode; 16: another */
	bool last;     /* CALL behind which no code of the function stands: it does not return */
	bool indirect; /* CALL, TAIL through a register or memory that is no import */
	struct vtb_ops ops;
};

struct block {
	uint32_t function, first, n;
	uint32_t succ, n_succ; /* program.edges */
	uint32_t pred, n_pred;
	uint32_t decided, n_decided; /* program.deciders: blocks whose ends decide whether it is executed */
	bool exits;                  /* may be the last block of the function that is executed */
};

struct function {
	uint64_t addr;
	const char *name;
	uint32_t first, n; /* instructions */
	uint32_t block, n_blocks;
	uint32_t entry; /* block */
	bool may_stop;  /* a call of it may not return, as something in it ends the thread or process, or throws */
	bool may_throw; /* an exception may come out of it */
	bool taken;     /* its address is used as a value somewhere outside of the code */
};

/** A word of a function's frame that only its own instructions touch, each as a whole. */
struct word {
	int32_t at;
	uint32_t size; /* 4 or 8 */
};

struct program {
	struct image image;
	struct insn *insns;
	size_t n_insns, cap_insns;
	struct block *blocks;
	size_t n_blocks, cap_blocks;
	struct function *functions;
	size_t n_functions, cap_functions;
	uint32_t *edges;
	size_t n_edges, cap_edges;
	uint32_t *deciders;
	size_t n_deciders, cap_deciders;
	struct vtb_map64 starts; /* address -> function */
	struct word *words;      /* that are variables (close/frame_words.c) */
	size_t n_words, cap_words;
	uint32_t *reads_word,
	    *writes_word;  /* instruction -> word, or NONE; NULL: it is not known yet which there are */
	const char *doubt; /* why nothing is to be concluded from all this; NULL: nothing speaks against it */
};

/** Find functions, instructions and blocks. 0 or a negative error. What is not understood: p->doubt. */
int program_discover(struct program *p);
/** Uses and definitions of one instruction, calls included. */
void program_effects(struct insn *i);
/** Where each memory operand lies in its function's frame, and the stack pointer at each instruction. */
int program_frames(struct program *p);
/** Which functions may not return; then block ends and edges are cut accordingly, and deciders found. Edges to where no
 * exception can come from are taken out. */
int program_control(struct program *p);
void program_fini(struct program *p);

/** May an exception come out of a call that is in the tables? Of functions of this file it is not known yet. */
static inline bool insn_may_unwind(const struct insn *i)
{
	return !i->external || i->external->does & (DOES_ANYTHING | DOES_THROW | DOES_END);
}

/** The edge between two blocks is one that exceptions take, or one that they do not; it may be both. */
static inline bool block_lands(const struct program *p, uint32_t from, uint32_t to)
{
	const struct insn *last = &p->insns[p->blocks[from].first + p->blocks[from].n - 1];

	const struct insn *first = &p->insns[p->blocks[to].first];

	return last->landing && (last->again ? first->returned : first->addr == last->landing);
}

static inline bool block_falls(const struct program *p, uint32_t from, uint32_t to)
{
	const struct insn *last = &p->insns[p->blocks[from].first + p->blocks[from].n - 1];

	return !block_lands(p, from, to) || p->insns[p->blocks[to].first].addr == last->addr + last->size;
}

static inline bool insn_is_call(const struct insn *i)
{
	return i->flow == FLOW_CALL || i->flow == FLOW_TAIL;
}

#endif /* SLICE_COMPILED_H */
