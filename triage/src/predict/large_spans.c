/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "large_spans.h"

#include <errno.h>
#include <stdlib.h>

bool vtb_large_is_plain(const struct vtb_event *e)
{
	return e->kind == VTB_E_READ || e->kind == VTB_E_WRITE;
}

bool vtb_large_is(const struct vtb_event *e)
{
	return vtb_large_is_plain(e) && e->size > VTB_LARGE_WORD;
}

static uint64_t first_word(const struct vtb_event *e)
{
	return e->addr / VTB_LARGE_WORD;
}

static uint64_t end_word(const struct vtb_event *e)
{
	return (e->addr + e->size - 1) / VTB_LARGE_WORD + 1;
}

/* ---- where an access begins and ends, in order of address; between two of these the same accesses are open */

struct edge {
	uint64_t word;
	uint16_t thread;
	bool ends;
};

static int by_word(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	return (x->word > y->word) - (x->word < y->word);
}

static struct edge *edges_of(const struct vtb_exec *x, size_t n, uint32_t *ret_threads)
{
	struct edge *edges = calloc(n ? n : 1, sizeof(*edges)), *e = edges;

	*ret_threads = 0;
	for (size_t i = 0; edges && i < x->n_events; i++) {
		const struct vtb_event *a = &x->events[i];

		if (!vtb_large_is(a))
			continue;
		*e++ = (struct edge){ .word = first_word(a), .thread = a->thread };
		*e++ = (struct edge){ .word = end_word(a), .thread = a->thread, .ends = true };
		*ret_threads = a->thread >= *ret_threads ? a->thread + 1u : *ret_threads;
	}
	if (edges)
		qsort(edges, n, sizeof(*edges), by_word);
	return edges;
}

/* Accesses that are open. */
struct open {
	uint32_t *of;          /* of each thread */
	uint32_t threads, sum; /* threads that have some, and their ids together: of one it is its id */
};

static void take(struct open *o, const struct edge *e)
{
	uint32_t *mine = &o->of[e->thread];
	const bool had = *mine;

	*mine += e->ends ? UINT32_MAX : 1u;
	if (had == (*mine > 0))
		return;
	o->threads += had ? UINT32_MAX : 1u;
	o->sum += had ? 0u - e->thread : e->thread;
}

static void add(struct vtb_large_spans *s, uint64_t lo, uint64_t hi, uint32_t thread)
{
	struct vtb_large_span *last = s->n ? &s->spans[s->n - 1] : NULL;

	if (last && last->hi == lo && last->thread == thread)
		last->hi = hi;
	else
		s->spans[s->n++] = (struct vtb_large_span){ lo, hi, thread };
}

int vtb_large_spans_of(const struct vtb_exec *x, struct vtb_large_spans *ret)
{
	struct open open = { 0 };
	struct edge *edges;
	size_t n;
	uint32_t threads;

	*ret = (struct vtb_large_spans){ 0 };
	for (size_t i = 0; i < x->n_events; i++)
		ret->accesses += vtb_large_is(&x->events[i]);
	n = 2 * ret->accesses;
	edges = edges_of(x, n, &threads);
	open.of = calloc(threads + 1u, sizeof(*open.of));
	ret->spans = calloc(n ? n : 1, sizeof(*ret->spans));
	if (edges && open.of && ret->spans)
		for (size_t i = 0; i < n; i++) {
			take(&open, &edges[i]);
			if (open.threads && edges[i + 1].word > edges[i].word) /* the last edge leaves none open */
				add(ret, edges[i].word, edges[i + 1].word, open.threads == 1 ? open.sum : VTB_NONE);
		}
	free(edges);
	free(open.of);
	return edges && open.of && ret->spans ? 0 : -ENOMEM;
}

void vtb_large_spans_fini(struct vtb_large_spans *s)
{
	free(s->spans);
	*s = (struct vtb_large_spans){ 0 };
}

/* The first that ends behind the word; n if there is none. */
static size_t span_at(const struct vtb_large_spans *s, uint64_t word)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		const size_t middle = lo + (hi - lo) / 2;

		if (s->spans[middle].hi > word)
			hi = middle;
		else
			lo = middle + 1;
	}
	return lo;
}

bool vtb_large_spans_touched(const struct vtb_large_spans *s, const struct vtb_event *e, bool of_others)
{
	if (!vtb_large_is_plain(e) || !e->size)
		return false;
	for (size_t i = span_at(s, first_word(e)); i < s->n && s->spans[i].lo < end_word(e); i++)
		if (!of_others || s->spans[i].thread != e->thread)
			return true;
	return false;
}
