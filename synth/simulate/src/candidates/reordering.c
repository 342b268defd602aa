/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reordering.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define LOOK_BACK 64u /* accesses between two of one thread that are looked at */
#define UNRECORDED UINT32_MAX

static uint32_t count_threads(const struct vtb_event *events, size_t n)
{
	uint32_t threads = 0;

	for (size_t i = 0; i < n; i++)
		if (events[i].thread >= threads)
			threads = events[i].thread + 1u;
	return threads;
}

static void number_operations(struct vtb_reference *ref, const struct vtb_event *events, size_t n)
{
	uint32_t place = 0;

	for (size_t i = 0; i < n; i++)
		if (vtb_event_is_operation(&events[i]))
			ref->first[events[i].thread + 1]++;
	for (uint32_t t = 0; t < ref->n_threads; t++)
		ref->first[t + 1] += ref->first[t];
	for (size_t i = 0; i < n; i++)
		if (vtb_event_is_operation(&events[i]))
			ref->place[ref->first[events[i].thread] + ref->done[events[i].thread]++] = place++;
}

int vtb_reference_init(struct vtb_reference *ref, const struct vtb_event *events, size_t n, size_t n_vars)
{
	*ref = (struct vtb_reference){ .n_threads = count_threads(events, n), .n_vars = n_vars };
	ref->first = calloc((size_t)ref->n_threads + 2, sizeof(*ref->first));
	ref->place = calloc(n + 1, sizeof(*ref->place));
	ref->latest = calloc(n_vars + 1, sizeof(*ref->latest));
	ref->run = calloc(n_vars + 1, sizeof(*ref->run));
	ref->done = calloc((size_t)ref->n_threads + 1, sizeof(*ref->done));
	ref->moved = calloc(ref->n_threads / 64 + 1u, sizeof(*ref->moved));
	if (!ref->first || !ref->place || !ref->latest || !ref->run || !ref->done || !ref->moved) {
		vtb_reference_fini(ref);
		return -ENOMEM;
	}
	number_operations(ref, events, n);
	return 0;
}

void vtb_reference_fini(struct vtb_reference *ref)
{
	free(ref->first);
	free(ref->place);
	free(ref->latest);
	free(ref->run);
	free(ref->before);
	free(ref->at);
	free(ref->done);
	free(ref->moved);
	*ref = (struct vtb_reference){ 0 };
}

static int make_room(struct vtb_reference *ref, size_t n)
{
	void *before = ref->before, *at = ref->at;
	int r = n > ref->cap_before ? vtb_array_reserve(&before, &ref->cap_before, n, sizeof(*ref->before)) : 0;

	ref->before = before;
	if (r >= 0 && n > ref->cap_at)
		r = vtb_array_reserve(&at, &ref->cap_at, n, sizeof(*ref->at));
	ref->at = at;
	return r;
}

static void start_run(struct vtb_reference *ref)
{
	ref->runs++;
	if (ref->passed)
		memcpy(ref->done, ref->passed, ref->n_threads * sizeof(*ref->done));
	else
		memset(ref->done, 0, ref->n_threads * sizeof(*ref->done));
	memset(ref->moved, 0, (ref->n_threads / 64 + 1u) * sizeof(*ref->moved));
}

static bool is_access(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	if (!info || !(info->flags & (VTB_EV_READS | VTB_EV_WRITES)))
		return false;
	return info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC ||
	       info->family == VTB_FAMILY_HEAP || info->family == VTB_FAMILY_IO;
}

static bool writes(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_WRITES);
}

/* Between two accesses a, c of one thread, b of another: does no serial order have the same effect? */
static bool unserialisable(const struct vtb_event *a, const struct vtb_event *b, const struct vtb_event *c)
{
	if (writes(b))
		return !(writes(a) && writes(c)); /* R-W-R, W-W-R, R-W-W; after W-W-W the last one wins either way */
	return writes(a) && writes(c);            /* W-R-W */
}

static void mark_moved(struct vtb_reference *ref, uint32_t thread)
{
	if (thread < ref->n_threads)
		ref->moved[thread / 64] |= 1ull << thread % 64;
}

static void note(struct vtb_reference *ref, const struct vtb_exec *x, struct vtb_reordering *ret, bool intrusion,
                 size_t first, size_t middle, size_t last)
{
	if (ref->counts && !(ref->counts(ref->data, &x->events[first]) && ref->counts(ref->data, &x->events[middle])))
		return;
	mark_moved(ref, x->events[first].thread);
	mark_moved(ref, x->events[middle].thread);
	if (intrusion ? ret->intrusions++ == 0 : ret->flips++ == 0 && !ret->intrusions) {
		ret->first = first;
		ret->middle = middle;
		ret->last = last;
	}
}

/* The accesses to the variable of event i since its thread's last one. */
static void look_back(struct vtb_reference *ref, const struct vtb_exec *x, size_t i, struct vtb_reordering *ret)
{
	const uint32_t thread = x->events[i].thread;
	uint32_t j = ref->before[i], steps = 0;

	while (j && x->events[j - 1].thread != thread && steps++ < LOOK_BACK)
		j = ref->before[j - 1];
	if (!j || x->events[j - 1].thread != thread)
		return;
	for (uint32_t k = ref->before[i]; k != j; k = ref->before[k - 1]) {
		const uint32_t place = ref->at[k - 1];

		if (!unserialisable(&x->events[j - 1], &x->events[k - 1], &x->events[i]))
			continue;
		if (place != UNRECORDED && place > ref->at[j - 1] && place < ref->at[i])
			continue; /* it came in between when it was recorded, too */
		note(ref, x, ret, true, j - 1, k - 1, i);
	}
}

/* Of an access, in a run that was looked at up to there. */
static bool is_reordered(const struct vtb_reference *ref, const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *e = &x->events[i], *p;

	if (!ref->before[i])
		return false;
	p = &x->events[ref->before[i] - 1];
	return p->thread != e->thread && (writes(p) || writes(e)) && ref->at[ref->before[i] - 1] > ref->at[i];
}

size_t vtb_reordered_before(const struct vtb_reference *ref, const struct vtb_exec *x, size_t i, size_t *ret,
                            size_t max)
{
	const struct vtb_event *e = &x->events[i];
	size_t n = 0;
	uint32_t steps = 0;

	if (e->var >= ref->n_vars || !is_access(e) || ref->at[i] == UNRECORDED)
		return 0;
	for (uint32_t j = ref->before[i]; j && n < max && steps++ < LOOK_BACK; j = ref->before[j - 1]) {
		const struct vtb_event *p = &x->events[j - 1];

		if (p->thread != e->thread && (writes(p) || writes(e)) && ref->at[j - 1] != UNRECORDED &&
		    ref->at[j - 1] > ref->at[i])
			ret[n++] = j - 1;
		if (writes(p))
			break;
	}
	return n;
}

static void look_at_neighbour(struct vtb_reference *ref, const struct vtb_exec *x, size_t i, struct vtb_reordering *ret)
{
	if (is_reordered(ref, x, i))
		note(ref, x, ret, false, ref->before[i] - 1, i, x->n_events);
}

static uint32_t recorded_place(const struct vtb_reference *ref, const struct vtb_event *e)
{
	uint32_t row;

	if (e->thread >= ref->n_threads)
		return UNRECORDED;
	row = ref->first[e->thread] + ref->done[e->thread];
	return row < ref->first[e->thread + 1] ? ref->place[row] : UNRECORDED;
}

static void link_access(struct vtb_reference *ref, uint32_t var, size_t i)
{
	ref->before[i] = ref->run[var] == ref->runs ? ref->latest[var] : 0;
	ref->latest[var] = (uint32_t)i + 1;
	ref->run[var] = ref->runs;
}

int vtb_reordering_of(struct vtb_reference *ref, const struct vtb_exec *x, struct vtb_reordering *ret)
{
	int r = make_room(ref, x->n_events + 1);

	*ret = (struct vtb_reordering){ .first = x->n_events, .middle = x->n_events, .last = x->n_events };
	if (r < 0)
		return r;
	start_run(ref);
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		ref->at[i] = recorded_place(ref, e);
		if (e->thread < ref->n_threads && vtb_event_is_operation(e))
			ref->done[e->thread]++;
		if (e->var >= ref->n_vars || !is_access(e))
			continue;
		link_access(ref, e->var, i);
		look_back(ref, x, i, ret);
		look_at_neighbour(ref, x, i, ret);
	}
	for (uint32_t word = 0; word <= ref->n_threads / 64; word++)
		ret->threads += (uint32_t)__builtin_popcountll(ref->moved[word]);
	return 0;
}
