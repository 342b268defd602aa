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

static bool before(const struct vtb_heap_row *a, const struct vtb_heap_row *b)
{
	return a->key != b->key ? a->key < b->key : a->number < b->number;
}

int vtb_heap_push(struct vtb_heap *h, uint64_t key, uint32_t item)
{
	const struct vtb_heap_row row = { key, h->added, item };
	size_t i;

	if (vtb_array_room(h, rows) < 0)
		return -ENOMEM;
	h->added++;
	for (i = h->n_rows++; i > 0 && before(&row, &h->rows[(i - 1) / 2]); i = (i - 1) / 2)
		h->rows[i] = h->rows[(i - 1) / 2];
	h->rows[i] = row;
	return 0;
}

uint32_t vtb_heap_pop(struct vtb_heap *h)
{
	const uint32_t item = h->rows[0].item;
	const struct vtb_heap_row last = h->rows[--h->n_rows];
	size_t i = 0;

	for (size_t child = 1; child < h->n_rows; child = 2 * i + 1) {
		if (child + 1 < h->n_rows && before(&h->rows[child + 1], &h->rows[child]))
			child++;
		if (!before(&h->rows[child], &last))
			break;
		h->rows[i] = h->rows[child];
		i = child;
	}
	if (h->n_rows)
		h->rows[i] = last;
	return item;
}
