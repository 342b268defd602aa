/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file class_print.h
 * The class of a run (docs/algorithms.md, "Orders and classes") as a fingerprint of 128 bits, from its records: two
 * runs of one server have equal ones only if their classes are equal.
 *
 *   fingerprint = sum over the operations of  hash(thread, number, kind, deviation, sum of the writes it came after)
 *
 * where an operation comes after the last write of each byte and object that it touches. So writes of one place are
 * told in their order, and each read between two of them, which is the whole order of dependent operations [TRACES87];
 * a sum does not depend on the order of its terms. What touches what is told as vtb_mazurkiewicz_feed()
 * tells it, by bytes and by objects, or as if more met: then one class has several fingerprints, and none is shared.
 *
 * Shape:     everything lies in one piece of memory that the caller has made, all zeros, and that is not rolled back.
 * Threads:   by their place in the tree of creation, not by slot: numbers for places are given out as they are met, so
 *            fingerprints can be compared as long as the memory is the same.
 * Cost:      about 10 ns an operation.
 */
#ifndef VTB_RT_CLASS_PRINT_H
#define VTB_RT_CLASS_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"
#include "vtb/wire.h"

#define VTB_PRINT_CELLS (1u << 16) /* of one run: pieces of 8 bytes and objects; a longer run has no fingerprint */
#define VTB_PRINT_SLOTS 1024u      /* threads of one run, likewise */
#define VTB_PRINT_PLACES 4096u     /* of threads, of all runs; a power of two */
#define VTB_PRINT_OWN 12u          /* cells of one operation */
#define VTB_PRINT_RANGES 64u       /* of one run: larger than 64 bytes */

struct vtb_print_cell {
	uint64_t key;                /* granule or object */
	struct vtb_state_hash write; /* the last one; 0: none */
	uint32_t next;               /* of the same key; 0: the last one */
	uint32_t bytes;              /* bit mask: which of the granule; objects: 1 */
};

struct vtb_print_head {
	uint64_t key;
	uint32_t run;  /* of another run: nothing */
	uint32_t cell; /* first */
};

struct vtb_print_range {
	uint64_t lo, hi; /* [lo, hi) */
	uint32_t cell;
};

struct vtb_print_slot {
	uint32_t run; /* of another run: no thread */
	uint32_t place, ops;
};

struct vtb_class_print {
	const struct vtb_wire_site *sites;
	uint64_t n_sites;
	uint32_t run, bits; /* heads in use: 1 << bits */
	uint32_t n_cells, n_ranges, n_places;
	uint32_t most_cells;                /* of all runs */
	bool grown;                         /* the last run was the first to write to some of the memory */
	uint32_t slot;                      /* whose records these are */
	uint64_t deviation;                 /* of the next operation */
	uint32_t own[VTB_PRINT_OWN], n_own; /* cells in which the operation leaves its mark */
	struct vtb_state_hash sum, past;    /* of the run; what the operation comes after */
	struct vtb_print_slot slots[VTB_PRINT_SLOTS];
	uint64_t places[VTB_PRINT_PLACES]; /* place of the parent << 32 | its nth child, + 1 */
	struct vtb_print_range ranges[VTB_PRINT_RANGES];
	struct vtb_print_head heads[2 * VTB_PRINT_CELLS];
	struct vtb_print_cell cells[VTB_PRINT_CELLS + 1]; /* the first one is nobody's */
};

/** The fingerprint of the run with these records (those of a slot, in control mode). False: there is none, since the
 *  run is too large or some record is of no known kind. O(records). */
bool vtb_class_print(struct vtb_class_print *p, const uint64_t *words, size_t n, struct vtb_state_hash *ret);

#endif /* VTB_RT_CLASS_PRINT_H */
