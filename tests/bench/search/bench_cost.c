/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-cost simulated|engine STRATEGY BUDGET PROGRAM [ARGUMENT...]: what a search costs besides the runs that it asks
 * for.
 *
 *   engine      on the real program, snapshot engine, with fingerprints and the set of classes
 *   simulated   on the operations of its default run, simulated: the program costs next to nothing, and is taken off
 *               all the same
 *
 * Between the search and its runner stands one that does nothing but read the clock, once before and once after a
 * batch. What the clock itself costs is
 * measured and taken off. Processor time of the calling thread; with `engine` also wall time, since the program runs in
 * a process of its own:
 * of another search, at which no clock is read.
 * Exit code 1: it has used more than 1 GB at some time, the budget of ten million runs.
 * Prints rows for script/bench: name, value, unit; names begin with "STRATEGY, simulated|engine, N events".
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "vtb/ingest.h"
#include "vtb/process_runner.h"
#include "vtb/simulate.h"
#include "vtb/strategies.h"

struct watched {
	struct vtb_runner base;
	struct vtb_runner *inner;
	double inside;            /* seconds of processor time in it, without what the search does meanwhile */
	uint64_t calls, readings; /* of the clock, two at a time */
};

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void watched_ready(struct vtb_runner *inner, size_t n)
{
	struct watched *w = inner->ready_data;
	const double before = cpu();

	w->base.ready(&w->base, n);
	inner->asked = w->base.asked;
	w->inside -= cpu() - before;
	w->readings++;
}

static int watched_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                       struct vtb_exec *execs, struct vtb_error *err)
{
	struct watched *w = (struct watched *)runner;
	const double before = cpu();
	int r;

	w->inner->states = runner->states;
	w->inner->ready = runner->ready ? watched_ready : NULL;
	w->inner->ready_data = w;
	w->inner->asked = w->inner->made = 0;
	r = w->inner->ops->run(w->inner, schedules, n, execs, err);
	w->base.made = w->inner->made;
	w->base.done = w->inner->done;
	w->inside += cpu() - before;
	w->calls++;
	w->readings++;
	return r;
}

static size_t watched_batch(const struct vtb_runner *runner)
{
	const struct watched *w = (const struct watched *)runner;

	return w->inner->ops->batch ? w->inner->ops->batch(w->inner) : 1;
}

static void watched_free(struct vtb_runner *runner)
{
	(void)runner;
}

static const struct vtb_runner_ops watched_ops = {
	.name = "watched", .run = watched_run, .batch = watched_batch, .free = watched_free
};

/* Two readings of the clock; the one before a run counts its second half as inside, the one after its first: one
 * reading in all. */
static double clock_cost(void)
{
	const double start = cpu();

	for (int i = 0; i < 10000; i++)
		cpu();
	return (cpu() - start) / 10000;
}

struct cost {
	const char *name, *world;
	uint64_t runs, events;
	uint64_t batches;
	double own, inside, wall;
};

static long peak_kib(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return u.ru_maxrss;
}

static void print(const struct cost *c, const struct vtb_search *search)
{
	const struct vtb_search_stats *s = vtb_search_stats(search);
	const bool dpor = !strcmp(c->name, "dpor"), engine = !strcmp(c->world, "engine");
	const double runs = (double)c->runs, events = (double)c->events;
	char head[96];

	snprintf(head, sizeof(head), "%s, %s, %.0f events", c->name, c->world, events / runs);
	printf("%s, an event\t%.1f\tns\t%s\n", head, c->own / events * 1e9, dpor ? "<= 200" : "<= 50");
	printf("%s, runs\t%" PRIu64 "\t\t\n%s, classes\t%" PRIu64 "\t\t\n", head, c->runs, head, s->classes);
	printf("%s, search alone\t%.0f\truns/s\t%s\n", head, runs / c->own, dpor ? ">= 100000" : "");
	printf("%s, search alone\t%.1f\tM events/s\t%s\n", head, events / c->own / 1e6, dpor ? ">= 3" : "");
	if (engine) {
		printf("%s, runs a batch\t%.1f\t\t\n", head, runs / (double)c->batches);
		printf("%s, reading the run\t%.1f\tns\t\n", head, c->inside / events * 1e9);
		printf("%s, wall time\t%.0f\truns/s\t%s\n", head, runs / c->wall, dpor ? ">= 100000" : "");
		printf("%s, wall time\t%.1f\tM events/s\t%s\n", head, events / c->wall / 1e6, dpor ? ">= 3" : "");
	}
	printf("%s, most memory\t%.2f\tGB\t<= 1\n", head, (double)peak_kib(RUSAGE_SELF) / 1048576);
	printf("%s, one of the classes taken for another\t%.1e\tprobability\t\n", head, s->merged);
}

static int measure_wall(struct vtb_runner *runner, const struct vtb_search_opts *opts, struct cost *c,
                        struct vtb_error *err)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on };
	struct vtb_search *search;
	double started;
	int r = vtb_strategies_begin(runner, opts, &search, err);

	if (r < 0)
		return r;
	started = wall();
	r = vtb_search_run(search, &calls, err);
	c->wall = wall() - started;
	vtb_search_free(search);
	return r;
}

static int measure(struct vtb_runner *inner, const struct vtb_search_opts *opts, const char *world,
                   struct vtb_error *err)
{
	struct watched w = { .base = { .ops = &watched_ops, .tab = inner->tab }, .inner = inner };
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on };
	const double reading = clock_cost();
	struct vtb_search *search;
	double start;
	struct cost c;
	int r = vtb_strategies_begin(&w.base, opts, &search, err);

	if (r < 0)
		return r;
	start = cpu();
	r = vtb_search_run(search, &calls, err);
	c = (struct cost){ .name = opts->strategy,
		           .world = world,
		           .runs = vtb_search_stats(search)->schedules,
		           .events = vtb_search_stats(search)->events };
	c.batches = w.calls;
	c.inside = w.inside - reading * (double)w.calls;
	c.own = cpu() - start - w.inside - reading * (double)w.readings;
	if (r >= 0 && !strcmp(world, "engine"))
		r = measure_wall(inner, opts, &c, err);
	if (r >= 0 && c.runs && c.events)
		print(&c, search);
	vtb_search_free(search);
	return r;
}

/* The default run of the program, as a trace for the simulation. */
static int simulate(struct vtb_runner *process, const struct vtb_search_opts *opts, struct vtb_error *err)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK }, *one = &standard;
	struct vtb_runner *simulated;
	struct vtb_trace trace;
	struct vtb_exec x = { 0 };
	int r = vtb_runner_run(process, &one, 1, &x, err);

	if (r < 0)
		return r;
	vtb_trace_init(&trace);
	r = vtb_trace_from_exec(&x, process->tab, &trace);
	if (r < 0)
		vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
	if (r >= 0)
		r = vtb_simulate_new(&trace, &simulated, err);
	if (r >= 0) {
		r = measure(simulated, opts, "simulated", err);
		vtb_runner_free(simulated);
	}
	vtb_trace_fini(&trace);
	vtb_exec_fini(&x);
	return r;
}

#define MEMORY_KIB 1000000

int main(int argc, char **argv)
{
	struct vtb_process_opts process = { .engine = VTB_ENGINE_SNAPSHOT, .carrier = VTB_CARRIER_FIBERS };
	struct vtb_error err = { 0 };
	struct vtb_search_opts opts;
	struct vtb_runner *runner;
	int r;

	if (argc < 5 || (strcmp(argv[1], "simulated") && strcmp(argv[1], "engine"))) {
		fprintf(stderr, "usage: bench-cost simulated|engine STRATEGY BUDGET PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	vtb_search_opts_init(&opts);
	opts.strategy = argv[2];
	opts.no_hand_over = true;
	opts.budget = strtoull(argv[3], NULL, 10);
	process.argv = argv + 4;
	r = vtb_process_runner_new(&process, &runner, &err);
	if (r >= 0) {
		r = strcmp(argv[1], "engine") ? simulate(runner, &opts, &err) : measure(runner, &opts, "engine", &err);
		vtb_runner_free(runner);
	}
	if (r < 0)
		fprintf(stderr, "bench-cost: %s\n", err.text);
	return r < 0 ? 2 : peak_kib(RUSAGE_SELF) > MEMORY_KIB;
}
