/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "racy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define GRANULE 4u

void vtb_racy_fini(struct vtb_racy *r)
{
	vtb_syncorder_free(r->order);
	vtb_map64_fini(&r->places);
	free(r->seen);
	free(r->read);
	*r = (struct vtb_racy){ 0 };
}

/* Rows become longer: nothing of this run stands in them yet. */
static int widen(struct vtb_racy *r, uint32_t threads)
{
	r->n_read = 0;
	r->threads = threads;
	return vtb_array_extend(r, read, r->n_seen * threads, 0);
}

int vtb_racy_begin(struct vtb_racy *r, uint32_t threads)
{
	r->run++;
	vtb_syncorder_free(r->order);
	r->order = NULL;
	if (threads > r->threads && widen(r, threads) < 0)
		return -ENOMEM;
	return vtb_syncorder_new(NULL, 0, &r->order);
}

static bool unknown(const struct vtb_racy *r, uint32_t thread, uint32_t other, uint32_t number)
{
	return number && other != thread && vtb_syncorder_knows(r->order, thread, other) < number;
}

static bool races(const struct vtb_racy *r, size_t place, uint32_t thread, bool changes)
{
	const struct vtb_racy_place *p = &r->seen[place];
	bool any = unknown(r, thread, p->writer, p->number);

	for (uint32_t other = 0; changes && !any && other < r->threads; other++)
		any = unknown(r, thread, other, r->read[place * r->threads + other]);
	return any;
}

static int touch(struct vtb_racy *r, uint64_t granule, uint32_t thread, bool changes)
{
	const uint32_t number = vtb_syncorder_count(r->order, thread) + 1;
	uint64_t *at = vtb_map64_put(&r->places, granule, r->n_seen);
	struct vtb_racy_place *p;
	size_t place;

	if (!at)
		return -ENOMEM;
	place = (size_t)*at;
	if (vtb_array_extend(r, seen, place + 1, (struct vtb_racy_place){ 0 }) < 0 ||
	    vtb_array_extend(r, read, (place + 1) * r->threads, 0) < 0)
		return -ENOMEM;
	p = &r->seen[place];
	if (p->racy)
		return 0;
	if (p->run != r->run) {
		p->run = r->run;
		p->number = 0;
		memset(r->read + place * r->threads, 0, r->threads * sizeof(*r->read));
	}
	p->racy = races(r, place, thread, changes);
	r->grown += p->racy;
	if (changes) {
		p->writer = thread;
		p->number = number;
	} else {
		r->read[place * r->threads + thread] = number;
	}
	return 0;
}

static uint64_t end_of(const struct vtb_event *e)
{
	return e->addr + (e->size ? e->size : 1);
}

int vtb_racy_feed(struct vtb_racy *r, const struct vtb_event *e, bool touches)
{
	int ret = 0;

	for (uint64_t g = e->addr / GRANULE; touches && ret >= 0 && g * GRANULE < end_of(e); g++)
		ret = touch(r, g, e->thread, vtb_event_is(e, VTB_EV_WRITES));
	if (ret >= 0)
		ret = vtb_syncorder_feed(r->order, e);
	return ret < 0 ? ret : 0;
}

bool vtb_racy_touches(const struct vtb_racy *r, const struct vtb_event *e)
{
	uint64_t at;

	for (uint64_t g = e->addr / GRANULE; g * GRANULE < end_of(e); g++)
		if (vtb_map64_get(&r->places, g, &at) && r->seen[at].racy)
			return true;
	return false;
}
