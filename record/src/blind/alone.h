/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file alone.h
 * Accesses of which no hook can have told: are they as inline assembler makes them? Moves that both read and write
 * variables of one size, for that is how threads meet. What compilers leave out are copies, whose pieces are stored as
 * they were loaded and stand side by side, and constants, of text above all. Ownership: lists are the owner's until
 * alone_fini().
 */
#ifndef VTB_BLIND_ALONE_H
#define VTB_BLIND_ALONE_H

#include "function.h"

struct alones {
	struct alone {
		struct blind_value at;
		uint64_t insn;
		uint64_t from; /* the instruction that has loaded what it stores; 0: none */
		uint8_t size;
		bool reads, writes;
		bool moves; /* it is such a move, as far as it shows */
		bool text;  /* it writes what may be text */
		bool given; /* to the place that a caller gives for a result (given.h) */
	} * items;
	size_t n_items, cap_items;
	struct alone_use {
		uint64_t insn; /* what it has loaded is */
		enum { ALONE_STORED, ALONE_STORED_AND_TOLD, ALONE_TESTED } how;
	} * uses;
	size_t n_uses, cap_uses;
};

void alone_fini(struct alones *l);
/** One more, by this instruction, which touches one place. 0 or -ENOMEM. */
int alone_add(struct alones *l, const struct blind_function *f, const struct blind_insn *in, struct blind_value at,
              bool given);
/** Any instruction of the function. 0 or -ENOMEM. */
int alone_see(struct alones *l, struct blind_function *f, const struct blind_insn *in);
/** Which of a function's are such moves, as a set for alone_meet(). `given`: also those to a place that was given. */
uint32_t alone_moves(const struct alones *l, bool given);
/** Is there one that reads among these, and one of the same size that writes? */
bool alone_meet(uint32_t moves);

#endif /* VTB_BLIND_ALONE_H */
