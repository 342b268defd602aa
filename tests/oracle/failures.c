/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failures PROGRAM HOW LIMIT [ARGUMENT]: run PROGRAM in every class of its interleavings (dpor) and print each
 * failure once, by its signature, in order:
 *
 *     failure assertion assertion x != 3 at prog.c:12
 *     end complete=1 exhausted=1 diverged=0 schedules=123 places=3/10 variables=1/4
 *
 * HOW: all, predicate, assertions, later (predicate, but not from the first run on); +reads-from, +cvt (that strategy).
 * LIMIT: so many schedules, or seconds ("60s"). What was left out stands behind `places` and `variables`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/predicate_slices.h"
#include "vtb/process_runner.h"
#include "vtb/strategies.h"

#define FAILURES_MAX 256
#define LATER_RUNS 3 /* few enough that small programs get there */

struct failures {
	char *lines[FAILURES_MAX];
	size_t n;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum vtb_search_reply failing(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                                     struct vtb_tuple tuple, void *data)
{
	struct failures *all = data;
	char line[512];

	(void)search;
	(void)s;
	(void)tuple;
	snprintf(line, sizeof(line), "%s %s", vtb_verdict_name(x->outcome.verdict),
	         x->outcome.signature ? x->outcome.signature : "");
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->lines[i], line))
			return VTB_SEARCH_GO_ON;
	if (all->n < FAILURES_MAX)
		all->lines[all->n++] = strdup(line);
	return VTB_SEARCH_GO_ON;
}

static void print(struct failures *all, const struct vtb_search *search, const struct vtb_pruning *pruning)
{
	const struct vtb_search_stats *stats = vtb_search_stats(search);
	struct vtb_predicate_counts n = { 0 };
	struct vtb_claim claim;
	char doubt[256];

	vtb_search_claim(search, &claim);
	if (pruning->predicate)
		vtb_predicate_count(pruning->predicate, &n);
	qsort(all->lines, all->n, sizeof(*all->lines), by_text);
	for (size_t i = 0; i < all->n; i++)
		printf("failure %s\n", all->lines[i]);
	printf("end complete=%d exhausted=%d diverged=%llu schedules=%llu places=%llu/%llu variables=%llu/%llu\n",
	       claim.complete, claim.exhausted, (unsigned long long)stats->diverged,
	       (unsigned long long)stats->schedules, (unsigned long long)n.hidden_sites, (unsigned long long)n.sites,
	       (unsigned long long)n.hidden_vars, (unsigned long long)n.vars);
	if (pruning->slices && vtb_predicate_slices_doubt(pruning->slices, doubt, sizeof(doubt)))
		fprintf(stderr, "everything matters: %s\n", doubt);
	if (!claim.complete)
		fprintf(stderr, "%s\n", claim.text);
}

static int search_all(struct vtb_runner *runner, struct vtb_search_opts *opts, uint64_t later, struct vtb_error *err)
{
	static struct failures all;
	const struct vtb_search_calls calls = { .failing = failing, .data = &all };
	const struct vtb_predicate_slices_opts slices = { .only_assertions = opts->only_assertions, .later = later };
	struct vtb_pruning pruning = { 0 };
	struct vtb_search *search = NULL;
	int r = opts->prune ? vtb_pruning_begin(runner->tab, &slices, &pruning) : 0;

	opts->predicate = pruning.predicate;
	if (r >= 0)
		r = vtb_strategies_begin(runner, opts, &search, err);
	if (r >= 0)
		r = vtb_search_run(search, &calls, err);
	if (r >= 0)
		print(&all, search, &pruning);
	vtb_search_free(search);
	vtb_pruning_end(&pruning);
	return r;
}

int main(int argc, char **argv)
{
	struct vtb_process_opts process = { .argv = (char *[]){ argc > 1 ? argv[1] : NULL, argc > 4 ? argv[4] : NULL,
		                                                NULL },
		                            .engine = VTB_ENGINE_AUTO };
	struct vtb_search_opts opts;
	struct vtb_runner *runner;
	struct vtb_error err = { 0 };
	int r;

	if (argc != 4 && argc != 5) {
		fprintf(stderr,
		        "usage: failures PROGRAM all|predicate|assertions|later[+reads-from|+cvt] LIMIT [ARGUMENT]\n");
		return 2;
	}
	vtb_search_opts_init(&opts);
	opts.strategy = strstr(argv[2], "cvt") ? "cvt" : "dpor";
	opts.only_assertions = strstr(argv[2], "assertions") != NULL;
	opts.prune = opts.only_assertions || strstr(argv[2], "predicate") || strstr(argv[2], "later");
	opts.equivalence = strstr(argv[2], "reads-from") ? VTB_EQUIVALENCE_READS : VTB_EQUIVALENCE_ORDER;
	if (strchr(argv[3], 's'))
		opts.seconds = atof(argv[3]);
	else
		opts.budget = strtoull(argv[3], NULL, 10);
	r = vtb_process_runner_new(&process, &runner, &err);
	if (r >= 0) {
		r = search_all(runner, &opts, strstr(argv[2], "later") ? LATER_RUNS : 0, &err);
		vtb_runner_free(runner);
	}
	if (r < 0)
		fprintf(stderr, "failures: %s\n", err.text);
	return r < 0 ? 3 : 0;
}
