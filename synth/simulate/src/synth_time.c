/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What searches of a synthesis get: of --time, one end for all that it does, reading the trace included; --predicate.
 */
#include "synth_priv.h"
#include "vtb/stop.h"
#include "vtb/strategies.h"

#define DESCRIBE_SECONDS 0.25 /* more, to describe what was found */
#define LEAST_SECONDS 0.001   /* of a search: so that it ends early and says so */

void synth_begin_time(struct synthesis *y)
{
	y->seconds = y->opts.search.seconds;
	clock_gettime(CLOCK_MONOTONIC, &y->began);
	y->ret->deadline = y->seconds > 0 ? vtb_stop_clock() + synth_seconds_left(y) : 0;
}

double synth_seconds_left(const struct synthesis *y)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return y->seconds - y->opts.spent_seconds - (double)(now.tv_sec - y->began.tv_sec) -
	       (double)(now.tv_nsec - y->began.tv_nsec) / 1e9;
}

void synth_limit_time(const struct synthesis *y, struct vtb_search_opts *opts, double part)
{
	const double left = synth_seconds_left(y) * part;

	if (y->seconds > 0)
		opts->seconds = left > LEAST_SECONDS ? left : LEAST_SECONDS; /* 0 would be no limit */
}

bool synth_may_describe(struct synthesis *y, size_t i)
{
	if (y->ret->deadline == 0 || !i || vtb_stop_clock() < y->ret->deadline + DESCRIBE_SECONDS)
		return true;
	synth_keep_first(y->ret, i);
	return false;
}

uint64_t synth_default_budget(size_t events)
{
	const uint64_t fitting = VTB_SYNTH_EVENTS / (events + 1);

	if (fitting < 1000)
		return 1000;
	return fitting < VTB_SYNTH_BUDGET ? fitting : VTB_SYNTH_BUDGET;
}

/* Candidates are told, and ranked, by what can matter. */
static bool matters(void *data, const struct vtb_event *e)
{
	const struct synthesis *y = data;

	return vtb_predicate_site_matters(y->pruning.predicate, e->site);
}

int synth_begin_pruning(struct synthesis *y, struct vtb_error *err)
{
	const struct vtb_search_opts *o = &y->opts.search;
	const struct vtb_predicate_slices_opts slices = { .only_assertions = o->only_assertions,
		                                          .check_functions = o->check_function };

	char name[200];

	if (y->pruning.predicate || !vtb_search_prunes(o))
		return 0;
	if (vtb_predicate_slices_unknown(&y->trace->tab, o->check_function, name, sizeof(name)))
		return vtb_error_set(err, -EINVAL, NULL, 0, "--check-function: the program has no function \"%s\"",
		                     name);
	if (vtb_pruning_begin(&y->trace->tab, &slices, &y->pruning) < 0)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "out of memory for slices");
	y->reference.counts = matters;
	y->reference.data = y;
	return 0;
}

int synth_begin_search(struct synthesis *y, struct vtb_runner *runner, const struct vtb_search_opts *opts,
                       struct vtb_search **ret, struct vtb_error *err)
{
	struct vtb_search_opts pruned = *opts;
	const int r = synth_begin_pruning(y, err);

	pruned.predicate = y->pruning.predicate;
	return r < 0 ? r : vtb_strategies_begin(runner, &pruned, ret, err);
}
