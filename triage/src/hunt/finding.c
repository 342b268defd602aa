/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a failing run to a finding: shrunk, at the lowest level, confirmed, named. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hunt_priv.h"
#include "shrink.h"
#include "vtb/array.h"
#include "vtb/log.h"
#include "vtb/test_list.h"
#include "vtb/thread_bound.h"

#define SHRINK_SECONDS 10.0 /* past the end of the hunt's time */

/* How far one search below a find goes, if --time lets it. Not by the clock: with the same seed a hunt says the same on fast machines and slow ones. */
static const struct {
	const char *engine;
	uint64_t schedules;
} lower_limits[] = {
	{"snapshot", 300000},
	{"forkserver", 20000},
	{"exec", 2000},
};
#define LOWER_OPERATIONS 30000000u /* in all its runs */

/* A test program says which of its tests failed. */
void vtb_hunt_name_test(struct vtb_hunt *hunt, struct vtb_finding *f)
{
	size_t size = 0;
	char *output = hunt->output ? hunt->output(hunt->runner, &size) : NULL;

	free(f->test);
	f->test = output ? vtb_test_failed(output, size) : NULL;
	free(output);
}

int vtb_hunt_confirm(struct vtb_runner *runner, const struct vtb_schedule *schedule, const char *signature, uint32_t replays, uint32_t *ret_confirmed, struct vtb_error *err)
{
	*ret_confirmed = 0;
	for (uint32_t i = 0; i < replays; i++) {
		struct vtb_exec x = {0};
		const int r = vtb_runner_run(runner, &schedule, 1, &x, err);

		if (r < 0)
			return r;
		*ret_confirmed += vtb_exec_fails_as(&x, signature);
		vtb_exec_fini(&x);
	}
	return 0;
}

/* ---- shrinking */

struct patience {
	struct vtb_hunt *hunt;
	double until;
	enum vtb_hunt_phase phase;
};

static bool out_of_patience(void *data)
{
	struct patience *p = data;

	vtb_hunt_tell(p->hunt, p->phase);
	return vtb_hunt_now() > p->until;
}

/* What works a find out has limits of schedules; time ends it only past the hunt's own. */
static double patience_ends(const struct vtb_hunt *hunt)
{
	const double soon = vtb_hunt_now() + SHRINK_SECONDS, late = hunt->deadline + SHRINK_SECONDS / 2;

	return late > soon && !vtb_hunt_interrupted(hunt) ? late : soon;
}

static int shrink(struct vtb_hunt *hunt, const struct vtb_exec *failing, struct vtb_shrunk *ret)
{
	struct patience p = {.hunt = hunt, .until = patience_ends(hunt), .phase = VTB_HUNT_SHRINKING};
	const struct vtb_shrink_opts opts = {.stop = out_of_patience, .data = &p};

	vtb_hunt_tell(hunt, VTB_HUNT_SHRINKING);
	return vtb_shrink(hunt->runner, failing, &opts, ret, hunt->err);
}

/* ---- the levels below */

struct lower {
	struct vtb_hunt *hunt;
	const char *signature; /* NULL: any failure will do */
	struct vtb_exec failing;
	bool found;
	int trouble;
};

static enum vtb_search_reply on_failing(struct vtb_search *search, const struct vtb_schedule *schedule, const struct vtb_exec *x, struct vtb_tuple tuple, void *data)
{
	struct lower *lower = data;

	(void)search;
	(void)schedule;
	(void)tuple;
	if (lower->found || (lower->signature ? !vtb_exec_fails_as(x, lower->signature) : !x->outcome.signature || !*x->outcome.signature))
		return VTB_SEARCH_GO_ON;
	lower->trouble = vtb_exec_copy(x, &lower->failing);
	lower->found = lower->trouble == 0;
	return VTB_SEARCH_STOP;
}

static bool on_progress(struct vtb_search *search, void *data)
{
	struct lower *lower = data;

	if (vtb_search_stats(search)->events > LOWER_OPERATIONS)
		return true;
	lower->hunt->level_c = vtb_search_stats(search)->level_c;
	lower->hunt->level_v = vtb_search_stats(search)->level_v;
	vtb_hunt_tell(lower->hunt, VTB_HUNT_LOWERING);
	return vtb_hunt_interrupted(lower->hunt);
}

static uint64_t lower_limit(const struct vtb_hunt *hunt)
{
	const char *engine = hunt->result->facts.engine; /* NULL: a runner of no process */

	for (size_t i = 0; engine && i < sizeof(lower_limits) / sizeof(*lower_limits); i++)
		if (!strcmp(engine, lower_limits[i].engine))
			return lower_limits[i].schedules;
	return lower_limits[0].schedules;
}

/* One search within (c, v), of so many schedules. */
static int search_with(struct lower *lower, const char *strategy, uint32_t c, uint32_t v, uint64_t budget, bool *ret_complete)
{
	const struct vtb_search_calls calls = {.failing = on_failing, .progress = on_progress, .data = lower};
	struct vtb_hunt *hunt = lower->hunt;
	const double left = hunt->deadline - vtb_hunt_now();
	struct vtb_search_opts opts;
	struct vtb_search *search = NULL;
	struct vtb_claim claim = {0};
	int r;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.c = c;
	opts.v = v;
	opts.t = VTB_UNBOUNDED;
	opts.l = VTB_UNBOUNDED;
	opts.seed = hunt->opts->search.seed;
	opts.seconds = left > 1 ? left : 1;
	opts.budget = budget;
	r = vtb_search_new(hunt->runner, &opts, &search, hunt->err);
	if (r < 0)
		return r;
	r = vtb_search_run(search, &calls, hunt->err);
	vtb_search_claim(search, &claim);
	*ret_complete = r == VTB_SEARCH_EXHAUSTED && claim.complete;
	vtb_search_free(search);
	if (lower->trouble < 0)
		r = lower->trouble;
	return r < 0 ? r : lower->found;
}

/* Is there a run with this failure within (c, v)? 1 yes: it is in lower->failing; 0 no, *ret_complete tells whether that is proven. Of many threads the
 * orders without any preemption alone have no end: then the strategy that takes of each kind of order one looks, too. */
static int search_below(struct lower *lower, uint32_t c, uint32_t v, bool *ret_complete)
{
	const uint64_t limit = lower_limit(lower->hunt);
	bool complete;
	int r = search_with(lower, "dfs", c, v, limit, ret_complete);

	if (r == 0 && !*ret_complete && c > 0 && !vtb_hunt_interrupted(lower->hunt))
		r = search_with(lower, "cvt", c, v, limit / 4, &complete);
	return r;
}

/* Search below what we have until a level is shown to be empty. Each success is shrunk again and lies strictly lower, so this ends. */
static int descend(struct vtb_hunt *hunt, struct vtb_shrunk *s, bool *ret_minimal)
{
	bool fewer_done = s->tuple.c == 0, narrower_done = s->tuple.v <= 1;

	while (!fewer_done || !narrower_done) {
		/* One bug shows in several ways; who looks for one finding wants the simplest of them. */
		struct lower lower = {.hunt = hunt, .signature = hunt->opts->keep_going ? s->exec.outcome.signature : NULL};
		const bool fewer = !fewer_done;
		struct vtb_shrunk next;
		bool complete = false;
		int r;

		vtb_hunt_tell(hunt, VTB_HUNT_LOWERING);
		r = fewer ? search_below(&lower, s->tuple.c - 1, VTB_UNBOUNDED, &complete) : search_below(&lower, s->tuple.c, s->tuple.v - 1, &complete);
		if (r > 0)
			r = shrink(hunt, &lower.failing, &next) == 0;
		vtb_exec_fini(&lower.failing);
		if (r < 0)
			return r;
		if (r == 0 && !complete)
			return 0;
		if (r > 0) {
			vtb_shrunk_fini(s);
			*s = next;
			fewer_done = s->tuple.c == 0;
			narrower_done = s->tuple.v <= 1;
		} else if (fewer) {
			fewer_done = true;
		} else {
			narrower_done = true;
		}
	}
	*ret_minimal = true;
	return 0;
}

/* ---- findings */

static bool known(const struct vtb_hunt_result *result, const struct vtb_exec *x)
{
	for (size_t i = 0; i < result->n_findings; i++)
		if (vtb_exec_fails_as(x, result->findings[i].exec.outcome.signature))
			return true;
	return false;
}

/* t: which threads the failing order is about. */
static int count_threads(struct vtb_hunt *hunt, struct vtb_finding *f, const struct vtb_exec *x)
{
	struct patience p = {.hunt = hunt, .until = patience_ends(hunt), .phase = VTB_HUNT_CONFIRMING};
	const struct vtb_thread_bound_opts opts = {.seed = hunt->opts->search.seed, .stop = out_of_patience, .data = &p};
	struct vtb_thread_bound bound;
	const int r = vtb_thread_bound(hunt->runner, x, &opts, &bound, hunt->err);

	if (r < 0)
		return r;
	vtb_debug("Threads of the failing order: t=%u, runs=%" PRIu64 ", ended_early=%d", bound.t, bound.runs, bound.ended_early);
	f->tuple.t = bound.t;
	f->t_known = bound.t > 0 && !bound.ended_early;
	vtb_thread_bound_fini(&bound);
	return 0;
}

static int work_out(struct vtb_hunt *hunt, struct vtb_finding *f, struct vtb_shrunk *s, const struct vtb_tuple *empty_below)
{
	int r;

	f->minimal = empty_below && (s->tuple.c < empty_below->c || (s->tuple.c == empty_below->c && s->tuple.v <= empty_below->v));
	r = f->minimal || vtb_hunt_interrupted(hunt) ? 0 : descend(hunt, s, &f->minimal);
	if (r < 0)
		return r;
	vtb_hunt_tell(hunt, VTB_HUNT_CONFIRMING);
	f->replays = hunt->opts->confirm ? hunt->opts->confirm : VTB_HUNT_CONFIRM;
	r = vtb_hunt_confirm(hunt->runner, &s->schedule, s->exec.outcome.signature, f->replays, &f->confirmed, hunt->err);
	if (r < 0)
		return r;
	vtb_hunt_name_test(hunt, f);
	f->tuple = s->tuple;
	r = count_threads(hunt, f, &s->exec);
	if (r < 0)
		return r;
	return vtb_exec_name_ops(&s->exec, hunt->runner->tab, &s->schedule);
}

int vtb_hunt_add_finding(struct vtb_hunt *hunt, const struct vtb_exec *failing, uint64_t schedule_number, const struct vtb_tuple *empty_below)
{
	struct vtb_finding f = {.schedule_number = schedule_number, .first_c = vtb_exec_tuple(failing).c};
	struct vtb_shrunk s;
	int r;

	if (known(hunt->result, failing))
		return 1;
	r = shrink(hunt, failing, &s);
	if (r == -VTB_E_DIVERGED) {
		vtb_info("A failing run did not come again: signature=\"%s\"", failing->outcome.signature);
		hunt->result->facts.not_again++;
		return 1;
	}
	if (r < 0)
		return r;
	r = work_out(hunt, &f, &s, empty_below);
	if (r == 0)
		r = vtb_array_room(hunt->result, findings);
	if (r < 0) {
		vtb_shrunk_fini(&s);
		return vtb_error_set(hunt->err, r, NULL, 0, "cannot work out a finding");
	}
	f.schedule = s.schedule;
	f.exec = s.exec;
	hunt->result->findings[hunt->result->n_findings++] = f;
	return 0;
}
