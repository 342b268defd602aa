/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "heap.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

void vtb_heap_fini(struct vtb_heap *h)
{
	free(h->rows);
	*h = (struct vtb_heap){ 0 };
}

__extension__ typedef unsigned __int128 rank;

/* As one number, so that no branch has to be guessed: what comes next is as good as random. */
static inline rank rank_of(const struct vtb_heap_row *row)
{
	return (rank)row->key << 64 | row->number;
}

#define WAYS 4u /* half the levels of two ways, and what is compared lies together */

int vtb_heap_push(struct vtb_heap *h, uint64_t key, uint32_t item)
{
	const struct vtb_heap_row row = { key, h->added, item };
	size_t i;

	if (vtb_array_room(h, rows) < 0)
		return -ENOMEM;
	h->added++;
	for (i = h->n_rows++; i > 0 && rank_of(&row) < rank_of(&h->rows[(i - 1) / WAYS]); i = (i - 1) / WAYS)
		h->rows[i] = h->rows[(i - 1) / WAYS];
	h->rows[i] = row;
	return 0;
}

/* The lowest of the rows [first, first + WAYS) that there are. */
static size_t lowest(const struct vtb_heap *h, size_t first)
{
	const size_t end = first + WAYS < h->n_rows ? first + WAYS : h->n_rows;
	rank best = rank_of(&h->rows[first]);
	size_t at = first;

	for (size_t i = first + 1; i < end; i++) {
		const rank next = rank_of(&h->rows[i]);

		at = next < best ? i : at;
		best = next < best ? next : best;
	}
	return at;
}

uint32_t vtb_heap_pop(struct vtb_heap *h)
{
	const uint32_t item = h->rows[0].item;
	const struct vtb_heap_row last = h->rows[--h->n_rows];
	size_t i = 0;

	for (size_t first = 1; first < h->n_rows; first = WAYS * i + 1) {
		const size_t child = lowest(h, first);

		if (rank_of(&h->rows[child]) >= rank_of(&last))
			break;
		h->rows[i] = h->rows[child];
		i = child;
	}
	if (h->n_rows)
		h->rows[i] = last;
	return item;
}
