/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions about pairs of events. For each pair of threads (t, s), in the order of t's events: when t learned of more of
 * s's events, and of how many. The answer for an event of t is the last entry at or before it.
 */
#include <stdlib.h>

#include "map.h"
#include "vtb/array.h"
#include "vtb/syncorder.h"

struct fact {
	uint32_t at;    /* number of the event of t */
	uint32_t known; /* events of s known from there on */
};

struct facts {
	struct fact *items;
	size_t n_items, cap_items;
};

struct vtb_orderindex {
	const struct vtb_trace *trace;
	uint32_t *number; /* of each event in its thread, from 1 */
	struct map by_pair;
	struct facts *lists;
	size_t n_lists, cap_lists;
};

static uint64_t pair(uint32_t thread, uint32_t other)
{
	return (uint64_t)thread << 32 | other;
}

static int remember(struct vtb_orderindex *index, uint32_t thread, uint32_t other, struct fact fact)
{
	const uint32_t fresh = (uint32_t)index->n_lists;
	uint32_t *at = map_put(&index->by_pair, pair(thread, other), fresh);
	struct facts *list;

	if (!at)
		return -ENOMEM;
	if (*at == fresh) {
		if (vtb_array_room(index, lists) < 0)
			return -ENOMEM;
		index->lists[index->n_lists++] = (struct facts){ 0 };
	}
	list = &index->lists[*at];
	if (list->n_items && list->items[list->n_items - 1].known == fact.known)
		return 0;
	if (vtb_array_room(list, items) < 0)
		return -ENOMEM;
	list->items[list->n_items++] = fact;
	return 0;
}

static int remember_clock(struct vtb_orderindex *index, const struct vtb_syncorder *so, uint32_t thread)
{
	const struct vtb_vclock *clock = vtb_syncorder_clock(so, thread);
	const uint32_t at = vtb_syncorder_count(so, thread);

	for (uint32_t other = 0; other < clock->len; other++)
		if (other != thread && clock->count[other])
			if (remember(index, thread, other, (struct fact){ at, (uint32_t)clock->count[other] }) < 0)
				return -ENOMEM;
	return 0;
}

static int fill(struct vtb_orderindex *index, struct vtb_syncorder *so)
{
	for (size_t i = 0; i < index->trace->n_events; i++) {
		const struct vtb_event *e = &index->trace->events[i];
		int r = vtb_syncorder_feed(so, e);

		if (r > 0)
			r = remember_clock(index, so, e->thread);
		if (r < 0)
			return r;
		index->number[i] = vtb_syncorder_count(so, e->thread);
	}
	return 0;
}

int vtb_orderindex_new(const struct vtb_trace *trace, uint32_t flags, struct vtb_orderindex **ret)
{
	struct vtb_orderindex *index = calloc(1, sizeof(*index));
	struct vtb_syncorder *so = NULL;
	int r = -ENOMEM;

	if (!index)
		return -ENOMEM;
	index->trace = trace;
	index->number = malloc((trace->n_events + 1) * sizeof(*index->number));
	if (index->number)
		r = vtb_syncorder_new(&trace->tab, flags, &so);
	if (r >= 0)
		r = fill(index, so);
	vtb_syncorder_free(so);
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
	for (size_t i = 0; i < index->n_lists; i++)
		free(index->lists[i].items);
	free(index->lists);
	free(index->number);
	map_fini(&index->by_pair);
	free(index);
}

/* How many events of `other` are before event number `at` of `thread`. */
static uint32_t known_at(const struct vtb_orderindex *index, uint32_t thread, uint32_t other, uint32_t at)
{
	const uint32_t *list_at = map_get(&index->by_pair, pair(thread, other));
	const struct facts *list = list_at ? &index->lists[*list_at] : NULL;
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

static bool happens_before(const struct vtb_orderindex *index, size_t a, size_t b)
{
	const uint32_t s = index->trace->events[a].thread, t = index->trace->events[b].thread;

	return known_at(index, t, s, index->number[b]) >= index->number[a];
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
