/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which class a run is of.
 *
 * Some are told by their class (struct vtb_exec, brief). That a runner's prints tell classes apart is not taken for
 * granted: of runs that are told in full though their print is known, the class is compared.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "search_priv.h"
#include "vtb/array.h"
#include "vtb/predicate.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

static double prints_merged(const struct vtb_search *search)
{
	return ldexp((double)search->n_prints * (double)search->n_prints, -129);
}

static int room_for_prefix(struct vtb_search *search, size_t n)
{
	void *items = search->prefix;
	int r = n > search->cap_prefix ? vtb_array_reserve(&items, &search->cap_prefix, n, sizeof(*search->prefix)) : 0;

	search->prefix = items;
	search->space.prefix = items;
	return r;
}

static inline uint64_t id_of(struct vtb_hash128 h)
{
	return h.lo ^ vtb_mix64(h.hi);
}

uint64_t vtb_class_id(struct vtb_hash128 h)
{
	return id_of(h);
}

/* Clocks that were read before event `row`, and after the one before. */
static int note_clocks(struct vtb_search *search, const struct vtb_exec *x, size_t row, size_t *at)
{
	int r = 0;

	for (; r >= 0 && *at < x->n_clock_reads && x->clock_reads[*at].row <= row; ++*at)
		r = vtb_clock_order_read(&search->clocks, search->order, x->clock_reads[*at].thread);
	return r;
}

static void tell_clocks(struct vtb_search *search)
{
	const struct vtb_clock_order *c = &search->clocks;

	search->space.clocks_shared |= c->shared;
	if (!c->open)
		return;
	search->space.clocks = true;
	if (search->stats.clocks++ == 0)
		snprintf(search->stats.clocks_of, sizeof(search->stats.clocks_of), "%s and %s",
		         vtb_thread_path(search->runner->tab, c->first),
		         vtb_thread_path(search->runner->tab, c->second));
}

static int feed_all(struct vtb_search *search, const struct vtb_exec *x, struct vtb_hash128 *ret)
{
	size_t clocks = 0;
	int r = 0;

	vtb_mazurkiewicz_begin(search->order);
	vtb_clock_order_begin(&search->clocks, search->opts.equivalence == VTB_EQUIVALENCE_READS ||
	                                           vtb_predicate_awake(search->opts.predicate));
	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		r = note_clocks(search, x, i, &clocks);
		if (r >= 0)
			r = vtb_mazurkiewicz_feed(search->order, &x->events[i], ret);
		search->prefix[i] = id_of(*ret);
	}
	return r < 0 ? r : note_clocks(search, x, x->n_events, &clocks);
}

/* Classes of its beginnings, too. */
static int find_class(struct vtb_search *search, const struct vtb_exec *x, struct vtb_hash128 *ret)
{
	int r = room_for_prefix(search, x->n_events);

	*ret = (struct vtb_hash128){ 0, 0 };
	return r < 0 ? r : feed_all(search, x, ret);
}

static int add_class(struct vtb_search *search, const struct vtb_exec *x, uint64_t *ret_class, bool *ret_new)
{
	struct vtb_hash128 h;
	int r = find_class(search, x, &h);

	if (r >= 0)
		tell_clocks(search);
	if (x->partial) { /* what two runs have in common without some accesses need not be one class */
		h.lo += vtb_mix64(vtb_selective_salt(&search->selective));
		h.hi += vtb_mix64(~vtb_selective_salt(&search->selective));
	}
	*ret_class = vtb_class_id(h);
	if (r >= 0)
		r = vtb_hash_set_add(&search->classes, h, ret_new);
	search->stats.classes += r >= 0 && *ret_new && !x->partial;
	search->stats.merged = vtb_hash_set_merged(&search->classes) + prints_merged(search);
	search->stats.classes_not_kept = search->classes.not_kept;
	search->space.classes = search->classes.not_kept ? 0 : search->stats.classes;
	return r;
}

/* ---- runs that are told by their class */

static const struct vtb_search_print no_print;

static const struct vtb_search_print *print_of(const struct vtb_search *search, const struct vtb_exec *x)
{
	return x->print < search->n_prints ? &search->prints[x->print] : &no_print;
}

/* Accesses that a run passed over are operations all the same: how many there are must not depend on what the runner
 * had learnt before. */
static uint64_t operations(const struct vtb_exec *x)
{
	uint64_t n = x->n_events;

	for (size_t i = 0; x->owned && i < x->n_events; i++)
		n += x->events[i].kind == VTB_E_OWNED ? x->events[i].value - 1 : 0;
	return n;
}

static int note_print(struct vtb_search *search, const struct vtb_exec *x, uint64_t class_id)
{
	struct vtb_search_print *p;

	if (vtb_array_extend(search, prints, x->print + 1, no_print) < 0)
		return -ENOMEM;
	p = &search->prints[x->print];
	if (p->class_id && p->class_id != class_id) {
		search->stats.mixed++;
		search->runner->tell_all = true;
	}
	*p = (struct vtb_search_print){ .class_id = class_id, .n_events = operations(x) };
	return 0;
}

int vtb_search_class(struct vtb_search *search, const struct vtb_exec *x, uint64_t *ret_class, bool *ret_new)
{
	struct vtb_hash128 h;
	int r;

	*ret_new = false;
	*ret_class = 0;
	if (vtb_outcome_is_unread(&x->outcome))
		return find_class(search, x, &h); /* it counts as none */
	if (x->brief) {
		*ret_class = print_of(search, x)->class_id;
		return 0;
	}
	r = add_class(search, x, ret_class, ret_new);
	return r >= 0 && x->print ? note_print(search, x, *ret_class) : r;
}

uint64_t vtb_search_events(const struct vtb_search *search, const struct vtb_exec *x)
{
	return x->brief ? print_of(search, x)->n_events : operations(x);
}

/* ---- runs that fail as others did */

static bool is_known(const struct vtb_known_failures *k, const struct vtb_exec *x)
{
	const char *signature = x->outcome.signature;

	for (uint32_t i = 0; signature && i < k->n; i++)
		if (!strcmp(k->signatures[i], signature))
			return true;
	return false;
}

/* What has no name is not known by it. */
void vtb_search_know_failure(struct vtb_search *search, const struct vtb_exec *x)
{
	struct vtb_known_failures *k = &search->known;
	const char *signature = x->outcome.signature;

	if (signature && *signature && k->n < KNOWN_FAILURES_MAX && !is_known(k, x))
		k->signatures[k->n++] = signature;
}

/* It changes nothing but what is counted. Its (c, v) is at least what is told of it. */
static bool fails_as_others(const struct vtb_search *search, const struct vtb_exec *x)
{
	return is_known(&search->known, x) && !vtb_search_is_lower(vtb_exec_tuple(x), search->stats.lowest);
}

static bool is_enough(struct vtb_runner *runner, const struct vtb_exec *x)
{
	const struct vtb_search *search = runner->enough_data;

	return (search->little_will_do && runner->long_runs) || fails_as_others(search, x);
}

void vtb_search_ask(struct vtb_search *search, const struct vtb_search_calls *calls)
{
	const bool asks = (calls->known_will_do || calls->little_will_do) && !search->opts.tell_all;

	search->little_will_do = calls->little_will_do;
	search->runner->enough = asks ? is_enough : NULL;
	search->runner->enough_data = search;
}

static bool passed_as_others(const struct vtb_plan *plan, const struct vtb_exec *x, bool new_class)
{
	return x->brief || (plan->schedule.brief && !new_class && !x->partial && x->outcome.verdict == VTB_V_NONE &&
	                    !(x->outcome.flags & ~(uint32_t)(VTB_OUT_SPUN | VTB_OUT_TIMING)));
}

bool vtb_search_shows_nothing(const struct vtb_search *search, const struct vtb_search_calls *calls,
                              const struct vtb_plan *plan, const struct vtb_exec *x, bool new_class)
{
	return passed_as_others(plan, x, new_class) ||
	       (calls->known_will_do && plan->schedule.brief && vtb_verdict_exit_code(x->outcome.verdict) == 1 &&
	        fails_as_others(search, x));
}
