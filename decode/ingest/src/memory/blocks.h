/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file blocks.h
 * What lies where during one run: heap blocks and stack frames that other threads look into, as ranges that do not
 * overlap. A treap by address: insertion removes whatever it overlaps (the dead block whose memory was handed out
 * again).
 *
 * Shape:     blocks by index in one array; a block that gave way keeps its index and stays out of the tree. One that is
 *            what had this index in the run before keeps its generation and its object: what was found out of it holds.
 * Cost:      O(log n) expected; the range looked up last is tried first.
 * Source:    [TREAPS96].
 */
#ifndef VTB_DECODE_BLOCKS_H
#define VTB_DECODE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_BLOCK UINT32_MAX

enum block_kind { BLOCK_HEAP, BLOCK_FRAME };

struct block {
	uint64_t lo, hi;                /* [lo, hi) */
	uint32_t left, right, priority; /* private: beside the bounds, by which one goes down the tree */
	uint64_t generation; /* of what lies here; nothing else ever has it, not even in another run. 0: it gave way */
	enum block_kind kind;
	bool dead;            /* HEAP: given back, not yet handed out again */
	uint32_t thread;      /* HEAP: who allocated; FRAME: whose stack (thread ids) */
	uint32_t object;      /* id, or VTB_NONE until it has been asked for */
	uint32_t type;        /* HEAP: index of the allocation type; FRAME: site of the function */
	uint32_t count;       /* HEAP: previous blocks of that type by that thread; FRAME: previous activations */
	uint64_t pc, sp, cfa; /* FRAME: runtime pc; cfa 0 unknown */
	uint64_t born;        /* private: the generation as long as it has not given way */
};

struct blocks {
	struct block *items;
	size_t n_items, cap_items;
	size_t n_before; /* items of this run or, behind these, of one before */
	uint32_t root, last;
	uint64_t generation; /* the last one given out */
	uint32_t seed;
};

void blocks_init(struct blocks *b);
void blocks_fini(struct blocks *b);
/** Another run begins: none of them is there. O(1). */
void blocks_clear(struct blocks *b);
/** Enter [lo, hi) with the other members as in *x, but for generation and, of what was there in the run before, object;
 * at least one byte long. Returns its index, or -ENOMEM. */
int64_t blocks_add(struct blocks *b, const struct block *x);
/** The block that holds addr, dead or alive; NULL none. Valid until the next blocks_add(). */
struct block *blocks_at(struct blocks *b, uint64_t addr);

#endif /* VTB_DECODE_BLOCKS_H */
