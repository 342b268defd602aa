/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-search [OPTIONS] STRATEGY SEED PROGRAM [ARGUMENT...]: one search on the real program, without shrinking and
 * explaining. Prints one line of "name value" pairs:
 *
 *   first N       schedules until the first failing run, it included, and the run of the default schedule with which
 * every hunt begins; 0: none failed c N v N       of that run failing N     failing runs (with --all: search on after a
 * find) lowest_c N lowest_v N  of them short N  of them were not told operation by operation schedules N classes N
 * events N threads N variables N (most of the first 20 runs; threads are no variables) seconds X bound X ...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/process_runner.h"
#include "vtb/search_options.h"
#include "vtb/strategies.h"

#define COUNTED 20u /* runs of which threads and variables are counted */

struct options {
	struct vtb_cli cli;
	struct vtb_search_opts search;
	char **argv;
	uint32_t jobs;
	int engine;
	bool all, deviations, accesses;
	uint64_t waiting;
};

static const char *const engines[] = { "auto", "exec", "forkserver", "snapshot", NULL }, *const selective[] = {
	"auto", "off", "on", NULL
};

#define MEMBER(name) offsetof(struct options, name)
/* Beside those of every search (vtb/search_options.h). */
static const struct vtb_cli_row rows[] = {
	{ "accesses", NULL, "A line for each variable: accesses in the run that had most of them, name", VTB_CLI_FLAG,
	  .member = MEMBER(accesses) },
	{ "all", NULL, "Search on after a failing run", VTB_CLI_FLAG, .member = MEMBER(all) },
	{ "deviations", NULL, "A line for each schedule: its order, where it deviates", VTB_CLI_FLAG,
	  .member = MEMBER(deviations) },
	{ "disk", "DIR", "dfs, bestfirst: what does not fit in --memory lies in a file there", VTB_CLI_TEXT,
	  .member = MEMBER(search.disk) },
	{ "engine", "NAME", "auto, snapshot, forkserver, exec", VTB_CLI_CHOICE, .member = MEMBER(engine),
	  .names = engines, .first = VTB_ENGINE_AUTO },
	{ "jobs", "N", "Processes that run schedules (default 1)", VTB_CLI_U32, .member = MEMBER(jobs), .most = 256 },
	{ "memory", "BYTES", "For what has not been run yet", VTB_CLI_U64, .member = MEMBER(search.memory),
	  .most = UINT64_MAX },
	{ "seconds", "N", "As --time", VTB_CLI_REAL, .member = MEMBER(search.seconds), .real_most = 1e9 },
	{ "selective", "WHEN", "auto, off, on", VTB_CLI_CHOICE, .member = MEMBER(search.selective),
	  .names = selective },
	{ "tell-all", NULL, "Every run is told in full", VTB_CLI_FLAG, .member = MEMBER(search.tell_all) },
	{ "tell-owned", NULL, "Tell accesses to what only one thread touches, too", VTB_CLI_FLAG,
	  .member = MEMBER(search.tell_owned) },
	{ "waiting", "N", "Every N runs a line: runs, nodes of the execution tree (dfs, bestfirst)", VTB_CLI_U64,
	  .member = MEMBER(waiting), .least = 1, .most = UINT64_MAX },
	{ 0 },
};

static error_t argument(int key, char *arg, struct argp_state *state, void *data)
{
	struct options *o = data;

	if (key == ARGP_KEY_END && !o->argv)
		argp_usage(state);
	else if (key == ARGP_KEY_ARG && state->arg_num == 0)
		o->search.strategy = arg;
	else if (key == ARGP_KEY_ARG && state->arg_num == 1)
		o->search.seed = strtoull(arg, NULL, 10);
	else if (key == ARGP_KEY_ARG)
		o->argv = vtb_cli_take_program(state);
	else if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static void read_options(struct options *o, int argc, char **argv)
{
	const struct vtb_cli_command command = {
		"STRATEGY SEED PROGRAM [ARGUMENT...]",
		"One search on the real program.",
		true,
		&o->cli,
		{ { NULL, rows, o }, { "The search:", vtb_search_rows, &o->search } },
		argument,
		o,
	};

	vtb_cli_init(argv[0]);
	vtb_search_opts_init(&o->search);
	o->search.no_hand_over = true; /* what is measured is the strategy itself */
	vtb_cli_parse(&command, argc, argv);
}

struct found {
	uint64_t first, failing, runs, brief, owned, events, threads, variables;
	struct vtb_tuple tuple;
	enum vtb_verdict verdict;
	bool all, deviations;
	uint64_t waiting, told; /* print the tree's nodes so often; runs when that was done last */
	const struct vtb_symtab *tab;
	uint32_t *most, *now; /* accesses by variable: in the run with most of them, in this run; threads are none */
	size_t n_most, cap_most, n_now, cap_now;
};

static enum vtb_search_reply failing(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                                     struct vtb_tuple tuple, void *data)
{
	struct found *f = data;

	(void)s;
	f->failing++;
	if (!f->first) {
		f->first = vtb_search_stats(search)->schedules + 1;
		f->tuple = tuple;
		f->verdict = x->outcome.verdict;
	}
	return f->all ? VTB_SEARCH_GO_ON : VTB_SEARCH_STOP;
}

/* Who goes before whom; a bar: here who was stopped goes on. */
static void print_order(const struct vtb_schedule *s)
{
	static const char *const policies[] = { "default", "order", "random", "pos", "surw" };

	printf(" %s", policies[s->policy]);
	for (size_t i = 0; i < s->n_ranks; i++)
		if (s->ranks[i] & VTB_RANK_FRAGMENT_BIT)
			printf(" /");
		else
			printf(" %" PRIu32, s->ranks[i]);
}

static void print_schedule(const struct found *f, const struct vtb_schedule *s, bool new_class)
{
	printf("%" PRIu64 "%s", f->runs + 1, new_class ? " new" : "");
	print_order(s);
	for (size_t i = 0; i < s->n_deviations; i++)
		printf(" | %s after %s#%u at %s%s", s->deviations[i].kind == VTB_DEV_DEMOTE ? "demote" : "other",
		       vtb_thread_path(f->tab, s->deviations[i].after.thread), s->deviations[i].after.index,
		       vtb_variable_name(f->tab, s->deviations[i].var), s->deviations[i].cost ? "" : " free");
	putchar('\n');
}

/* Accesses of the run, by variable. The number of variables. */
static uint64_t count_accesses(struct found *f, const struct vtb_exec *x)
{
	uint64_t variables = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->var == VTB_NONE || vtb_event_info(e->kind)->family == VTB_FAMILY_THREAD)
			continue;
		if (vtb_array_extend(f, now, (size_t)e->var + 1, 0) < 0 || vtb_array_extend(f, most, f->n_now, 0) < 0)
			return 0;
		variables += f->now[e->var]++ == 0;
	}
	for (size_t var = 0; var < f->n_now; var++) {
		f->most[var] = f->now[var] > f->most[var] ? f->now[var] : f->most[var];
		f->now[var] = 0;
	}
	return variables;
}

/* Variables and threads of the first runs: the most. */
static void executed(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                     uint64_t class_id, bool new_class, void *data)
{
	struct found *f = data;
	uint64_t variables, births = 0;

	(void)search;
	(void)class_id;
	f->brief += x->brief;
	f->owned += x->owned && vtb_verdict_exit_code(x->outcome.verdict) == 1;
	if (f->deviations)
		print_schedule(f, s, new_class);
	if (++f->runs > COUNTED)
		return;
	if (x->n_events > f->events)
		f->events = x->n_events;
	for (size_t i = 0; i < x->n_events; i++)
		births += x->events[i].kind == VTB_E_THREAD_CREATE;
	f->threads = births + 1 > f->threads ? births + 1 : f->threads;
	variables = count_accesses(f, x);
	if (variables > f->variables)
		f->variables = variables;
}

/* How many schedules wait to be run. */
static bool progress(struct vtb_search *search, void *data)
{
	struct found *f = data;
	struct vtb_claim claim;

	if (!f->waiting || f->runs < f->told + f->waiting)
		return false;
	vtb_search_claim(search, &claim);
	printf("waiting %" PRIu64 " %" PRIu64 "\n", f->runs, claim.kept);
	f->told = f->runs;
	return false;
}

/* As a hunt does: the default schedule first, and the search knows what came of it. */
static int run_default(struct vtb_runner *runner, struct vtb_search *search, struct found *f, struct vtb_error *err)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK }, *one = &standard;
	struct vtb_exec x = { 0 };
	int r = vtb_runner_run(runner, &one, 1, &x, err);

	if (r < 0)
		return r;
	if (vtb_verdict_exit_code(x.outcome.verdict) == 1) {
		f->first = f->failing = 1;
		f->verdict = x.outcome.verdict;
	}
	r = vtb_search_made(search, &standard, &x);
	vtb_exec_fini(&x);
	return r;
}

static void print_accesses(const struct found *f)
{
	for (uint32_t var = 0; var < f->n_most; var++)
		if (f->most[var])
			printf("accesses %" PRIu32 " %s\n", f->most[var], vtb_variable_name(f->tab, var));
}

static void report(const struct vtb_search *search, const struct found *f, int end)
{
	static const char *const ends[] = { "exhausted", "found", "budget", "time", "caller" };
	const struct vtb_search_stats *s = vtb_search_stats(search);
	struct vtb_claim claim;

	vtb_search_claim(search, &claim);
	printf("first %" PRIu64 " c %u v %u failing %" PRIu64 " schedules %" PRIu64 " classes %" PRIu64
	       " events %" PRIu64 " threads %" PRIu64 " variables %" PRIu64
	       " seconds %.3f bound %.6g complete %d diverged %" PRIu64 " dropped %" PRIu64 " disk %" PRIu64
	       " brief %" PRIu64 " lowest_c %u lowest_v %u short %" PRIu64 " end %s verdict %s\n",
	       f->first, f->tuple.c, f->tuple.v, f->failing, s->schedules + 1, s->classes, f->events, f->threads,
	       f->variables, s->seconds, claim.probability, claim.complete, s->diverged, claim.dropped, claim.on_disk,
	       f->brief, s->lowest.c, s->lowest.v, f->owned, ends[end],
	       f->first ? vtb_verdict_name(f->verdict) : "none");
}

int main(int argc, char **argv)
{
	struct options o = { .engine = VTB_ENGINE_AUTO };
	struct vtb_process_opts process = { 0 };
	struct vtb_process_info info;
	struct vtb_search *search;
	struct vtb_runner *runner;
	struct vtb_error err = { 0 };
	struct found f = { 0 };
	const struct vtb_search_calls calls = {
		.failing = failing, .executed = executed, .progress = progress, .data = &f, .known_will_do = true
	};
	int r;

	read_options(&o, argc, argv);
	f.all = o.all;
	f.deviations = o.deviations;
	f.waiting = o.waiting;
	o.search.tell_owned |= o.accesses;
	process.argv = o.argv;
	process.engine = o.engine;
	process.jobs = o.jobs;
	process.carrier = VTB_CARRIER_FIBERS;
	r = vtb_process_runner_new(&process, &runner, &err);
	if (r >= 0)
		f.tab = runner->tab;
	if (r >= 0)
		r = vtb_strategies_begin(runner, &o.search, &search, &err);
	if (r >= 0)
		r = run_default(runner, search, &f, &err);
	if (r >= 0 && (!f.first || f.all))
		r = vtb_search_run(search, &calls, &err);
	else if (r >= 0)
		r = VTB_SEARCH_FOUND;
	if (r < 0) {
		fprintf(stderr, "bench-search: %s\n", err.text);
		return 2;
	}
	vtb_process_runner_info(runner, &info);
	if (o.accesses)
		print_accesses(&f);
	f.told = 0;
	progress(search, &f); /* as it ended */
	report(search, &f, r);
	free(f.most);
	free(f.now);
	if (*info.engine_reason)
		fprintf(stderr, "bench-search: engine %s: %s\n", vtb_engine_name((int)info.engine), info.engine_reason);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return 0;
}
