/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a proved failure to the simplest order: shrunk, then its threads, then the levels below. Ends with the time for
 * that, or when somebody says so. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "hunt_priv.h"
#include "vtb/log.h"
#include "vtb/thread_bound.h"

/* How far one search below a find goes, if the time for it lets it. Where that suffices, a hunt with the same seed says
 * the same on fast machines and slow ones. */
static const struct {
	const char *engine;
	uint64_t schedules;
} lower_limits[] = {
	{ "snapshot", 300000 },
	{ "forkserver", 20000 },
	{ "exec", 2000 },
};
#define LOWER_OPERATIONS 30000000u /* in all its runs */

struct patience {
	struct vtb_hunt *hunt;
	enum vtb_hunt_phase phase;
};

static bool out_of_patience(void *data)
{
	struct patience *p = data;

	vtb_hunt_tell(p->hunt, p->phase);
	return vtb_hunt_due(p->hunt);
}

/* What comes of a long run is then told whole: for the story, with call stacks, and for the file. */
#define TOLD_AFTERWARDS 4

static bool out_of_time_to_shrink(void *data)
{
	struct patience *p = data;
	const double afterwards = p->hunt->runner->long_runs ? TOLD_AFTERWARDS * p->hunt->run_seconds : 0;

	return out_of_patience(data) || vtb_hunt_now() + afterwards > p->hunt->deadline;
}

/* A moment past the time. */
static void telling(void *data, bool begins)
{
	struct patience *p = data;

	p->hunt->stop.proving = begins;
}

static int shrink(struct vtb_hunt *hunt, const struct vtb_exec *failing, struct vtb_shrunk *ret)
{
	struct patience p = { .hunt = hunt, .phase = VTB_HUNT_SHRINKING };
	const struct vtb_shrink_opts opts = { .stop = out_of_time_to_shrink, .telling = telling, .data = &p };

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

static enum vtb_search_reply on_failing(struct vtb_search *search, const struct vtb_schedule *schedule,
                                        const struct vtb_exec *x, struct vtb_tuple tuple, void *data)
{
	struct lower *lower = data;

	(void)search;
	(void)schedule;
	(void)tuple;
	if (lower->found || (lower->signature ? !vtb_exec_fails_as(x, lower->signature)
	                                      : !x->outcome.signature || !*x->outcome.signature))
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
	return vtb_hunt_due(lower->hunt);
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
static int search_with(struct lower *lower, const char *strategy, uint32_t c, uint32_t v, uint64_t budget,
                       bool *ret_complete)
{
	const struct vtb_search_calls calls = { .failing = on_failing, .progress = on_progress, .data = lower };
	struct vtb_hunt *hunt = lower->hunt;
	struct vtb_search_opts opts;
	struct vtb_search *search = NULL;
	struct vtb_claim claim = { 0 };
	int r;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.c = c;
	opts.v = v;
	opts.t = VTB_UNBOUNDED;
	opts.l = VTB_UNBOUNDED;
	opts.seed = hunt->opts->search.seed;
	opts.budget = budget;
	r = vtb_strategies_begin(hunt->runner, &opts, &search, hunt->err);
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

/* Is there a run with this failure within (c, v)? 1 yes: it is in lower->failing; 0 no, *ret_complete tells whether
 * that is proven. Of many threads the orders without any preemption alone have no end: then the strategy that takes of
 * each kind of order one looks, too. */
static int search_below(struct lower *lower, uint32_t c, uint32_t v, bool *ret_complete)
{
	const uint64_t limit = lower_limit(lower->hunt);
	bool complete;
	int r = search_with(lower, "levels", c, v, limit, ret_complete);

	if (r == 0 && !*ret_complete && c > 0 && !vtb_hunt_due(lower->hunt))
		r = search_with(lower, "cvt", c, v, limit / 4, &complete);
	return r;
}

/* Search below what we have until a level is shown to be empty. Each success is shrunk again and lies strictly lower,
 * so this ends. */
static int descend(struct vtb_hunt *hunt, struct vtb_shrunk *s, bool *ret_lower, bool *ret_minimal)
{
	bool fewer_done = s->tuple.c == 0, narrower_done = s->tuple.v <= 1;

	while (!fewer_done || !narrower_done) {
		/* One bug shows in several ways; who looks for one finding wants the simplest of them. */
		struct lower lower = { .hunt = hunt,
			               .signature = hunt->opts->keep_going || hunt->result->verdict == VTB_V_REGARDLESS
			                                ? s->exec.outcome.signature
			                                : NULL };
		const bool fewer = !fewer_done;
		struct vtb_shrunk next;
		bool complete = false;
		int r;

		vtb_hunt_tell(hunt, VTB_HUNT_LOWERING);
		r = fewer ? search_below(&lower, s->tuple.c - 1, VTB_UNBOUNDED, &complete)
		          : search_below(&lower, s->tuple.c, s->tuple.v - 1, &complete);
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
			*ret_lower = true;
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

/* t: which threads the failing order is about. */
static int count_threads(struct vtb_hunt *hunt, struct vtb_finding *f, const struct vtb_exec *x)
{
	struct patience p = { .hunt = hunt, .phase = VTB_HUNT_CONFIRMING };
	const struct vtb_thread_bound_opts opts = { .seed = hunt->opts->search.seed,
		                                    .stop = out_of_patience,
		                                    .data = &p };
	struct vtb_thread_bound bound;
	const int r = vtb_thread_bound(hunt->runner, x, &opts, &bound, hunt->err);

	if (r < 0) /* -ECANCELED: t is not known */
		return r;
	vtb_debug("Threads of the failing order: t=%u, runs=%" PRIu64 ", ended_early=%d", bound.t, bound.runs,
	          bound.ended_early);
	f->tuple.t = vtb_hunt_count_threads(x) > 1 ? bound.t : 1;
	f->t_known = bound.t > 0 && !bound.ended_early;
	vtb_thread_bound_fini(&bound);
	return 0;
}

/* ---- all of it */

double vtb_hunt_refine_seconds(const struct vtb_hunt *hunt)
{
	const double all = hunt->deadline - hunt->start, share = all * VTB_HUNT_REFINE;

	if (hunt->opts->refine >= 0)
		return hunt->opts->refine;
	return share < VTB_HUNT_REFINE_MAX ? share : VTB_HUNT_REFINE_MAX;
}

/* Simpler, if it can be: *s is replaced. */
static int simplify(struct vtb_hunt *hunt, struct vtb_finding *f, struct vtb_shrunk *s,
                    const struct vtb_tuple *empty_below)
{
	struct vtb_shrunk simpler;
	bool lower = false;
	int r = shrink(hunt, &s->exec, &simpler);

	if (r == -VTB_E_DIVERGED) /* it came again often enough to be proved: keep it as it is */
		return 0;
	if (r < 0)
		return r;
	vtb_shrunk_fini(s);
	*s = simpler;
	f->minimal = empty_below &&
	             (s->tuple.c < empty_below->c || (s->tuple.c == empty_below->c && s->tuple.v <= empty_below->v));
	f->tuple = s->tuple;
	r = count_threads(hunt, f, &s->exec); /* before the levels below, which may take all the time */
	if (r < 0 || f->minimal)
		return r;
	r = descend(hunt, s, &lower, &f->minimal);
	if (!lower)
		return r;
	f->tuple = s->tuple;
	f->t_known = false;
	return r < 0 ? r : count_threads(hunt, f, &s->exec);
}

static int copy(const struct vtb_shrunk *s, struct vtb_shrunk *ret)
{
	int r = vtb_schedule_copy(&s->schedule, &ret->schedule);

	ret->tuple = s->tuple;
	return r < 0 ? r : vtb_exec_copy(&s->exec, &ret->exec);
}

/* By runs without their stem, where that is long. What does not fail when it is whole is nothing new. */
static int simplify_short(struct vtb_hunt *hunt, struct vtb_finding *f, struct vtb_shrunk *s,
                          const struct vtb_tuple *empty_below)
{
	struct vtb_shrunk before = { 0 };
	int shorter = vtb_hunt_stem(hunt) ? copy(s, &before) : 0, r, back;

	if (shorter == 0)
		shorter = vtb_hunt_leave_out(hunt, s);
	if (shorter < 0) {
		vtb_shrunk_fini(&before);
		return shorter;
	}
	r = simplify(hunt, f, s, empty_below);
	back = shorter ? vtb_hunt_back(hunt, s) : 1;
	if (back == 0) {
		vtb_shrunk_fini(s);
		*s = before;
		f->tuple = s->tuple;
		f->minimal = f->t_known = false;
		return r;
	}
	vtb_shrunk_fini(&before);
	return back < 0 ? back : r;
}

int vtb_hunt_refine(struct vtb_hunt *hunt, struct vtb_finding *f, struct vtb_shrunk *s,
                    const struct vtb_tuple *empty_below)
{
	const double until = vtb_hunt_now() + vtb_hunt_refine_seconds(hunt), deadline = hunt->stop.deadline,
	             shift = hunt->shift;
	int r;

	if (until < deadline)
		hunt->stop.deadline = until;
	r = simplify_short(hunt, f, s, empty_below);
	hunt->stop.deadline = deadline + hunt->shift - shift;
	return r == -ECANCELED ? 0 : r;
}
