/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/classify.h"

#include <stdlib.h>
#include <string.h>

#include "forced.h"
#include "vtb/exec_stretch.h"

#define LOOK_BACK 4000u /* own operations looked at on either side of a stretch of others */

size_t vtb_classify_failure(const struct vtb_exec *x)
{
	for (size_t i = x->n_events; i-- > 0;)
		if (x->events[i].kind == VTB_E_FAIL)
			return i;
	for (size_t i = x->n_events; i-- > 0;)
		if (x->outcome.thread == VTB_NONE || x->events[i].thread == x->outcome.thread)
			return i;
	return x->n_events ? x->n_events - 1 : VTB_EVENT_NONE;
}

/* ---- atomicity */

static bool touches(const struct vtb_event *a, const struct vtb_event *b)
{
	return vtb_classify_is_data(a) && vtb_event_overlap(a, b);
}

/* Which memory some own operations touch, in grains: says of most others at once that they touch none of it. */
#define SIEVE_BITS 65536u
#define SIEVE_GRAIN 8u
#define SIEVE_BYTES 4096u /* an operation that touches more goes through any sieve */
#define SIEVE_PAYS 64u    /* others that are looked at: to make one takes as long as to look at some */

struct sieve {
	bool open; /* all go through */
	uint64_t bits[SIEVE_BITS / 64];
};

static bool sifts(const struct vtb_event *e)
{
	return e->addr && e->size && e->size <= SIEVE_BYTES &&
	       !(e->flags & (VTB_EVF_ADDR_UNKNOWN | VTB_EVF_ADDR_SYMBOLIC));
}

/* Is one of the event's grains in the sieve? With `put` they are all put in. */
static bool in_sieve(struct sieve *s, const struct vtb_event *e, bool put)
{
	const uint64_t last = (e->addr + e->size - 1) / SIEVE_GRAIN;
	bool any = false;

	for (uint64_t grain = e->addr / SIEVE_GRAIN; grain <= last; grain++) {
		const uint64_t bit = grain * 0x9e3779b97f4a7c15ull >> 48;

		any |= s->bits[bit / 64] >> bit % 64 & 1;
		s->bits[bit / 64] |= (uint64_t)put << bit % 64;
	}
	return any;
}

struct hunt_for_triple {
	const struct vtb_exec *x;
	const struct vtb_symtab *tab;
	struct vtb_forced forced;
	uint32_t *earlier, *later; /* each event's neighbours of the same thread; VTB_NONE: none */
	struct vtb_triple best;
	int score;                  /* of best; -1: none */
	bool loose;                 /* one end may be forced: nothing better was found */
	struct sieve before, after; /* of the stretch: what its thread touches on either side */
};

/* Another thread may have done a hundred thousand operations since: only own ones are gone through. */
static int link_own(struct hunt_for_triple *h)
{
	const struct vtb_exec *x = h->x;
	uint32_t *last = malloc((h->tab->n_threads + 1) * sizeof(*last));

	h->earlier = malloc((x->n_events + 1) * sizeof(*h->earlier));
	h->later = malloc((x->n_events + 1) * sizeof(*h->later));
	if (!last || !h->earlier || !h->later) {
		free(last);
		return -1;
	}
	memset(last, 0xff, (h->tab->n_threads + 1) * sizeof(*last));
	for (size_t i = 0; i < x->n_events; i++) {
		uint32_t *of = &last[x->events[i].thread < h->tab->n_threads ? x->events[i].thread : h->tab->n_threads];

		h->earlier[i] = *of;
		h->later[i] = VTB_NONE;
		if (*of != VTB_NONE)
			h->later[*of] = (uint32_t)i;
		*of = (uint32_t)i;
	}
	free(last);
	return 0;
}

/* From event `at` on, one of its thread's that touches the same. */
static size_t own_like(const struct hunt_for_triple *h, const uint32_t *next, size_t at, const struct vtb_event *like)
{
	for (size_t n = 0; n < LOOK_BACK && at != VTB_NONE && at < h->x->n_events; n++, at = next[at])
		if (touches(&h->x->events[at], like))
			return at;
	return VTB_EVENT_NONE;
}

static void make_sieve(const struct hunt_for_triple *h, struct sieve *s, const uint32_t *next, size_t at)
{
	*s = (struct sieve){ .open = false };
	for (size_t n = 0; n < LOOK_BACK && at != VTB_NONE && at < h->x->n_events; n++, at = next[at]) {
		if (sifts(&h->x->events[at]))
			in_sieve(s, &h->x->events[at], true);
		else
			s->open |= vtb_classify_is_data(&h->x->events[at]);
	}
}

static size_t own_before(struct hunt_for_triple *h, size_t gap, const struct vtb_event *like)
{
	if (!h->before.open && sifts(like) && !in_sieve(&h->before, like, false))
		return VTB_EVENT_NONE;
	return own_like(h, h->earlier, gap - 1, like);
}

static size_t own_after(struct hunt_for_triple *h, size_t back, const struct vtb_event *like)
{
	if (!h->after.open && sifts(like) && !in_sieve(&h->after, like, false))
		return VTB_EVENT_NONE;
	return own_like(h, h->later, back, like);
}

/* Reads that also write (atomic updates) count as writes; two of them are a pattern only with a write in the middle. */
static bool unserialisable(const struct vtb_event *first, const struct vtb_event *intruder,
                           const struct vtb_event *second)
{
	const bool w1 = vtb_classify_writes(first), wi = vtb_classify_writes(intruder),
	           w2 = vtb_classify_writes(second);

	return wi ? !(w1 && w2) : w1 && w2;
}

static bool wakes_between(const struct vtb_exec *x, size_t from, size_t to)
{
	for (size_t i = from + 1; i < to; i++)
		if (x->events[i].kind == VTB_E_COND_WAKE && x->events[i].thread == x->events[from].thread)
			return true;
	return false;
}

static enum vtb_pattern name_pattern(const struct vtb_exec *x, size_t first, size_t intruder, size_t second)
{
	if (x->events[intruder].kind == VTB_E_FREE)
		return VTB_PATTERN_USE_AFTER_FREE;
	if (wakes_between(x, first, second))
		return VTB_PATTERN_STALE_WAKE;
	if (!vtb_classify_writes(&x->events[first]) && vtb_classify_writes(&x->events[second]))
		return VTB_PATTERN_LOST_UPDATE;
	return VTB_PATTERN_ATOMICITY;
}

/* A paid switch is the reason for the failure more likely than a free one; the variable it is charged to more likely
 * than another; the thread that failed too. */
static int score(const struct vtb_exec *x, size_t gap, const struct vtb_triple *t)
{
	int n = 1;

	n += vtb_exec_preempts(x, gap) ? 16 : 0;
	n += x->events[gap - 1].var != VTB_NONE && x->events[gap - 1].var == x->events[t->first].var ? 8 : 0;
	n += t->first + 1 == gap ? 4 : 0;
	n += x->events[t->second].thread == x->outcome.thread ? 2 : 0;
	n += t->pattern == VTB_PATTERN_LOST_UPDATE || t->pattern == VTB_PATTERN_USE_AFTER_FREE;
	return n;
}

/* One place that only looks, and looks again, as a loop does: a switch that was not paid for does not say that others
 * must not change what it looks at in between. */
static bool only_looks_again(const struct vtb_exec *x, size_t gap, const struct vtb_triple *t)
{
	const struct vtb_event *first = &x->events[t->first], *second = &x->events[t->second];

	return !vtb_exec_preempts(x, gap) && first->site == second->site && first->site != VTB_NONE &&
	       !vtb_classify_writes(first) && !vtb_classify_writes(second);
}

static void consider(struct hunt_for_triple *h, size_t gap, struct vtb_triple t)
{
	const int n = score(h->x, gap, &t);
	bool created, joined;

	if (only_looks_again(h->x, gap, &t))
		return;
	if (n < h->score || (n == h->score && h->score >= 0 && t.second > h->best.second))
		return;
	/* created after the first or joined before the second operation: no lock over both keeps it out */
	created = vtb_forced_is(&h->forced, t.first, t.intruder);
	joined = vtb_forced_is(&h->forced, t.intruder, t.second);
	if (h->loose ? created && joined : created || joined)
		return;
	h->score = n;
	h->best = t;
}

/* Two variables that belong together: the thread touches one before and the other after; the intruder conflicts with
 * both. */
static void consider_pair(struct hunt_for_triple *h, size_t gap, size_t back, size_t i)
{
	const struct vtb_exec *x = h->x;
	const size_t first = own_before(h, gap, &x->events[i]);

	if (first == VTB_EVENT_NONE || !vtb_event_conflict(&x->events[first], &x->events[i]))
		return;
	for (size_t j = gap; j < back; j++) {
		const size_t second =
		    j == i || !vtb_classify_is_data(&x->events[j]) ? VTB_EVENT_NONE : own_after(h, back, &x->events[j]);

		if (second == VTB_EVENT_NONE || touches(&x->events[first], &x->events[second]) ||
		    !vtb_event_conflict(&x->events[second], &x->events[j]))
			continue;
		consider(h, gap,
		         (struct vtb_triple){ .pattern = VTB_PATTERN_ATOMICITY,
		                              .first = first,
		                              .intruder = j,
		                              .second = second,
		                              .pending = -1 });
		return;
	}
}

static void search_gap(struct hunt_for_triple *h, size_t gap, size_t back, bool pairs)
{
	const struct vtb_exec *x = h->x;

	h->before.open = h->after.open = true;
	if (back - gap >= SIEVE_PAYS) {
		make_sieve(h, &h->before, h->earlier, gap - 1);
		make_sieve(h, &h->after, h->later, back);
	}
	for (size_t i = gap; i < back; i++) {
		size_t first, second;

		if (!vtb_classify_is_data(&x->events[i]))
			continue;
		if (pairs) {
			consider_pair(h, gap, back, i);
			continue;
		}
		first = own_before(h, gap, &x->events[i]);
		second = own_after(h, back, &x->events[i]);
		if (first != VTB_EVENT_NONE && second != VTB_EVENT_NONE &&
		    unserialisable(&x->events[first], &x->events[i], &x->events[second]))
			consider(h, gap,
			         (struct vtb_triple){ .pattern = name_pattern(x, first, i, second),
			                              .first = first,
			                              .intruder = i,
			                              .second = second,
			                              .pending = -1 });
	}
}

static void search_gaps(struct hunt_for_triple *h, bool pairs)
{
	const struct vtb_exec *x = h->x;
	const size_t begin = x->n_events > VTB_STORY_EVENTS ? x->n_events - VTB_STORY_EVENTS : 0;

	for (size_t i = begin + 1; i < x->n_events; i++)
		if (x->events[i].thread != x->events[i - 1].thread && (!pairs || vtb_exec_preempts(x, i)))
			search_gap(h, i, vtb_stretch_return(x, i), pairs);
}

bool vtb_classify_atomicity(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_triple *ret)
{
	struct hunt_for_triple h = { .x = x, .tab = tab, .score = -1 };

	const bool linked = link_own(&h) == 0;

	vtb_forced_init(&h.forced, x, tab);
	if (linked)
		search_gaps(&h, false);
	if (linked && h.score < 16) /* nothing around a paid switch: perhaps two variables */
		search_gaps(&h, true);
	h.loose = h.score < 0;
	if (linked && h.loose)
		search_gaps(&h, false);
	vtb_forced_fini(&h.forced);
	free(h.earlier);
	free(h.later);
	if (h.score >= 0)
		*ret = h.best;
	return h.score >= 0;
}
