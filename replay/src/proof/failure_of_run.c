/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A failing run as a struct vtb_failure. */
#include "vtb/argv.h"
#include "vtb/replay.h"

#include "beside.h"
#include "places.h"
#include "stacks.h"

#include "vtb/ingest.h"
#include "vtb/process_runner.h"
#include "vtb/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_WORDS_MAX 300 /* bytes of a line */

struct maker {
	struct vtb_runner *runner;
	char *const *argv;
	struct vtb_failure *out;
};

static char *directory_of(const struct vtb_runner *runner)
{
	struct vtb_process_info info;

	vtb_process_runner_info(runner, &info);
	return realpath(info.cwd ? info.cwd : ".", NULL);
}

static int set_program(struct maker *m)
{
	m->out->schedule.argv = vtb_argv_copy(m->argv);
	m->out->schedule.cwd = directory_of(m->runner);
	m->out->trace.argv = vtb_argv_copy(m->argv);
	m->out->trace.cwd = directory_of(m->runner);
	free(m->out->trace.backend);
	m->out->trace.backend = strdup("control");
	return m->out->schedule.argv && m->out->trace.argv && m->out->trace.backend ? 0 : -ENOMEM;
}

/* ---- stacks */

static const struct vtb_module *module_of(const struct vtb_symtab *tab, uint64_t pc)
{
	for (size_t i = 0; i < tab->n_modules; i++)
		if (pc >= tab->modules[i].lo && pc < tab->modules[i].hi)
			return &tab->modules[i];
	return NULL;
}

/* The runtime starts main and the threads; the outermost frames are its own. */
static size_t program_frames(const struct maker *m, const struct raw_stack *raw)
{
	static const char name[] = "libvtb-rt";
	size_t n = 0;

	for (; n < raw->n; n++) {
		const struct vtb_module *mod = module_of(m->runner->tab, raw->pcs[n]);
		const char *base = mod ? strrchr(mod->path, '/') : NULL;

		if (base && !strncmp(base + 1, name, sizeof(name) - 1))
			break;
	}
	return n;
}

/* The user's frames, in the trace's table. */
static int fill_users(struct maker *m, const struct raw_stack *raw, struct vtb_stack *to)
{
	struct vtb_names names = { .to = &m->out->trace.tab, .from = m->runner->tab };
	struct vtb_stack users = { .thread = VTB_NONE };
	int r = vtb_places_of_stack(m->runner, raw->pcs, raw->n, &users);

	for (size_t i = 0; i < users.n_sites && r >= 0; i++) {
		const int64_t site = vtb_names_site(&names, users.sites[i]);

		r = site < 0 ? (int)site : vtb_stack_add(to, (uint32_t)site);
	}
	vtb_names_fini(&names);
	free(users.sites);
	return r;
}

/* The user's frames of the thread that did the event. */
static int fill_stack(struct maker *m, const struct vtb_exec *x, struct raw_stack *raw, struct vtb_stack *to)
{
	if (raw->event >= x->n_events)
		return 0;
	to->thread = (uint32_t)vtb_symtab_thread_by_path(&m->out->trace.tab,
	                                                 vtb_thread_path(m->runner->tab, x->events[raw->event].thread));
	raw->n = program_frames(m, raw);
	return raw->n ? fill_users(m, raw, to) : 0;
}

static int fill_stacks(struct maker *m, const struct vtb_exec *x)
{
	struct raw_stack left, entered;
	size_t n;
	const uint64_t *words = vtb_process_runner_records(m->runner, &n);
	int r;

	if (!vtb_stacks_of_last_switch(words, n, x, &left, &entered))
		return 0;
	r = fill_stack(m, x, &left, &m->out->left);
	return r < 0 ? r : fill_stack(m, x, &entered, &m->out->entered);
}

static int fill_heap(struct maker *m, const struct vtb_exec *x)
{
	struct raw_stack parts[VTB_HEAP_PARTS];
	size_t n;
	const uint64_t *words = vtb_process_runner_records(m->runner, &n);
	int r = 0;

	if (x->outcome.verdict != VTB_V_MEMORY || !vtb_stacks_of_heap(words, n, parts))
		return 0;
	for (size_t i = 0; i < VTB_HEAP_PARTS && r >= 0; i++)
		r = fill_stack(m, x, &parts[i], &m->out->heap[i]);
	return r;
}

/* ---- the whole */

/* An abort() says nothing: what the program printed before it does. */
static int own_words(struct vtb_runner *runner, struct vtb_exec *x)
{
	const char *message = x->outcome.message, *line;
	struct vtb_said said = { 0 };
	int r = 0;
	size_t n;

	if (x->outcome.verdict != VTB_V_ASSERTION || !message ||
	    (strcmp(message, "abort() was called") != 0 && strcmp(message, "the program was aborted") != 0))
		return 0; /* the runtime's words, where it knows no better ones */
	r = vtb_process_runner_said(runner, &said);
	line = r == 0 ? vtb_said_last_line(&said, &n) : NULL;
	if (line) {
		x->outcome.message =
		    vtb_symtab_printf(runner->tab, "%.*s", n < OWN_WORDS_MAX ? (int)n : OWN_WORDS_MAX, line);
		r = x->outcome.message ? 0 : -ENOMEM;
	}
	vtb_said_fini(&said);
	return r;
}

/* As people want to see it. */
static int tell_run(struct vtb_runner *runner, struct vtb_exec *x, struct vtb_run_calls *calls)
{
	const int r = vtb_places_of_run(runner, x, calls);

	return r < 0 ? r : own_words(runner, x);
}

/* `last`: it is the last run that the runner made, with call stacks: what that has left can be told. */
static int fill(struct maker *m, struct vtb_exec *x, struct vtb_schedule *s, bool last)
{
	int r = vtb_exec_name_ops(x, m->runner->tab, s);

	if (r >= 0)
		r = vtb_schedules_add(&m->out->schedule, s, m->runner->tab);
	if (r >= 0 && last) /* names by which operations are found again are those of the instructions; what is shown
	                       is not */
		r = tell_run(m->runner, x, NULL);
	if (r >= 0)
		r = vtb_trace_from_exec(x, m->runner->tab, &m->out->trace);
	if (r >= 0)
		r = set_program(m);
	if (r >= 0 && last)
		r = fill_stacks(m, x);
	if (r >= 0 && last)
		r = fill_heap(m, x);
	if (r >= 0 && last)
		r = vtb_process_runner_said(m->runner, &m->out->said);
	if (r >= 0 && last)
		vtb_process_runner_said_apart(m->runner, s, &m->out->said);
	m->out->verdict = x->outcome.verdict;
	m->out->tuple = vtb_exec_tuple(x);
	m->out->signature = strdup(x->outcome.signature ? x->outcome.signature : "");
	return r >= 0 && !m->out->signature ? -ENOMEM : r;
}

int vtb_replay_shown(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_exec *ret,
                     struct vtb_run_calls *calls, struct vtb_error *err)
{
	int r;

	vtb_process_runner_stacks(runner, true);
	r = vtb_runner_run(runner, &s, 1, ret, err);
	vtb_process_runner_stacks(runner, false);
	if (r < 0)
		return r;
	r = tell_run(runner, ret, calls);
	if (r < 0) {
		vtb_exec_fini(ret);
		*ret = (struct vtb_exec){ 0 };
		if (calls)
			vtb_run_calls_fini(calls);
		return vtb_error_set(err, r, NULL, 0, "cannot find the user's lines: %s", vtb_strerror(r));
	}
	return 0;
}

/* 1: it failed, 0, or an error. */
static int run_failing(struct vtb_runner *runner, const struct vtb_schedule *s, bool stacks, struct vtb_exec *ret,
                       struct vtb_error *err)
{
	int r;

	vtb_process_runner_stacks(runner, stacks);
	r = vtb_runner_run(runner, &s, 1, ret, err);
	vtb_process_runner_stacks(runner, false);
	if (r < 0 || vtb_verdict_exit_code(ret->outcome.verdict) == 1)
		return r < 0 ? r : 1;
	vtb_exec_fini(ret);
	return 0;
}

static bool same_end(const struct vtb_exec *a, const struct vtb_exec *b)
{
	return a->n_events == b->n_events && a->outcome.verdict == b->outcome.verdict &&
	       !strcmp(a->outcome.signature ? a->outcome.signature : "",
	               b->outcome.signature ? b->outcome.signature : "");
}

/* The run that was made without call stacks once more with them, each thread switch told: that leaves nothing to how
 * often somebody spins. *x stays if that comes out otherwise. */
static int run_as_it_went(struct vtb_runner *runner, struct vtb_exec *x, struct vtb_error *err)
{
	struct vtb_schedule exact = { 0 };
	struct vtb_exec again = { 0 };
	int r = vtb_exec_schedule(x, &exact);

	if (r >= 0)
		r = run_failing(runner, &exact, true, &again, err);
	if (r > 0 && same_end(&again, x)) {
		vtb_exec_fini(x);
		*x = again;
		again = (struct vtb_exec){ 0 };
	}
	if (r > 0)
		vtb_exec_fini(&again);
	vtb_schedule_fini(&exact);
	return r < 0 ? r : 1;
}

static int run_without_stacks(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_exec *x,
                              struct vtb_error *err)
{
	int r = run_failing(runner, s, false, x, err);

	if (r > 0)
		r = run_as_it_went(runner, x, err);
	if (r < 0)
		vtb_exec_fini(x);
	return r;
}

int vtb_replay_failure(struct vtb_runner *runner, const struct vtb_schedule *s, char *const *argv,
                       struct vtb_failure *ret, struct vtb_error *err)
{
	struct maker m = { runner, argv, ret };
	struct vtb_schedule named = { 0 };
	struct vtb_exec x;
	int r;

	r = run_failing(runner, s, true, &x, err);
	if (r == 0) /* where threads spin, how often may depend on that */
		r = run_without_stacks(runner, s, &x, err);
	if (r < 0)
		return r;
	if (r == 0)
		return vtb_error_set(err, -VTB_E_DIVERGED, NULL, 0, "the run that was to be written down did not fail");
	r = vtb_schedule_copy(s, &named);
	if (r >= 0)
		r = fill(&m, &x, &named, true);
	if (r >= 0)
		r = vtb_beside_passing(runner, s, ret);
	if (r >= 0)
		r = vtb_beside_sources(runner, ret);
	vtb_schedule_fini(&named);
	vtb_exec_fini(&x);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "cannot write the failure down: %s", vtb_strerror(r)) : 0;
}

int vtb_replay_failure_seen(struct vtb_runner *runner, const struct vtb_schedule *s, const struct vtb_exec *seen,
                            char *const *argv, struct vtb_failure *ret, struct vtb_error *err)
{
	struct maker m = { runner, argv, ret };
	struct vtb_schedule named = { 0 };
	struct vtb_exec x = { 0 };
	int r = vtb_schedule_copy(s, &named);

	if (r >= 0)
		r = vtb_exec_copy(seen, &x);
	if (r >= 0)
		r = fill(&m, &x, &named, false);
	if (r >= 0)
		r = vtb_beside_sources(runner, ret);
	vtb_schedule_fini(&named);
	vtb_exec_fini(&x);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "cannot write the failure down: %s", vtb_strerror(r)) : 0;
}
