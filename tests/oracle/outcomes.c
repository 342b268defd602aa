/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcomes PROGRAM STRATEGY C SECONDS [ARGUMENT]: run PROGRAM under every schedule that STRATEGY proposes with at most
 * C deviations
 * ("-": no bound) and print each way in which it ended once, with the lowest (c, v) of the runs that ended so:
 *
 *     exit 12 1 1            verdict (or "exit"), exit status, c, v
 *     deadlock 134 0 0
 *     end exhausted=1 complete=1 unbounded=0 unexplored=0 disciplined=0 diverged=0 schedules=123
 *
 * STRATEGY may be followed by options: dpor+reads-from, exitblock+rw, dfs+states, dfs+sure, bestfirst+exhaust.
 * disciplined: exitblock says that there is no other behaviour.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/process_runner.h"
#include "vtb/strategies.h"

#define OUTCOMES_MAX 512

struct ending {
	enum vtb_verdict verdict;
	int status;
	struct vtb_tuple lowest;
};

struct endings {
	struct ending list[OUTCOMES_MAX];
	size_t n;
};

static bool lower(struct vtb_tuple a, struct vtb_tuple b)
{
	return a.c < b.c || (a.c == b.c && a.v < b.v);
}

static void executed(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                     uint64_t class_id, bool new_class, void *data)
{
	struct endings *all = data;
	const struct vtb_tuple tuple = vtb_exec_tuple(x);
	size_t i;

	(void)search;
	(void)s;
	(void)class_id;
	(void)new_class;
	if (x->brief) /* it ended as another did */
		return;
	for (i = 0; i < all->n; i++)
		if (all->list[i].verdict == x->outcome.verdict && all->list[i].status == x->outcome.exit_status)
			break;
	if (i == OUTCOMES_MAX)
		return;
	if (i == all->n)
		all->list[all->n++] = (struct ending){ x->outcome.verdict, x->outcome.exit_status, tuple };
	else if (lower(tuple, all->list[i].lowest))
		all->list[i].lowest = tuple;
}

static void print(const struct endings *all, const struct vtb_search *search)
{
	const struct vtb_search_stats *stats = vtb_search_stats(search);
	struct vtb_claim claim;

	vtb_search_claim(search, &claim);
	for (size_t i = 0; i < all->n; i++) {
		const struct ending *e = &all->list[i];

		printf("%s %d %u %u\n", e->verdict ? vtb_verdict_name(e->verdict) : "exit", e->status, e->lowest.c,
		       e->lowest.v);
	}
	printf("end exhausted=%d complete=%d unbounded=%d unexplored=%d disciplined=%d diverged=%llu schedules=%llu\n",
	       claim.exhausted, claim.complete, claim.unbounded, claim.unexplored != 0,
	       strstr(claim.text, "there is no other behaviour") != NULL, (unsigned long long)stats->diverged,
	       (unsigned long long)stats->schedules);
	if (stats->diverged)
		fprintf(stderr, "the first that diverged: %s\n", stats->diverged_at);
}

static int search_all(struct vtb_runner *runner, const struct vtb_search_opts *opts, struct vtb_error *err)
{
	static struct endings all;
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = executed, .data = &all };
	struct vtb_search *search;
	int r = vtb_strategies_begin(runner, opts, &search, err);

	if (r < 0)
		return r;
	r = vtb_search_run(search, &calls, err);
	if (r >= 0)
		print(&all, search);
	vtb_search_free(search);
	return r;
}

/* "exitblock+rw" */
static int set_strategy(char *text, struct vtb_search_opts *opts)
{
	struct {
		const char *name;
		bool *option;
	} rows[] = { { "reads-from", &opts->reads_from },
		     { "rw", &opts->rw },
		     { "states", &opts->match_states },
		     { "sure", &opts->sure_steps },
		     { "exhaust", &opts->exhaust } };
	char *plus = strchr(text, '+');

	opts->strategy = text;
	if (!plus)
		return 0;
	*plus++ = '\0';
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(plus, rows[i].name)) {
			*rows[i].option = true;
			opts->match_states |= opts->sure_steps;
			return 0;
		}
	return -EINVAL;
}

int main(int argc, char **argv)
{
	struct vtb_process_opts process = { .argv = (char *[]){ argc > 1 ? argv[1] : NULL, argc > 5 ? argv[5] : NULL,
		                                                NULL },
		                            .engine = VTB_ENGINE_AUTO,
		                            .pass.any_exit_status = true };
	struct vtb_search_opts opts;
	struct vtb_runner *runner;
	struct vtb_error err = { 0 };
	int r;

	if (argc != 5 && argc != 6) {
		fprintf(stderr, "usage: outcomes PROGRAM STRATEGY C SECONDS [ARGUMENT]\n");
		return 2;
	}
	vtb_search_opts_init(&opts);
	if (set_strategy(argv[2], &opts) < 0) {
		fprintf(stderr, "outcomes: there is no strategy \"%s\"\n", argv[2]);
		return 2;
	}
	opts.c = opts.v = strcmp(argv[3], "-") ? (uint32_t)atoi(argv[3]) : VTB_UNBOUNDED;
	opts.seconds = atof(argv[4]);
	r = vtb_process_runner_new(&process, &runner, &err);
	if (r >= 0) {
		r = search_all(runner, &opts, &err);
		vtb_runner_free(runner);
	}
	if (r < 0)
		fprintf(stderr, "outcomes: %s\n", err.text);
	return r < 0 ? 3 : 0;
}
