/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines checkpoints SCHEDULES PROGRAM [ARGS]: the first SCHEDULES schedules of PROGRAM in depth-first order, from
 * main and from
 * checkpoints: the same runs, and how many a second of each; prints for script/bench.
 */
#include "engines.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DEPTH_MAX 4096u

/* Which threads have been chosen at each event of the present run. */
struct search {
	uint64_t tried[DEPTH_MAX];
	struct vtb_exec run;
	struct vtb_schedule schedule;
};

static uint64_t row(const struct vtb_exec *x, size_t i)
{
	return x->enabled[i * x->stride]; /* these programs have few threads */
}

/* The deepest event at which another thread has not had its turn. 0: none. */
static size_t branch(const struct search *s)
{
	size_t i = s->run.n_events < DEPTH_MAX ? s->run.n_events : DEPTH_MAX;

	while (--i > 0)
		if (row(&s->run, i) & ~s->tried[i])
			return i;
	return 0;
}

/* As the present run up to event `at`, which `thread` makes instead. */
static void lead_to(struct search *s, size_t at, uint32_t thread)
{
	uint32_t done[64] = { 0 };

	vtb_schedule_fini(&s->schedule);
	s->schedule = (struct vtb_schedule){ 0 };
	for (size_t i = 1; i <= at; i++) {
		const uint32_t before = s->run.events[i - 1].thread, next = i == at ? thread : s->run.events[i].thread;

		done[before]++;
		if (next != before &&
		    vtb_schedule_deviate(&s->schedule, before, done[before], VTB_DEV_SWITCH, next, VTB_NONE, 1) < 0)
			die("no memory");
	}
}

static bool next_schedule(struct search *s)
{
	const size_t at = branch(s);
	uint32_t thread;

	if (!at)
		return false;
	thread = (uint32_t)__builtin_ctzll(row(&s->run, at) & ~s->tried[at]);
	s->tried[at] |= 1ull << thread;
	memset(s->tried + at + 1, 0, (DEPTH_MAX - at - 1) * sizeof(*s->tried));
	lead_to(s, at, thread);
	return true;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs up to n schedules; the hash of all of them in *ret_hash. Returns schedules a second. */
static double explore(enum vtb_wire_dirty dirty, uint32_t options, size_t n, char *const *argv, uint64_t *ret_hash)
{
	const struct setting setting = { "snapshot", VTB_ENGINE_SNAPSHOT, VTB_CARRIER_FIBERS, dirty, false, options };
	struct vtb_runner *runner = open_runner(&setting, argv, 0);
	struct search *s = calloc(1, sizeof(*s));
	const double began = now();
	double rate;
	size_t runs = 0;

	if (!s)
		die("no memory");
	*ret_hash = HASH_START;
	do {
		char *text;

		vtb_exec_fini(&s->run);
		run_one(runner, &s->schedule, &s->run);
		if (s->run.outcome.flags & VTB_OUT_DIVERGED)
			die("a run went another way than its schedule");
		for (size_t i = 0; i < s->run.n_events && i < DEPTH_MAX; i++)
			s->tried[i] |= 1ull << s->run.events[i].thread;
		text = describe(runner, &s->run);
		*ret_hash = hash_text(*ret_hash, text);
		free(text);
	} while (++runs < n && next_schedule(s));
	rate = (double)runs / (now() - began);
	vtb_exec_fini(&s->run);
	vtb_schedule_fini(&s->schedule);
	free(s);
	vtb_runner_free(runner);
	return rate;
}

/* engines checkpoints-same SETTING SCHEDULES PROGRAM [ARGS]: with a checkpoint wherever there can be one, the runs are
 * the same. */
int command_checkpoints_same(int argc, char **argv)
{
	uint64_t from_main, with;
	const struct setting *setting;

	if (argc < 3)
		die("usage: engines checkpoints-same SETTING SCHEDULES PROGRAM [ARGUMENT...]");
	setting = setting_by_name(argv[0]);
	explore(setting->dirty, VTB_OPT_NO_CHECKPOINTS, strtoull(argv[1], NULL, 10), argv + 2, &from_main);
	explore(setting->dirty, VTB_OPT_CHECKPOINT_ALWAYS, strtoull(argv[1], NULL, 10), argv + 2, &with);
	if (from_main != with)
		die("runs from checkpoints differ from those from main");
	return 0;
}

int command_checkpoints(int argc, char **argv)
{
	uint64_t from_main, with;
	double slow, fast;
	size_t n;

	if (argc < 2)
		die("usage: engines checkpoints SCHEDULES PROGRAM [ARGUMENT...]");
	n = strtoull(argv[0], NULL, 10);
	slow = explore(VTB_DIRTY_AUTO, VTB_OPT_NO_CHECKPOINTS, n, argv + 1, &from_main);
	fast = explore(VTB_DIRTY_AUTO, 0, n, argv + 1, &with);
	if (from_main != with)
		die("runs from checkpoints differ from those from main");
	printf("10^6 iterations between accesses, from main\t%.0f\tschedules/s\t\n", slow);
	printf("the same, with checkpoints\t%.0f\tschedules/s\t\n", fast);
	printf("the same, ratio\t%.1f\ttimes\t>= 5\n", fast / slow);
	return 0;
}
