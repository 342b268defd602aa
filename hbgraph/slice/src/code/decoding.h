/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file decoding.h  One function while it is decoded, and the jumps through tables in it. */
#ifndef SLICE_DECODING_H
#define SLICE_DECODING_H

#include "compiled.h"

/* One function while it is decoded. */
struct decoding {
	struct program *p;
	struct vtb_disasm *d;
	uint64_t begin, end; /* of its symbol */
	uint64_t start;
	uint64_t *todo;
	size_t n_todo, cap_todo;
	struct vtb_map64 seen;  /* address -> instruction */
	struct vtb_map64 whole; /* addresses of all instructions of its symbol, one after the other */
	uint64_t *ways;         /* pairs: jump, where it may go */
	size_t n_ways, cap_ways;
};

/** Find where a jump through a table may go: x->ways and x->todo get it. How many ways; 0: it is no such jump; -ENOMEM.
 */
int decoding_ways(struct decoding *x, const struct insn *jump);

#endif /* SLICE_DECODING_H */
