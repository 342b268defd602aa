/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

void tables_fini(struct tables *t)
{
	for (size_t i = 0; i < t->n_items; i++)
		free(t->items[i].vars);
	free(t->items);
	vtb_map64_fini(&t->known);
	*t = (struct tables){ 0 };
}

/* It has n elements at least, or none. */
static const struct table *reach(struct tables *t, struct table *x, uint64_t n)
{
	const uint64_t more = (n - x->n) * sizeof(*x->vars);
	uint32_t *vars;

	if (more > TABLES_BYTES - t->bytes)
		return NULL;
	vars = calloc(n, sizeof(*vars)); /* pages that nobody touches cost nothing */
	if (!vars)
		return NULL;
	if (x->n)
		memcpy(vars, x->vars, x->n * sizeof(*vars));
	free(x->vars);
	x->vars = vars;
	x->n = n;
	t->bytes += more;
	return x;
}

const struct table *tables_of(struct tables *t, uint32_t object, unsigned size_log2, uint64_t bytes)
{
	const uint64_t n = bytes >> size_log2;
	const uint64_t *at;
	struct table *x;

	if (vtb_array_room(t, items) < 0)
		return NULL;
	at = vtb_map64_put(&t->known, (uint64_t)object << 3 | size_log2, t->n_items);
	if (!at)
		return NULL;
	if (*at == t->n_items)
		t->items[t->n_items++] = (struct table){ 0 };
	x = &t->items[*at];
	return x->n >= n ? x : reach(t, x, n);
}
