/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of frames that only their function's own instructions touch: these have definitions like registers. */
#include <errno.h>
#include <stdlib.h>

#include "closure.h"
#include "vtb/array.h"

static int by_place(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->function != y->function)
		return (x->function > y->function) - (x->function < y->function);
	return x->lo != y->lo ? (x->lo > y->lo) - (x->lo < y->lo) : (x->hi > y->hi) - (x->hi < y->hi);
}

static int collect(struct closure *c)
{
	struct solve *s = c->s;
	struct touch t[TOUCHES];

	for (uint32_t i = 0; i < s->p->n_insns; i++) {
		const int n = solve_touches(s, i, t);

		for (int k = 0; k < n; k++) {
			if (!t[k].sure || t[k].frame >= 0)
				continue;
			if (vtb_array_room(c, slots) < 0)
				return -ENOMEM;
			c->slots[c->n_slots++] = (struct slot){ s->p->blocks[s->p->insns[i].block].function, t[k].frame,
				                                t[k].frame + (int32_t)t[k].size, false };
		}
	}
	return 0;
}

/* Accesses that overlap share a word. */
static void merge(struct closure *c)
{
	size_t n = 0;

	if (c->n_slots)
		qsort(c->slots, c->n_slots, sizeof(*c->slots), by_place);
	for (size_t i = 0; i < c->n_slots; i++) {
		struct slot *last = n ? &c->slots[n - 1] : NULL;

		if (last && last->function == c->slots[i].function && c->slots[i].lo < last->hi)
			last->hi = c->slots[i].hi > last->hi ? c->slots[i].hi : last->hi;
		else
			c->slots[n++] = c->slots[i];
	}
	c->n_slots = n;
}

static void index_functions(struct closure *c)
{
	size_t k = 0;

	for (uint32_t f = 0; f <= c->s->p->n_functions; f++) {
		while (k < c->n_slots && c->slots[k].function < f)
			k++;
		c->first_slot[f] = (uint32_t)k;
	}
}

static void expose(struct closure *c, uint32_t f, int64_t lo, int64_t hi)
{
	for (uint32_t k = c->first_slot[f]; k < c->first_slot[f + 1]; k++)
		if (c->slots[k].lo < hi && lo < c->slots[k].hi)
			c->slots[k].exposed = true;
}

static void expose_touch(struct closure *c, const struct touch *t)
{
	struct place places[PLACES];
	const int n = regions_places(&c->s->regions, t->address, t->size, places);

	for (int k = 0; k < n; k++) {
		const uint64_t id = c->s->regions.rows[places[k].region].id;

		if (id >> 32 == REGION_FRAME)
			expose(c, (uint32_t)id, places[k].lo, places[k].hi);
	}
}

static void expose_all(struct closure *c)
{
	struct solve *s = c->s;
	struct touch t[TOUCHES];

	for (uint32_t i = 0; i < s->p->n_insns; i++) {
		const int n = solve_touches(s, i, t);

		for (int k = 0; k < n; k++)
			if (!t[k].sure)
				expose_touch(c, &t[k]);
	}
	for (size_t r = 0; r < s->regions.n_rows; r++)
		if (s->regions.rows[r].lost && s->regions.rows[r].id >> 32 == REGION_FRAME)
			expose(c, (uint32_t)s->regions.rows[r].id, -VALUE_INF, VALUE_INF);
}

uint32_t slots_at(const struct closure *c, uint32_t f, int32_t lo, int32_t hi)
{
	uint32_t from = c->first_slot[f], to = c->first_slot[f + 1];

	while (from < to) {
		const uint32_t mid = from + (to - from) / 2;

		if (c->slots[mid].hi <= lo)
			from = mid + 1;
		else
			to = mid;
	}
	if (from == c->first_slot[f + 1] || c->slots[from].lo > lo || c->slots[from].hi < hi || c->slots[from].exposed)
		return NONE;
	return from;
}

static void assign(struct closure *c)
{
	struct solve *s = c->s;
	struct touch t[TOUCHES];

	for (uint32_t i = 0; i < s->p->n_insns; i++) {
		const int n = solve_touches(s, i, t);

		c->reads_slot[i] = c->writes_slot[i] = NONE;
		for (int k = 0; k < n; k++) {
			const int32_t hi = t[k].frame + (int32_t)t[k].size;
			const uint32_t slot =
			    !t[k].sure || t[k].frame >= 0
			        ? NONE
			        : slots_at(c, s->p->blocks[s->p->insns[i].block].function, t[k].frame, hi);

			if (slot == NONE)
				continue;
			if (t[k].reads)
				c->reads_slot[i] = slot;
			if (t[k].writes) {
				c->writes_slot[i] = slot;
				c->covers[i] = c->slots[slot].lo == t[k].frame && c->slots[slot].hi == hi;
			}
		}
	}
}

int slots_find(struct closure *c)
{
	const size_t n = c->s->p->n_insns + 1;

	c->first_slot = calloc(c->s->p->n_functions + 2, sizeof(*c->first_slot));
	c->reads_slot = malloc(n * sizeof(*c->reads_slot));
	c->writes_slot = malloc(n * sizeof(*c->writes_slot));
	c->covers = calloc(n, sizeof(*c->covers));
	if (!c->first_slot || !c->reads_slot || !c->writes_slot || !c->covers || collect(c) < 0)
		return -ENOMEM;
	merge(c);
	index_functions(c);
	c->first_slot[c->s->p->n_functions + 1] = (uint32_t)c->n_slots;
	expose_all(c);
	assign(c);
	return 0;
}

void slots_need(struct closure *c, uint32_t block, uint32_t end, uint32_t slot, uint32_t kinds, uint64_t why)
{
	for (uint32_t i = end; i-- > c->s->p->blocks[block].first;) {
		if (c->writes_slot[i] != slot)
			continue;
		closure_need(c, ITEM(ITEM_NODE, i), kinds, why);
		if (c->covers[i])
			return;
	}
	closure_need(c, ITEM(ITEM_SLOT, (uint64_t)block << 28 | slot), kinds, why);
}

void slots_enter(struct closure *c, uint32_t block, uint32_t slot, uint32_t kinds, uint64_t why)
{
	const struct block *b = &c->s->p->blocks[block];

	for (uint32_t k = 0; k < b->n_pred; k++) {
		const uint32_t pred = c->s->p->edges[b->pred + k];

		slots_need(c, pred, c->s->p->blocks[pred].first + c->s->p->blocks[pred].n, slot, kinds, why);
	}
}
