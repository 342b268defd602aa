/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file heap.h
 * A priority queue of numbers: lowest key first, equal keys in the order in which they were added.
 */
#ifndef VTB_HEAP_H
#define VTB_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vtb_heap_row {
	uint64_t key, number; /* number: count of additions */
	uint32_t item;
};

struct vtb_heap {
	struct vtb_heap_row *rows;
	size_t n_rows, cap_rows;
	uint64_t added;
};

void vtb_heap_fini(struct vtb_heap *h);
/** 0 or -ENOMEM. O(log n). */
int vtb_heap_push(struct vtb_heap *h, uint64_t key, uint32_t item);
/** The lowest; the heap must not be empty. O(1). */
static inline const struct vtb_heap_row *vtb_heap_top(const struct vtb_heap *h)
{
	return &h->rows[0];
}
/** Remove the lowest and return its item; the heap must not be empty. O(log n). */
uint32_t vtb_heap_pop(struct vtb_heap *h);

#endif /* VTB_HEAP_H */
