/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/exec_stem.h"

#include <errno.h>
#include <stdlib.h>

/* The first row at which a signal may come to main, or there is none. */
static size_t first_signal(const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_waits; i++)
		if (x->waits[i].kind == VTB_E_SIGNAL_DUE)
			return x->waits[i].row;
	return x->n_events;
}

static bool ends_with(const struct vtb_event *e)
{
	return vtb_event_in_stem(e->kind) == VTB_STEM_ENDS || e->flags & VTB_EVF_WEAK;
}

/* Could somebody else have gone on instead? A thread of before main, for one. */
static bool has_rival(const struct vtb_exec *x, size_t i)
{
	for (uint32_t w = 0; w < x->stride; w++) {
		const uint32_t thread = x->events[i].thread;
		const uint64_t own = w == thread / 64 ? 1ull << thread % 64 : 0;

		if (x->enabled[i * x->stride + w] & ~own)
			return true;
	}
	return false;
}

/* How many events it has, all of main. 0: it has no end, or another thread is there before it. */
static size_t length_of(const struct vtb_exec *x)
{
	const size_t end = first_signal(x);
	size_t i = 0;

	while (i < end && x->events[i].thread == x->events[0].thread && !ends_with(&x->events[i]) && !has_rival(x, i))
		i++;
	return i < x->n_events && x->events[i].thread == x->events[0].thread && !has_rival(x, i) ? i : 0;
}

static void count(struct vtb_stem *stem, const uint8_t *quiet, size_t n)
{
	uint32_t looked_at = 0, i = 0;

	for (uint32_t k = 0; k <= stem->told; k++) {
		for (; i < stem->ends[k]; i++)
			looked_at += stem->sites[i] >= n || !quiet[stem->sites[i]];
		stem->before[k] = looked_at;
	}
}

int vtb_stem_of(const struct vtb_exec *x, uint32_t least, struct vtb_stem *ret)
{
	const size_t n = x->n_events && !x->partial && !x->owned && !x->brief ? length_of(x) : 0;
	struct vtb_stem stem = { .thread = n ? x->events[0].thread : VTB_NONE };
	uint32_t left_out = 0;

	*ret = (struct vtb_stem){ 0 };
	for (size_t i = 0; i < n; i++)
		left_out += vtb_event_in_stem(x->events[i].kind) == VTB_STEM_LEFT_OUT;
	if (!left_out || left_out < least || n >= UINT32_MAX)
		return 0;
	stem.sites = calloc(left_out, sizeof(*stem.sites));
	stem.ends = calloc(n - left_out + 1, sizeof(*stem.ends));
	stem.before = calloc(n - left_out + 1, sizeof(*stem.before));
	if (!stem.sites || !stem.ends || !stem.before) {
		vtb_stem_fini(&stem);
		return -ENOMEM;
	}
	left_out = 0;
	for (size_t i = 0; i < n; i++) {
		const struct vtb_event *e = &x->events[i];

		if (vtb_event_in_stem(e->kind) == VTB_STEM_LEFT_OUT)
			stem.sites[left_out++] = e->kind == VTB_E_FREE ? VTB_NONE : e->site;
		else
			stem.ends[stem.told++] = left_out;
	}
	stem.ends[stem.told] = left_out;
	count(&stem, NULL, 0);
	*ret = stem;
	return 1;
}

void vtb_stem_fini(struct vtb_stem *stem)
{
	free(stem->sites);
	free(stem->ends);
	free(stem->before);
	*stem = (struct vtb_stem){ 0 };
}

void vtb_stem_quiet(struct vtb_stem *stem, const uint8_t *quiet, size_t n)
{
	count(stem, quiet, n);
}

uint32_t vtb_stem_whole_point(const struct vtb_stem *stem, uint32_t index)
{
	return index + stem->before[index < stem->told ? index : stem->told];
}

uint32_t vtb_stem_whole(const struct vtb_stem *stem, uint32_t index)
{
	return index ? vtb_stem_whole_point(stem, index - 1) + 1 : 0;
}

uint32_t vtb_stem_short_point(const struct vtb_stem *stem, uint32_t index)
{
	uint32_t low = 0, high = stem->told;

	if (index >= stem->told + stem->before[stem->told])
		return index - stem->before[stem->told];
	while (low < high) { /* the last one before which no more was done */
		const uint32_t middle = low + (high - low + 1) / 2;

		if (vtb_stem_whole(stem, middle) <= index)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

typedef uint32_t (*index_fn)(const struct vtb_stem *stem, uint32_t index);

static void count_anew(const struct vtb_stem *stem, struct vtb_op *op, index_fn to)
{
	if (op->thread == stem->thread && op->index != VTB_OP_BY_SITE)
		op->index = to(stem, op->index);
}

void vtb_stem_lengthen(const struct vtb_stem *stem, struct vtb_schedule *s)
{
	for (size_t i = 0; i < s->n_deviations; i++)
		count_anew(stem, &s->deviations[i].after, vtb_stem_whole_point);
	for (size_t i = 0; i < s->n_constraints; i++) {
		count_anew(stem, &s->constraints[i].before, vtb_stem_whole);
		count_anew(stem, &s->constraints[i].after, vtb_stem_whole);
	}
	for (size_t i = 0; i < s->n_reorders; i++) {
		count_anew(stem, &s->reorders[i].first, vtb_stem_whole);
		count_anew(stem, &s->reorders[i].second, vtb_stem_whole);
	}
}

void vtb_stem_shorten(const struct vtb_stem *stem, struct vtb_schedule *s)
{
	for (size_t i = 0; i < s->n_deviations; i++)
		count_anew(stem, &s->deviations[i].after, vtb_stem_short_point);
}
