/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symmetry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

void vtb_symmetry_fini(struct vtb_symmetry *s)
{
	free(s->class_of);
	free(s->unknown);
	free(s->begin);
	free(s->ops);
	*s = (struct vtb_symmetry){ 0 };
}

static bool counts(const struct vtb_event *e, size_t n_threads)
{
	return e->kind != VTB_E_LOST && e->kind != VTB_E_FAIL && e->thread < n_threads && vtb_event_info(e->kind);
}

/* ---- who could be alike, before anything is known of what they do */

static bool same_origin(const struct vtb_symtab *tab, uint32_t a, uint32_t b)
{
	const struct vtb_thread *l, *r;

	if (a == 0 || b == 0 || a >= tab->n_threads || b >= tab->n_threads)
		return false;
	l = &tab->threads[a];
	r = &tab->threads[b];
	if (l->parent != r->parent || strcmp(l->start, r->start) != 0)
		return false;
	return l->start[0] || l->site == r->site; /* unknown routines: at least created at one place */
}

static int more_threads(struct vtb_symmetry *s, uint32_t n)
{
	while (s->n_class_of < n) {
		if (vtb_array_room(s, class_of) < 0 || vtb_array_room(s, unknown) < 0)
			return -ENOMEM;
		s->class_of[s->n_class_of] = (uint32_t)s->n_class_of;
		s->n_class_of++;
		s->unknown[s->n_unknown++] = true;
	}
	return 0;
}

/* ---- what they did in this run */

static int by_thread(struct vtb_symmetry *s, const struct vtb_exec *x)
{
	const size_t n = s->n_class_of;
	void *begin = s->begin, *ops = s->ops;
	int r = vtb_array_reserve(&begin, &s->cap_begin, n + 2, sizeof(*s->begin));

	s->begin = begin;
	if (r >= 0)
		r = vtb_array_reserve(&ops, &s->cap_ops, x->n_events + 1, sizeof(*s->ops));
	s->ops = ops;
	if (r < 0)
		return r;
	memset(s->begin, 0, (n + 2) * sizeof(*s->begin));
	for (size_t i = 0; i < x->n_events; i++)
		if (counts(&x->events[i], n))
			s->begin[x->events[i].thread + 2]++;
	for (size_t t = 2; t < n + 2; t++)
		s->begin[t] += s->begin[t - 1];
	for (size_t i = 0; i < x->n_events; i++) /* begin[t + 1] runs from the begin of t to that of t + 1 */
		if (counts(&x->events[i], n))
			s->ops[s->begin[x->events[i].thread + 1]++] = (uint32_t)i;
	return 0;
}

/* Variables that only one thread uses are each thread's own; handles of threads are so by their nature. */
static bool same_op(const struct vtb_event *a, const struct vtb_event *b, const struct vtb_coverage *coverage)
{
	if (a->kind != b->kind || a->site != b->site)
		return false;
	if (a->var == b->var || vtb_event_info(a->kind)->family == VTB_FAMILY_THREAD)
		return true;
	return !vtb_coverage_shared(coverage, a->var) && !vtb_coverage_shared(coverage, b->var);
}

/* As far as both got. Who ended earlier differs: its last operation is its end. */
static bool alike(const struct vtb_symmetry *s, const struct vtb_exec *x, const struct vtb_coverage *coverage,
                  uint32_t a, uint32_t b)
{
	const uint32_t *l = s->ops + s->begin[a], *r = s->ops + s->begin[b];
	const uint32_t n_l = s->begin[a + 1] - s->begin[a], n_r = s->begin[b + 1] - s->begin[b];

	for (uint32_t i = 0; i < n_l && i < n_r; i++)
		if (!same_op(&x->events[l[i]], &x->events[r[i]], coverage))
			return false;
	return true;
}

/* Those that `thread` could join: who leads a class that split off its own in this run. It was found different from its
 * own. */
static uint32_t class_split_off(const struct vtb_symmetry *s, const struct vtb_exec *x,
                                const struct vtb_coverage *coverage, uint32_t thread, const uint32_t *old)
{
	for (uint32_t k = old[thread] + 1; k < thread; k++)
		if (old[k] == old[thread] && s->class_of[k] == k && alike(s, x, coverage, k, thread))
			return k;
	return thread;
}

static int split(struct vtb_symmetry *s, const struct vtb_exec *x, const struct vtb_coverage *coverage)
{
	const size_t n = s->n_class_of;
	uint32_t *old = malloc((n + 1) * sizeof(*old));

	if (!old)
		return -ENOMEM;
	memcpy(old, s->class_of, n * sizeof(*old));
	for (uint32_t t = 0; t < n; t++) {
		if (old[t] == t || alike(s, x, coverage, old[t], t))
			continue;
		s->class_of[t] = class_split_off(s, x, coverage, t, old);
		s->changes++;
	}
	free(old);
	return 0;
}

/* Did the run show what the thread does? All of it, or as far as it gets in a run that ends as it should. Its birth
 * alone shows nothing. */
static bool shown(const struct vtb_symmetry *s, const struct vtb_exec *x, uint32_t thread)
{
	const uint32_t n = s->begin[thread + 1] - s->begin[thread];

	return n > 1 && (x->events[s->ops[s->begin[thread + 1] - 1]].kind == VTB_E_THREAD_END ||
	                 x->outcome.verdict == VTB_V_NONE);
}

/* Threads of which a run has shown more than their birth for the first time join those that look like them in that run.
 */
static void join(struct vtb_symmetry *s, const struct vtb_exec *x, const struct vtb_symtab *tab,
                 const struct vtb_coverage *coverage)
{
	for (uint32_t t = 0; t < s->n_class_of; t++) {
		uint32_t k = 0;

		if (!s->unknown[t] || !shown(s, x, t))
			continue;
		s->unknown[t] = false;
		while (k < t && (s->class_of[k] != k || !same_origin(tab, k, t) || !shown(s, x, k) ||
		                 !alike(s, x, coverage, k, t)))
			k++;
		s->class_of[t] = k;
		s->changes += k != t;
	}
}

int vtb_symmetry_add(struct vtb_symmetry *s, const struct vtb_exec *x, const struct vtb_symtab *tab,
                     const struct vtb_coverage *coverage)
{
	int r = more_threads(s, coverage->n_threads);
	bool any = false;

	for (uint32_t t = 0; t < s->n_class_of; t++)
		any |= s->class_of[t] != t || s->unknown[t];
	if (r >= 0 && any)
		r = by_thread(s, x);
	if (r >= 0 && any)
		r = split(s, x, coverage);
	if (r >= 0 && any)
		join(s, x, tab, coverage);
	return r;
}
