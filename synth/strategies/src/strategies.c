/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/strategies.h"

#include <errno.h>
#include <string.h>

#include "exitblock/exit_regions.h"
#include "priorities/prio.h"
#include "strategy_rows.h"
#include "vtb/bounded_text.h"
#include "vtb/name_list.h"

#define POINTER(name) &vtb_strategy_##name,
static const struct vtb_strategy *const strategies[] = { VTB_STRATEGY_ROWS(POINTER) };
#define STRATEGIES (sizeof(strategies) / sizeof(strategies[0]))

const struct vtb_strategy *vtb_strategy_find(const char *name)
{
	for (size_t i = 0; i < STRATEGIES; i++)
		if (!name || strcmp(strategies[i]->name, name) == 0)
			return strategies[i];
	return NULL;
}

const char *vtb_strategy_name(size_t i, const char **ret_help)
{
	if (i >= STRATEGIES)
		return NULL;
	if (ret_help)
		*ret_help = strategies[i]->help;
	return strategies[i]->name;
}

void vtb_strategy_list(FILE *out)
{
	for (size_t i = 0; i < STRATEGIES; i++)
		fprintf(out, "%-10s %s\n", strategies[i]->name, strategies[i]->help);
}

/* ---- options that are for some strategies only */

/* "the strategy dpor", "the strategies dfs and exitblock". */
static const char *those_that(uint32_t can, char *buf, size_t size)
{
	struct vtb_bounded_text t = { buf, size, 0 };
	size_t n = 0, left;

	buf[0] = '\0';
	for (size_t i = 0; i < STRATEGIES; i++)
		n += (strategies[i]->can & can) != 0;
	left = n;
	vtb_bounded_text_add(&t, n == 1 ? "the strategy" : "the strategies");
	for (size_t i = 0; i < STRATEGIES; i++)
		if (strategies[i]->can & can) {
			vtb_bounded_text_add(&t, "%s%s",
			                     left == n   ? " "
			                     : left == 1 ? " and "
			                                 : ", ",
			                     strategies[i]->name);
			left--;
		}
	return buf;
}

/* What leaves out runs for other reasons counts on all others being run. */
static int check_states(const struct vtb_search_opts *o, const struct vtb_strategy *strategy, struct vtb_error *err)
{
	char those[160];
	const char *why = NULL;

	if (!(strategy->can & VTB_STRATEGY_STATES))
		return vtb_error_set(err, -EINVAL, NULL, 0,
		                     "--match-states is for %s, which run every order (strategy %s)",
		                     those_that(VTB_STRATEGY_STATES, those, sizeof(those)), strategy->name);
	if (o->rw)
		why = "does not go with --rw, which leaves out orders for another reason";
	else if (o->focus_var || o->focus_function)
		why = "does not go with a focus, which does not look at all states";
	return why ? vtb_error_set(err, -EINVAL, NULL, 0, "--match-states %s (strategy %s)", why, strategy->name) : 0;
}

static int check_predicate(const struct vtb_search_opts *o, const struct vtb_strategy *strategy, struct vtb_error *err)
{
	const char *option = o->only_assertions  ? "--assertions-only"
	                     : o->check_function ? "--check-function"
	                                         : "--predicate";
	char those[160];

	if (o->no_prune)
		return vtb_error_set(err, -EINVAL, NULL, 0, "%s does not go with --no-predicate", option);
	if (!(strategy->can & VTB_STRATEGY_PREDICATE) && !o->on_trace)
		return vtb_error_set(err, -EINVAL, NULL, 0, "%s is for %s, not for %s", option,
		                     those_that(VTB_STRATEGY_PREDICATE, those, sizeof(those)), strategy->name);
	return 0;
}

static int check_region(const struct vtb_search_opts *o, const struct vtb_strategy *strategy, struct vtb_error *err)
{
	const char *bad;
	char those[160];

	if (!(strategy->can & VTB_STRATEGY_REGIONS))
		return vtb_error_set(err, -EINVAL, NULL, 0, "--region is for %s, not for %s",
		                     those_that(VTB_STRATEGY_REGIONS, those, sizeof(those)), strategy->name);
	if (!vtb_exit_regions_valid(o->region, &bad))
		return vtb_error_set(err, -EINVAL, NULL, 0,
		                     "--region=%.*s: expected ops:N, N from 1 to 1000000, or module",
		                     (int)strcspn(bad, ","), bad);
	return 0;
}

bool vtb_strategies_by_reads(const struct vtb_search_opts *opts)
{
	const struct vtb_strategy *strategy = vtb_strategy_find(opts->strategy);

	return vtb_search_equivalence(opts, strategy ? strategy->can : 0) == VTB_EQUIVALENCE_READS;
}

static bool is_empty(const char *list)
{
	size_t length;

	return !vtb_name_list_next(&list, &length);
}

int vtb_strategies_check(const struct vtb_search_opts *opts, struct vtb_error *err)
{
	const struct vtb_strategy *strategy = vtb_strategy_find(opts->strategy);
	const struct vtb_prio *prios[VTB_PRIOS_MAX];
	const char *bad;
	char those[160];

	if (!strategy)
		return vtb_error_set(err, -EINVAL, NULL, 0,
		                     "--strategy=%s: there is no such strategy; --list-strategies lists them",
		                     opts->strategy);
	if (opts->priority && vtb_prios_find(opts->priority, prios, &bad) < 0)
		return vtb_error_set(err, -EINVAL, NULL, 0,
		                     "--priority=%.*s: there is no such priority; --list-priorities lists them",
		                     (int)strcspn(bad, ","), bad);
	if ((opts->focus_var && is_empty(opts->focus_var)) || (opts->focus_function && is_empty(opts->focus_function)))
		return vtb_error_set(err, -EINVAL, NULL, 0, "a focus on nothing: give it a name");
	if (vtb_search_prunes(opts) && check_predicate(opts, strategy, err) < 0)
		return -EINVAL;
	if (opts->region && check_region(opts, strategy, err) < 0)
		return -EINVAL;
	if (opts->check_function && is_empty(opts->check_function))
		return vtb_error_set(err, -EINVAL, NULL, 0, "--check-function: give it a name");
	if (vtb_strategies_by_reads(opts) && !(strategy->can & VTB_STRATEGY_READS_FROM))
		return vtb_error_set(err, -EINVAL, NULL, 0, "reads-from equivalence is for %s, not for %s",
		                     those_that(VTB_STRATEGY_READS_FROM, those, sizeof(those)), strategy->name);
	return opts->match_states ? check_states(opts, strategy, err) : 0;
}

/* Walks repeat themselves where there are few classes. */
static const struct vtb_strategy *relief_of(const struct vtb_search_opts *o)
{
	const bool walks = vtb_strategy_find(o->strategy)->can & VTB_STRATEGY_WALKS;

	return walks && !o->no_hand_over && !o->exhaust ? &vtb_strategy_dpor : NULL;
}

int vtb_strategies_begin(struct vtb_runner *runner, const struct vtb_search_opts *opts, struct vtb_search **ret,
                         struct vtb_error *err)
{
	struct vtb_search_opts with = *opts;
	int r = vtb_strategies_check(opts, err);

	if (r < 0)
		return r;
	with.relief = relief_of(opts);
	return vtb_search_begin(runner, vtb_strategy_find(opts->strategy), &with, ret, err);
}
