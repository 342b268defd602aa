/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define MANY 64u                /* literals */
#define RARE_MOST 200u          /* sets that are too rare, one after the other: there is no better one */
#define SMALLEST_LITERALS 3000u /* more of them are left at minimal */

void core_set_fini(struct core_set *set)
{
	free(set->places);
	*set = (struct core_set){ 0 };
}

static bool holds(const struct core_work *w, const struct core_run *run, size_t literal)
{
	return core_holds(run, w->literals->literals[literal].before, w->literals->literals[literal].after);
}

/* A passing run that has all of these: its number, or -1. */
static int64_t passing_with(const struct core_work *w, const uint32_t *places, size_t n)
{
	for (size_t i = 0; i < w->runs->n_runs; i++) {
		size_t k = 0;

		if (w->runs->runs[i].ending != CORE_PASSED)
			continue;
		while (k < n && holds(w, &w->runs->runs[i], places[k]))
			k++;
		if (k == n)
			return (int64_t)i;
	}
	return -1;
}

static bool has(const struct core_run *run, const struct core_literals *literals, const struct core_set *set,
                size_t without)
{
	for (size_t i = 0; i < set->n_places; i++) {
		const struct core_literal *l = &literals->literals[set->places[i]];

		if (i != without && !core_holds(run, l->before, l->after))
			return false;
	}
	return true;
}

bool core_has(const struct core_run *run, const struct core_literals *literals, const struct core_set *set)
{
	return has(run, literals, set, SIZE_MAX);
}

uint64_t core_admitted(const struct core_runs *runs, const struct core_literals *literals, const struct core_set *set,
                       size_t without)
{
	uint64_t n = 0;

	for (size_t i = 0; i < runs->n_runs; i++)
		n += runs->runs[i].ending == CORE_PASSED && has(&runs->runs[i], literals, set, without);
	return n;
}

static uint64_t failing_with(const struct core_work *w, const struct core_set *set)
{
	uint64_t n = 0;

	for (size_t i = 0; i < w->runs->n_runs; i++)
		n += w->runs->runs[i].ending == CORE_FAILED && core_has(&w->runs->runs[i], w->literals, set);
	return n;
}

static int begin(struct core_work *w, bool with_runs)
{
	int r = vtb_sat_new(&w->sat);

	if (r < 0)
		return r;
	for (size_t i = 0; i < w->literals->n_literals; i++)
		w->vars[i] = vtb_sat_var(w->sat);
	for (size_t i = 0; w->left_out && i < w->literals->n_literals; i++)
		if (w->left_out[i])
			vtb_sat_clause(w->sat, (int[]){ -w->vars[i] }, 1);
	w->more = with_runs ? vtb_sat_var(w->sat) : 0;
	return 0;
}

static void end(struct core_work *w)
{
	vtb_sat_free(w->sat);
	w->sat = NULL;
}

/* ---- minimal: is there a passing run with these literals? */

/* "Or it is this run", in which these literals do not hold. */
static void tell_run(struct core_work *w, size_t run)
{
	const int is = vtb_sat_var(w->sat), more = vtb_sat_var(w->sat);
	const int clause[] = { -w->more, is, more };

	vtb_sat_clause(w->sat, clause, 3);
	for (size_t i = 0; i < w->literals->n_literals; i++)
		if (!holds(w, &w->runs->runs[run], i))
			vtb_sat_clause(w->sat, (int[]){ -is, -w->vars[i] }, 2);
	w->more = more;
}

/* No passing run has these: 1; one has: 0. `first`: where the chain of the runs told begins. */
static int is_core(struct core_work *w, const uint32_t *places, size_t n, int first)
{
	for (;;) {
		int64_t run;
		int r;

		vtb_sat_assume(w->sat, first);
		vtb_sat_assume(w->sat, -w->more);
		for (size_t i = 0; i < n; i++)
			vtb_sat_assume(w->sat, w->vars[places[i]]);
		r = first == w->more ? 0 : vtb_sat_solve(w->sat);
		if (r == 1)
			return 0;
		run = passing_with(w, places, n); /* of those that it has not been told of */
		if (run < 0)
			return 1;
		if (r < 0)
			return 0;
		tell_run(w, (size_t)run);
	}
}

/* The shortest beginning of the list that is a core, as literals come in the order in which one would rather have them.
 */
static int first_core(struct core_work *w, struct core_set *set)
{
	size_t low = 0, high = w->literals->n_literals;
	uint32_t *all = calloc(high + 1, sizeof(*all));
	int r = all ? 1 : -ENOMEM;

	for (uint32_t i = 0; r > 0 && i < high; i++)
		all[i] = i;
	if (r > 0 && passing_with(w, all, high) >= 0)
		r = 0;
	while (r > 0 && low < high) {
		const size_t middle = low + (high - low) / 2;

		if (passing_with(w, all, middle) < 0)
			high = middle;
		else
			low = middle + 1;
	}
	if (r > 0)
		*set = (struct core_set){ .places = all, .n_places = high, .cap_places = high + 1 };
	else
		free(all);
	return r;
}

static void remove_at(struct core_set *set, size_t at)
{
	set->n_places--;
	memmove(&set->places[at], &set->places[at + 1], (set->n_places - at) * sizeof(*set->places));
}

/* Of very many: those that the solver's answer needed, once it has been told of enough runs. */
static void keep_failed(struct core_work *w, struct core_set *set, int first)
{
	while (set->n_places > MANY) {
		size_t kept = 0;
		int64_t run;

		if (first != w->more && is_core(w, set->places, set->n_places, first) == 1)
			for (size_t i = 0; i < set->n_places; i++)
				if (vtb_sat_failed(w->sat, w->vars[set->places[i]]))
					w->kept[kept++] = set->places[i];
		run = passing_with(w, w->kept, kept);
		if (run < 0) {
			memcpy(set->places, w->kept, kept * sizeof(*set->places));
			set->n_places = kept;
			return;
		}
		tell_run(w, (size_t)run);
	}
}

int core_minimise(struct core_work *w, struct core_set *set)
{
	int r = begin(w, true), first = w->more;

	if (r >= 0)
		keep_failed(w, set, first);
	for (size_t i = set->n_places; r >= 0 && i-- > 0;) {
		const uint32_t saved = set->places[i];

		if (core_runs_stopped(w->runs)) {
			r = -ETIMEDOUT;
			break;
		}
		remove_at(set, i);
		r = is_core(w, set->places, set->n_places, first);
		if (r == 0) {
			memmove(&set->places[i + 1], &set->places[i], (set->n_places - i) * sizeof(*set->places));
			set->places[i] = saved;
			set->n_places++;
		}
	}
	end(w);
	return r < 0 ? r : 0;
}

/* ---- smallest: which few literals does every passing run lack one of? */

static void tell_lack(struct core_work *w, size_t run)
{
	size_t n = 0;

	for (size_t i = 0; i < w->literals->n_literals; i++)
		if (!holds(w, &w->runs->runs[run], i))
			w->clause[n++] = w->vars[i];
	vtb_sat_clause(w->sat, w->clause, n);
}

/* At most `k` of the literals, by a sequential counter. */
static int at_most(struct core_work *w, size_t k)
{
	const size_t n = w->literals->n_literals;
	int *row = calloc(2 * (k + 1), sizeof(*row)), *last = row, *next = row + k + 1;

	if (!row)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j <= k; j++)
			next[j] = vtb_sat_var(w->sat); /* more than j of the first i + 1 */
		vtb_sat_clause(w->sat, (int[]){ -w->vars[i], next[0] }, 2);
		for (size_t j = 0; i && j <= k; j++) {
			vtb_sat_clause(w->sat, (int[]){ -last[j], next[j] }, 2);
			if (j)
				vtb_sat_clause(w->sat, (int[]){ -last[j - 1], -w->vars[i], next[j] }, 3);
		}
		vtb_sat_clause(w->sat, (int[]){ -next[k] }, 1);
		memcpy(last, next, (k + 1) * sizeof(*row));
	}
	free(row);
	return 0;
}

static int chosen(struct core_work *w, struct core_set *ret)
{
	ret->n_places = 0;
	for (uint32_t i = 0; i < w->literals->n_literals; i++) {
		if (!vtb_sat_holds(w->sat, w->vars[i]))
			continue;
		if (vtb_array_room(ret, places) < 0)
			return -ENOMEM;
		ret->places[ret->n_places++] = i;
	}
	return 1;
}

static void tell_other(struct core_work *w, const struct core_set *set)
{
	for (size_t i = 0; i < set->n_places; i++)
		w->clause[i] = -w->vars[set->places[i]];
	vtb_sat_clause(w->sat, w->clause, set->n_places);
}

int core_of_size(struct core_work *w, size_t k, struct core_set *ret)
{
	int r = begin(w, false);

	if (r >= 0)
		r = at_most(w, k);
	for (unsigned rare = 0; r >= 0;) {
		int64_t run;

		r = core_runs_stopped(w->runs) ? -ETIMEDOUT : vtb_sat_solve(w->sat);
		if (r <= 0)
			break;
		r = chosen(w, ret);
		run = r < 0 ? -1 : passing_with(w, ret->places, ret->n_places);
		if (run >= 0)
			tell_lack(w, (size_t)run);
		else if (r < 0 || !w->wanted || failing_with(w, ret) >= w->wanted)
			break;
		else if (rare++ == RARE_MOST)
			r = -ETIMEDOUT;
		else
			tell_other(w, ret);
	}
	end(w);
	return r;
}

/* Of runs that are a sample few have what is rare, and by chance none of those passes: fewer literals are worth less
 * than many failing runs that have them. */
static int shrink_to_smallest(struct core_work *w, struct core_set *set)
{
	int r = 1;

	w->wanted = w->literals->sampled ? (failing_with(w, set) + 1) / 2 : 0;
	while (r > 0 && set->n_places > 1) {
		struct core_set smaller = { 0 };

		r = core_of_size(w, set->n_places - 1, &smaller);
		if (r > 0)
			r = core_minimise(w, &smaller) < 0 ? -ETIMEDOUT : 1;
		if (r > 0) {
			core_set_fini(set);
			*set = smaller;
		} else {
			core_set_fini(&smaller);
		}
	}
	set->smallest = r >= 0;
	return r == -ENOMEM ? r : 0;
}

static int smallest_of(const struct core_runs *runs, const struct core_literals *literals, bool choose,
                       struct core_set *ret)
{
	struct core_work w = { .runs = runs, .literals = literals };
	int r;

	w.vars = calloc(literals->n_literals + 1, sizeof(*w.vars));
	w.clause = calloc(literals->n_literals + 1, sizeof(*w.clause));
	w.kept = calloc(literals->n_literals + 1, sizeof(*w.kept));
	r = w.vars && w.clause && w.kept ? first_core(&w, ret) : -ENOMEM;
	if (r > 0) {
		r = core_minimise(&w, ret);
		r = r == -ETIMEDOUT ? 0 : r < 0 ? r : 1;
	}
	if (r > 0 && literals->n_literals <= SMALLEST_LITERALS)
		r = shrink_to_smallest(&w, ret) < 0 || (choose && core_prefer(&w, ret) < 0) ? -ENOMEM : 1;
	free(w.vars);
	free(w.clause);
	free(w.kept);
	if (r <= 0)
		core_set_fini(ret);
	return r;
}

/* Of the first `n` literals alone. */
static int smallest_among(const struct core_runs *runs, const struct core_literals *literals, size_t n, bool choose,
                          struct core_set *ret)
{
	struct core_literals some = *literals;

	some.n_literals = n;
	return n ? smallest_of(runs, &some, choose, ret) : 0;
}

/* How a thread missed its signal, or who used a block that somebody frees, says more than any other order that no
 * passing run has, if it suffices. */
int core_smallest(const struct core_runs *runs, const struct core_literals *literals, struct core_set *ret)
{
	int r;

	*ret = (struct core_set){ 0 };
	r = smallest_among(runs, literals, literals->n_first, false, ret);
	if (r > 0)
		ret->smallest &= ret->n_places == 1;
	if (r == 0)
		r = smallest_among(runs, literals, literals->n_telling, true, ret);
	if (r == 0 && literals->n_telling < literals->n_literals)
		r = smallest_of(runs, literals, false, ret);
	if (r < 0)
		core_set_fini(ret);
	return r;
}
