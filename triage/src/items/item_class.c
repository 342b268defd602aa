/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of runs by names that processes share. A fingerprint (vtb/mazurkiewicz.h) goes by thread ids, which a process
 * gives in the order in which it meets threads: here each thread has its place among the run's threads, in the order of
 * their creation paths.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/items.h"
#include "vtb/mazurkiewicz.h"
#include "vtb/search.h"

/* "0.2" before "0.10" before "0.10.1". */
static int by_path(const char *a, const char *b)
{
	for (;;) {
		char *end_a, *end_b;
		const unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);

		if (x != y)
			return x < y ? -1 : 1;
		if (!*end_a || !*end_b)
			return !!*end_a - !!*end_b;
		a = end_a + 1;
		b = end_b + 1;
	}
}

static int compare(const void *a, const void *b, void *tab)
{
	return by_path(vtb_thread_path(tab, *(const uint32_t *)a), vtb_thread_path(tab, *(const uint32_t *)b));
}

/* places[id]: that thread's, for those that have operations in the run. */
static void number_threads(const struct vtb_exec *x, const struct vtb_symtab *tab, uint32_t *sorted, uint32_t *places)
{
	size_t n = 0;

	for (size_t i = 0; i < tab->n_threads; i++)
		places[i] = VTB_NONE;
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread < tab->n_threads && places[x->events[i].thread] == VTB_NONE) {
			places[x->events[i].thread] = 0;
			sorted[n++] = x->events[i].thread;
		}
	qsort_r(sorted, n, sizeof(*sorted), compare, (void *)tab);
	for (size_t i = 0; i < n; i++)
		places[sorted[i]] = (uint32_t)i;
}

static int feed(const struct vtb_exec *x, const struct vtb_symtab *tab, const uint32_t *places, uint64_t *ret)
{
	struct vtb_mazurkiewicz *m;
	int r = vtb_mazurkiewicz_new(tab, &m);

	if (r < 0)
		return r;
	vtb_mazurkiewicz_begin(m);
	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		struct vtb_event e = x->events[i];

		if (e.thread >= tab->n_threads)
			continue;
		e.thread = (uint16_t)places[e.thread];
		r = vtb_mazurkiewicz_feed(m, &e, NULL);
	}
	*ret = vtb_class_id(vtb_mazurkiewicz_fingerprint(m));
	vtb_mazurkiewicz_free(m);
	return r < 0 ? r : 0;
}

int vtb_item_class(const struct vtb_exec *x, const struct vtb_symtab *tab, uint64_t *ret)
{
	uint32_t *sorted = calloc(tab->n_threads + 1, sizeof(*sorted)),
	         *places = calloc(tab->n_threads + 1, sizeof(*places));
	int r = sorted && places ? 0 : -ENOMEM;

	if (r == 0) {
		number_threads(x, tab, sorted, places);
		r = feed(x, tab, places, ret);
	}
	free(sorted);
	free(places);
	return r;
}
