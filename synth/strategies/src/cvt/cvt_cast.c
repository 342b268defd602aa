/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who takes part in the priority orders of the strategy cvt. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "strategy_cvt.h"
#include "vtb/array.h"
#include "vtb/orders.h"

static uint32_t class_of(const struct cvt *s, uint32_t thread)
{
	return thread < s->symmetry.n_class_of ? s->symmetry.class_of[thread] : thread;
}

/* Lower ids of the same class, for all threads at once. */
static uint32_t *numbers_in_class(const struct cvt *s)
{
	uint32_t *members = calloc(s->n + 1u, sizeof(*members)), *number = calloc(s->n + 1u, sizeof(*number));

	for (uint32_t t = 0; members && number && t < s->n; t++)
		number[t] = members[class_of(s, t)]++;
	if (!members) {
		free(number);
		number = NULL;
	}
	free(members);
	return number;
}

/* At most `most` threads of each class take part. */
static int add_cast(struct cvt *s, const uint32_t *number, uint32_t most, enum cvt_role role)
{
	const struct vtb_search_opts *opts = s->space->opts;
	struct cvt_cast cast = { .n = s->n, .role = role };
	uint32_t rest;

	if (vtb_array_room(s, casts) < 0 || !(cast.threads = malloc((s->n + 1u) * sizeof(*cast.threads))))
		return -ENOMEM;
	for (uint32_t t = 0; t < s->n; t++)
		if (number[t] < most)
			cast.threads[cast.n_top++] = t;
	rest = cast.n_top;
	for (uint32_t t = 0; t < s->n; t++)
		if (number[t] >= most)
			cast.threads[rest++] = t;
	cast.enumerate = vtb_orders_enumerable(cast.n_top, opts->t < cast.n_top ? opts->t : cast.n_top, s->max_c,
	                                       cast.n_top > 2, opts->epsilon);
	s->casts[s->n_casts++] = cast;
	return 0;
}

int cvt_first_cast(struct cvt *s)
{
	const uint32_t nobody = 0;

	s->team = 0;
	return add_cast(s, &nobody, 1, CVT_ALL);
}

int cvt_recast(struct cvt *s)
{
	const uint32_t most = s->space->opts->t;
	const size_t first = s->n_casts;
	bool ahead = false;
	uint32_t *number;
	int r = 0;

	if (s->space->coverage->n_threads <= s->n && s->symmetry.changes == s->changes)
		return 0;
	s->n = s->space->coverage->n_threads;
	s->changes = s->symmetry.changes;
	number = numbers_in_class(s);
	if (!number)
		return -ENOMEM;
	s->solo = false;
	for (uint32_t t = 0; t < s->n; t++) {
		s->solo |= number[t] >= 1 && most < s->n;
		ahead |= number[t] >= most;
	}
	if (s->solo)
		r = add_cast(s, number, 1, CVT_SOLO);
	if (r >= 0)
		r = add_cast(s, number, most, s->solo ? CVT_TEAM : CVT_ALL);
	for (size_t i = first; r >= 0 && i < s->n_casts; i++)
		s->casts[i].ahead = ahead;
	free(number);
	s->team = (uint32_t)s->n_casts - 1;
	return r < 0 ? r : 1;
}

void cvt_casts_fini(struct cvt *s)
{
	for (size_t i = 0; i < s->n_casts; i++)
		free(s->casts[i].threads);
	free(s->casts);
}

bool cvt_is_rest(const struct cvt_cast *cast, uint32_t thread)
{
	uint32_t low = cast->n_top, high = cast->n;

	while (low < high) { /* the rest ascend */
		const uint32_t middle = low + (high - low) / 2;

		if (cast->threads[middle] == thread)
			return true;
		if (cast->threads[middle] < thread)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

const char *cvt_symmetry_words(const struct cvt *s, char *buf, size_t size)
{
	const struct vtb_symtab *tab = s->space->tab;
	const struct cvt_cast *cast = s->n_casts ? &s->casts[s->team] : NULL;
	uint32_t classes = 0, members = 0, first = CVT_NONE;
	const char *name;

	buf[0] = '\0';
	if (!cast || cast->n_top == cast->n)
		return buf;
	for (uint32_t i = cast->n_top; i < cast->n; i++) {
		const uint32_t class = class_of(s, cast->threads[i]);

		classes += i == cast->n_top || class != first;
		first = i == cast->n_top ? class : first;
	}
	for (uint32_t t = 0; t < s->n; t++)
		members += class_of(s, t) == first;
	name = first < tab->n_threads && tab->threads[first].start[0] ? tab->threads[first].start : "one routine";
	if (classes == 1)
		snprintf(buf, size, "up to symmetry of %u threads of %s, assumed", members, name);
	else
		snprintf(buf, size,
		         "up to symmetry of %u threads of %s and others with the %u that stand for them, assumed",
		         members, name, cast->n_top);
	return buf;
}

#define LEARNT_MAX (1u << 16) /* classes of runs that are remembered for this; others are looked at each time */

/* Threads do in a run what they do in every run of its class, so a second one tells nothing more of who looks alike;
 * unless variables are known to be shared now that were not. */
int cvt_learn_symmetry(struct cvt *s, const struct vtb_exec *x)
{
	const struct vtb_coverage *coverage = s->space->coverage;
	const uint64_t known = (uint64_t)coverage->newly_shared << 32 | coverage->n_threads;
	uint64_t *met = NULL;
	int r = 0;

	if (!s->space->opts->symmetry || s->space->opts->exhaust)
		return 0;
	s->learnt.limit = LEARNT_MAX;
	if (x->n_events)
		r = vtb_bounded_map_add(&s->learnt, s->space->prefix[x->n_events - 1], known, &met);
	if (r < 0 || (met && *met == known))
		return r;
	if (met)
		*met = known;
	return vtb_symmetry_add(&s->symmetry, x, s->space->tab, coverage);
}
