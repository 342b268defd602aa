/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * There are often several cores of one size, of which the solver takes any. An order in which threads take a lock goes
 * hand in hand with the orders of what they do under it, and says less:
 *
 *     0                  0.0
 *     locks m            locks m            0 locks m at a.c:31 before 0.0 does at a.c:17: of how many calls is it
 * true? reads done         done++             0 reads done at a.c:32 before 0.0 writes it at a.c:17: it was late
 *     unlocks m          unlocks m
 *
 * And what happens between two threads is easier to see than what a third one settles by taking something away from
 * one of them.
 */
#include <errno.h>
#include <stdlib.h>

#include "core_work.h"

#define PAIRS_MOST 16u /* of threads that are looked at, those first whose orders come first */

struct two_threads {
	uint32_t a, b;
};

/* One that waits for its lock and gets it in the end; that an attempt fails, or gives up, says something else. */
static bool takes_lock(unsigned kind)
{
	return kind == VTB_E_LOCK || kind == VTB_E_RDLOCK || kind == VTB_E_WRLOCK;
}

/* Threads wait for ever: what they wait for is no detail then. */
static bool hangs(enum vtb_verdict verdict)
{
	return verdict == VTB_V_DEADLOCK || verdict == VTB_V_CONDITION_DEADLOCK || verdict == VTB_V_LOST_WAKEUP;
}

static bool is_of_lock(const struct core_work *w, size_t literal)
{
	const struct core_literal *l = &w->literals->literals[literal];

	return takes_lock(w->runs->ops[l->before].kind) && takes_lock(w->runs->ops[l->after].kind) &&
	       !(l->open && hangs(w->runs->verdict));
}

static struct two_threads threads_of(const struct core_work *w, size_t literal)
{
	const struct core_literal *l = &w->literals->literals[literal];
	const uint32_t a = w->runs->ops[l->before].thread, b = w->runs->ops[l->after].thread;

	return a < b ? (struct two_threads){ a, b } : (struct two_threads){ b, a };
}

static bool are_of(const struct core_work *w, size_t literal, const struct two_threads *two)
{
	const struct two_threads of = threads_of(w, literal);

	return of.a == two->a && of.b == two->b;
}

/* Those whose orders come first, each once. */
static size_t find_pairs(const struct core_work *w, struct two_threads *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < w->literals->n_literals && n < PAIRS_MOST; i++) {
		size_t k = 0;

		while (k < n && !are_of(w, i, &ret[k]))
			k++;
		if (k == n)
			ret[n++] = threads_of(w, i);
	}
	return n;
}

/* One of these threads alone (NULL: of any) that is about no lock: 1, and it is *set; 0: there is none, or nobody
 * knows. */
static int try_among(struct core_work *w, bool *left_out, const struct two_threads *two, struct core_set *set)
{
	struct core_set other = { 0 };
	int r;

	for (size_t i = 0; i < w->literals->n_literals; i++)
		left_out[i] = is_of_lock(w, i) || (two && !are_of(w, i, two));
	w->left_out = left_out;
	r = core_of_size(w, set->n_places, &other);
	if (r > 0)
		r = core_minimise(w, &other) < 0 ? -ETIMEDOUT : 1;
	w->left_out = NULL;
	if (r <= 0) {
		core_set_fini(&other);
		return r == -ENOMEM ? r : 0;
	}
	other.smallest = set->smallest;
	core_set_fini(set);
	*set = other;
	return 1;
}

/* Does it tell as much as one could wish? */
static bool tells(const struct core_work *w, const struct core_set *set, bool *ret_locks)
{
	const struct two_threads two = threads_of(w, set->places[0]);
	bool others = false;

	*ret_locks = false;
	for (size_t i = 0; i < set->n_places; i++) {
		*ret_locks |= is_of_lock(w, set->places[i]);
		others |= !are_of(w, set->places[i], &two);
	}
	return !*ret_locks && !others;
}

int core_prefer(struct core_work *w, struct core_set *set)
{
	struct two_threads pairs[PAIRS_MOST];
	bool locks, *left_out;
	size_t n;
	int r = 0;

	if (!set->n_places || tells(w, set, &locks))
		return 0;
	left_out = calloc(w->literals->n_literals + 1, sizeof(*left_out));
	if (!left_out)
		return -ENOMEM;
	n = find_pairs(w, pairs);
	for (size_t i = 0; i < n && r == 0 && !core_runs_stopped(w->runs); i++)
		r = try_among(w, left_out, &pairs[i], set);
	if (r == 0 && locks && !core_runs_stopped(w->runs))
		r = try_among(w, left_out, NULL, set);
	free(left_out);
	return r < 0 ? r : 0;
}
