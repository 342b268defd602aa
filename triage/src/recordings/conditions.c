/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The default schedule under other conditions: only one is another each time, so what changes the outcome is known. */
#include "differences.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vtb/process_runner.h"

#define CLOCK_RUNS 24u
#define ADDRESS_PROCESSES 8u
#define PAUSE_NSEC 37000000 /* between runs that look at the clock */

struct tally {
	uint32_t failed, passed;
};

struct conditions {
	const struct vtb_hunt_opts *opts;
	bool real_time, random_addresses;
	uint32_t runs;
};

static void run_default(struct vtb_runner *runner, struct tally *tally)
{
	static const struct vtb_schedule plain = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	const struct vtb_schedule *schedule = &plain;
	struct vtb_exec x = { 0 };

	if (vtb_runner_run(runner, &schedule, 1, &x, NULL) < 0)
		return;
	if (vtb_verdict_exit_code(x.outcome.verdict) == 1)
		tally->failed++;
	else if (x.outcome.verdict == VTB_V_NONE || x.outcome.verdict == VTB_V_SEQUENTIAL)
		tally->passed++;
	vtb_exec_fini(&x);
}

/* In one process of its own. Trouble: nothing is counted. */
static void try_process(const struct conditions *c, struct tally *tally)
{
	struct vtb_process_opts process = { .argv = c->opts->argv, .cwd = c->opts->cwd };
	struct vtb_runner_opts runner_opts = c->opts->runner;
	struct vtb_runner *runner = NULL;
	int statuses[256];

	runner_opts.real_time = c->real_time;
	runner_opts.jobs = 1;
	if (vtb_runner_opts_read(&runner_opts, statuses, &process, NULL) < 0)
		return;
	process.random_addresses = c->random_addresses;
	if (vtb_process_runner_new(&process, &runner, NULL) < 0)
		return;
	for (uint32_t i = 0; i < c->runs; i++) {
		if (c->real_time)
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NSEC }, NULL);
		run_default(runner, tally);
	}
	vtb_runner_free(runner);
}

static bool changes(const struct tally *base, const struct tally *now)
{
	return (base->failed && now->passed) || (base->passed && now->failed);
}

static bool by_clock(const struct vtb_hunt_opts *opts, const struct tally *base)
{
	struct tally now = { 0 };

	try_process(&(struct conditions){ .opts = opts, .real_time = true, .runs = CLOCK_RUNS }, &now);
	return changes(base, &now);
}

static bool by_addresses(const struct vtb_hunt_opts *opts, const struct tally *base)
{
	struct tally now = { 0 };

	for (uint32_t i = 0; i < ADDRESS_PROCESSES && !changes(base, &now); i++)
		try_process(&(struct conditions){ .opts = opts, .random_addresses = true, .runs = 1 }, &now);
	return changes(base, &now);
}

/* What the allocator hands out is filled with something else: glibc's MALLOC_PERTURB_. All values are equally long, so
 * that nothing else moves, and are compared with each other. */
static bool by_fill(const struct vtb_hunt_opts *opts, const struct tally *base)
{
	static const char *const fills[] = { "101", "154", "190", "227" };
	char *before = getenv("MALLOC_PERTURB_") ? strdup(getenv("MALLOC_PERTURB_")) : NULL;
	struct tally now = { 0 };

	(void)base;
	for (size_t i = 0; i < sizeof(fills) / sizeof(*fills) && !(now.failed && now.passed); i++) {
		setenv("MALLOC_PERTURB_", fills[i], 1);
		try_process(&(struct conditions){ .opts = opts, .runs = 1 }, &now);
	}
	if (before)
		setenv("MALLOC_PERTURB_", before, 1);
	else
		unsetenv("MALLOC_PERTURB_");
	free(before);
	return now.failed && now.passed;
}

static const struct {
	bool (*depends)(const struct vtb_hunt_opts *opts, const struct tally *base);
	const char *words;
} kinds[] = {
	{ by_clock, "clock: with the system's clock instead of a virtual one the same schedule ends otherwise" },
	{ by_addresses, "addresses: with randomised ones (ASLR) the same schedule ends otherwise" },
	{ by_fill, "uninitialised memory: with other bytes in fresh heap blocks the same schedule ends otherwise" },
};

int vtb_differences_tried(struct vtb_triage *t, const struct vtb_hunt_opts *opts)
{
	struct tally base = { 0 };
	int r = 0;

	if (!opts->argv || !opts->argv[0])
		return 0;
	try_process(&(struct conditions){ .opts = opts, .runs = 2 }, &base);
	if (!base.failed == !base.passed) /* it cannot be run, or two runs of it differ already */
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && r >= 0; i++)
		if (kinds[i].depends(opts, &base))
			r = vtb_differences_add(t, "%s", kinds[i].words);
	return r;
}
