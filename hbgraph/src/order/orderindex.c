/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions about pairs of events. The answer for an event of t is the last entry at or before it (orderfacts.h). */
#include <stdlib.h>

#include "vtb/map64.h"

#include <errno.h>

#include "orderfacts.h"
#include "vtb/array.h"

struct fact {
	uint32_t at;    /* number of the event of t */
	uint32_t known; /* events of s known from there on */
};

struct facts {
	struct fact *items;
	size_t n_items, cap_items;
};

struct orderfacts {
	struct vtb_syncorder *so;
	struct vtb_map64 by_pair;
	struct facts *lists;
	size_t n_lists, cap_lists;
};

struct vtb_orderindex {
	const struct vtb_trace *trace;
	uint32_t *number; /* of each event in its thread, from 1 */
	struct orderfacts *facts;
};

static uint64_t pair(uint32_t thread, uint32_t other)
{
	return (uint64_t)thread << 32 | other;
}

static int remember(struct orderfacts *f, uint32_t thread, uint32_t other, struct fact fact)
{
	const uint32_t fresh = (uint32_t)f->n_lists;
	uint64_t *at = vtb_map64_put(&f->by_pair, pair(thread, other), fresh);
	struct facts *list;

	if (!at)
		return -ENOMEM;
	if (*at == fresh) {
		if (vtb_array_room(f, lists) < 0)
			return -ENOMEM;
		f->lists[f->n_lists++] = (struct facts){ 0 };
	}
	list = &f->lists[*at];
	if (list->n_items && list->items[list->n_items - 1].known == fact.known)
		return 0;
	if (vtb_array_room(list, items) < 0)
		return -ENOMEM;
	list->items[list->n_items++] = fact;
	return 0;
}

static int remember_clock(struct orderfacts *f, uint32_t thread)
{
	const struct vtb_vclock *clock = vtb_syncorder_clock(f->so, thread);
	const uint32_t at = vtb_syncorder_count(f->so, thread);

	for (uint32_t other = 0; other < clock->len; other++)
		if (other != thread && clock->count[other])
			if (remember(f, thread, other, (struct fact){ at, (uint32_t)clock->count[other] }) < 0)
				return -ENOMEM;
	return 0;
}

int orderfacts_new(const struct vtb_symtab *tab, uint32_t flags, struct orderfacts **ret)
{
	struct orderfacts *f = calloc(1, sizeof(*f));
	int r = f ? vtb_syncorder_new(tab, flags, &f->so) : -ENOMEM;

	if (r < 0)
		free(f);
	else
		*ret = f;
	return r;
}

void orderfacts_free(struct orderfacts *f)
{
	if (!f)
		return;
	vtb_syncorder_free(f->so);
	for (size_t i = 0; i < f->n_lists; i++)
		free(f->lists[i].items);
	free(f->lists);
	vtb_map64_fini(&f->by_pair);
	free(f);
}

int64_t orderfacts_feed(struct orderfacts *f, const struct vtb_event *e)
{
	int r = vtb_syncorder_feed(f->so, e);

	if (r > 0)
		r = remember_clock(f, e->thread);
	return r < 0 ? r : (int64_t)vtb_syncorder_count(f->so, e->thread);
}

/* How many events of `other` are before event number `at` of `thread`. */
static uint32_t known_at(const struct orderfacts *f, uint32_t thread, uint32_t other, uint32_t at)
{
	const uint64_t *list_at = vtb_map64_at(&f->by_pair, pair(thread, other));
	const struct facts *list = list_at ? &f->lists[*list_at] : NULL;
	size_t low = 0, high = list ? list->n_items : 0;

	while (low < high) { /* first entry after the event */
		const size_t middle = (low + high) / 2;

		if (list->items[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? list->items[low - 1].known : 0;
}

bool orderfacts_before(const struct orderfacts *f, uint32_t s, uint32_t a, uint32_t t, uint32_t b)
{
	return known_at(f, t, s, b) >= a;
}

/* ---- of a whole trace */

static int fill(struct vtb_orderindex *index)
{
	for (size_t i = 0; i < index->trace->n_events; i++) {
		const int64_t number = orderfacts_feed(index->facts, &index->trace->events[i]);

		if (number < 0)
			return (int)number;
		index->number[i] = (uint32_t)number;
	}
	return 0;
}

int vtb_orderindex_new(const struct vtb_trace *trace, uint32_t flags, struct vtb_orderindex **ret)
{
	struct vtb_orderindex *index = calloc(1, sizeof(*index));
	int r = -ENOMEM;

	if (!index)
		return -ENOMEM;
	index->trace = trace;
	index->number = malloc((trace->n_events + 1) * sizeof(*index->number));
	if (index->number)
		r = orderfacts_new(&trace->tab, flags, &index->facts);
	if (r >= 0)
		r = fill(index);
	if (r < 0) {
		vtb_orderindex_free(index);
		return r;
	}
	*ret = index;
	return 0;
}

void vtb_orderindex_free(struct vtb_orderindex *index)
{
	if (!index)
		return;
	orderfacts_free(index->facts);
	free(index->number);
	free(index);
}

static bool happens_before(const struct vtb_orderindex *index, size_t a, size_t b)
{
	const struct vtb_event *events = index->trace->events;

	return orderfacts_before(index->facts, events[a].thread, index->number[a], events[b].thread, index->number[b]);
}

enum vtb_order vtb_orderindex_compare(const struct vtb_orderindex *index, size_t a, size_t b)
{
	const struct vtb_event *events = index->trace->events;

	if (a == b)
		return VTB_EQUAL;
	if (events[a].thread == events[b].thread)
		return a < b ? VTB_BEFORE : VTB_AFTER;
	if (happens_before(index, a, b))
		return VTB_BEFORE;
	return happens_before(index, b, a) ? VTB_AFTER : VTB_CONCURRENT;
}
