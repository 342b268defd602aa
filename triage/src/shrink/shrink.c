/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shrink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shrink_moves.h"
#include "vtb/array.h"
#include "vtb/log.h"
#include "vtb/wire.h"

#define BATCH_MAX 64u           /* candidates that run together */
#define BATCH_EVENTS (1u << 17) /* and so many operations: what comes after them has to wait for all */

struct shrinker {
	struct vtb_runner *runner;
	const struct vtb_shrink_opts *opts;
	const char *signature;
	struct vtb_schedule best;
	struct vtb_exec exec;
	struct shrink_cost cost;
	uint64_t runs, budget;
	bool little; /* runs are told by what threads share */
	struct vtb_error *err;
};

void vtb_shrunk_fini(struct vtb_shrunk *s)
{
	vtb_schedule_fini(&s->schedule);
	vtb_exec_fini(&s->exec);
	*s = (struct vtb_shrunk){ 0 };
}

bool vtb_exec_fails_as(const struct vtb_exec *x, const char *signature)
{
	if (vtb_verdict_exit_code(x->outcome.verdict) != 1)
		return false;
	if (!signature || !*signature)
		return true;
	return x->outcome.signature && strcmp(x->outcome.signature, signature) == 0;
}

static bool must_stop(const struct shrinker *s)
{
	return s->runs >= s->budget || (s->opts && s->opts->stop && s->opts->stop(s->opts->data));
}

/* Of long runs only what threads share is told while candidates are compared: the rest is the same in all of them. */
static void tell_little(struct shrinker *s, bool little)
{
	s->little = little;
	vtb_runner_tell_little(s->runner, little);
}

static int run(struct shrinker *s, struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs)
{
	for (size_t i = 0; i < n; i++)
		schedules[i]->sparse = s->little;
	s->runs += n;
	return vtb_runner_run(s->runner, (const struct vtb_schedule *const *)schedules, n, execs, s->err);
}

/* Take over a failing run if its own explicit schedule reproduces it: 1 taken, 0 not reproduced. */
static int adopt(struct shrinker *s, const struct vtb_exec *x)
{
	struct vtb_schedule exact = { 0 }, *one = &exact;
	struct vtb_exec again = { 0 };
	int r = vtb_exec_schedule(x, &exact);

	if (r < 0)
		return vtb_error_set(s->err, r, NULL, 0, "cannot describe a run by its switches");
	r = run(s, &one, 1, &again);
	if (r < 0)
		goto out;
	r = 0;
	if (!vtb_exec_fails_as(&again, s->signature) || again.outcome.flags & VTB_OUT_DIVERGED)
		goto out;
	vtb_schedule_fini(&s->best);
	vtb_exec_fini(&s->exec);
	s->best = exact;
	s->exec = again;
	s->cost = vtb_shrink_cost(&again, &exact);
	vtb_debug("Shrunk: c=%u, v=%u, threads=%u, departures=%u, switches=%u, far=%u", s->cost.c, s->cost.v,
	          s->cost.threads, s->cost.departures, s->cost.switches, s->cost.far);
	return 1;
out:
	vtb_schedule_fini(&exact);
	vtb_exec_fini(&again);
	return r;
}

/* The cheapest failing run of a batch that is cheaper than the best so far: its place, or -1. */
static int64_t cheapest(const struct shrinker *s, const struct vtb_exec *execs, size_t n, const bool *tried)
{
	struct shrink_cost least = s->cost;
	int64_t best = -1;

	for (size_t i = 0; i < n; i++) {
		struct vtb_schedule exact = { 0 };
		struct shrink_cost cost;

		if (tried[i] || !vtb_exec_fails_as(&execs[i], s->signature) || vtb_exec_schedule(&execs[i], &exact) < 0)
			continue;
		cost = vtb_shrink_cost(&execs[i], &exact);
		vtb_schedule_fini(&exact);
		if (vtb_shrink_compare(&cost, &least) >= 0)
			continue;
		least = cost;
		best = (int64_t)i;
	}
	return best;
}

/* Run the candidates [first, first+n) together and adopt the best one: 1 improved, 0 not. */
static int try_batch(struct shrinker *s, const struct shrink_moves *moves, size_t first, size_t n)
{
	struct vtb_schedule *schedules[BATCH_MAX] = { 0 };
	struct vtb_exec execs[BATCH_MAX] = { 0 };
	bool tried[BATCH_MAX] = { 0 };
	int r;

	for (size_t i = 0; i < n; i++)
		schedules[i] = &moves->schedules[first + i];
	r = run(s, schedules, n, execs);
	while (r == 0) {
		const int64_t i = cheapest(s, execs, n, tried);

		if (i < 0)
			break;
		tried[i] = true;
		r = adopt(s, &execs[i]);
	}
	for (size_t i = 0; i < n; i++)
		vtb_exec_fini(&execs[i]);
	return r;
}

/* Operations that take as long as the run: what is passed over is done sixteen times as fast as what is told. */
static uint64_t length(const struct vtb_exec *x)
{
	uint64_t n = x->n_events;

	for (size_t i = 0; x->owned && i < x->n_events; i++)
		n += x->events[i].kind == VTB_E_OWNED ? x->events[i].value / 16 : 0;
	return n;
}

/* As many as the runner likes. Of long runs fewer: the first that fails makes the rest of its batch needless, and time
 * is looked at between batches. */
static size_t batch_size(const struct shrinker *s)
{
	const size_t likes = s->runner->ops->batch ? s->runner->ops->batch(s->runner) : 1,
	             most = BATCH_EVENTS / (length(&s->exec) + 1);
	size_t n = likes < BATCH_MAX ? likes : BATCH_MAX;

	n = n < most ? n : most;
	return n < 1 ? 1 : n;
}

/* The proposals of a window, batch by batch: 1 improved, 0 none of them does. */
static int try_window(struct shrinker *s, shrink_move_fn propose, struct shrink_moves *moves)
{
	const size_t batch = batch_size(s);
	int r = propose(&s->exec, &s->best, moves);

	if (r < 0)
		vtb_error_set(s->err, r, NULL, 0, "cannot keep the candidates of a step");
	for (size_t i = 0; r == 0 && i < moves->n_schedules && !must_stop(s); i += batch)
		r = try_batch(s, moves, i, moves->n_schedules - i < batch ? moves->n_schedules - i : batch);
	return r;
}

/* One family of moves from where we stand: 1 improved, 0 none of them does. Each window is twice as large as the one
 * before, so that finding the place where it begins does not cost more than what lies in it. */
static int try_moves(struct shrinker *s, shrink_move_fn propose)
{
	size_t skip = 0, room = BATCH_MAX;
	bool more = true;
	int r = 0;

	while (r == 0 && more && !must_stop(s)) {
		struct shrink_moves moves = { .skip = skip, .room = room };

		r = try_window(s, propose, &moves);
		more = vtb_shrink_moves_full(&moves);
		vtb_shrink_moves_fini(&moves);
		skip += room;
		room *= 2;
	}
	return r;
}

/* Cheap and strong moves first; after every success begin again. */
static int improve(struct shrinker *s, bool *ret_minimum)
{
	static const shrink_move_fn families[] = { vtb_shrink_remove, vtb_shrink_rename, vtb_shrink_move,
		                                   vtb_shrink_retarget, vtb_shrink_single };
	size_t i = 0;
	int r = 0;

	while (i < sizeof(families) / sizeof(*families) && !must_stop(s)) {
		r = try_moves(s, families[i]);
		if (r < 0)
			return r;
		i = r > 0 ? 0 : i + 1;
	}
	*ret_minimum = i == sizeof(families) / sizeof(*families);
	return 0;
}

static void remove_deviation(struct vtb_schedule *s, size_t at)
{
	s->n_deviations--;
	memmove(&s->deviations[at], &s->deviations[at + 1], (s->n_deviations - at) * sizeof(*s->deviations));
}

/* Puts back what remove_deviation() took: there is room. */
static void insert_deviation(struct vtb_schedule *s, size_t at, struct vtb_deviation d)
{
	memmove(&s->deviations[at + 1], &s->deviations[at], (s->n_deviations - at) * sizeof(*s->deviations));
	s->deviations[at] = d;
	s->n_deviations++;
}

/* The same operations in the same order, and nothing of the schedule was passed over. */
static bool same_run(const struct vtb_exec *a, const struct vtb_exec *b)
{
	if (a->n_events != b->n_events || a->outcome.flags & VTB_OUT_DIVERGED ||
	    !vtb_exec_fails_as(a, b->outcome.signature))
		return false;
	for (size_t i = 0; i < a->n_events; i++)
		if (a->events[i].thread != b->events[i].thread || a->events[i].kind != b->events[i].kind ||
		    a->events[i].site != b->events[i].site)
			return false;
	return true;
}

/* The exact schedule names every switch; leave out those that the policy makes by itself. */
static int drop_implied(struct shrinker *s)
{
	size_t i = 0;
	int r = 0;

	while (r == 0 && i < s->best.n_deviations && !must_stop(s)) {
		const struct vtb_deviation saved = s->best.deviations[i];
		struct vtb_schedule *one = &s->best;
		struct vtb_exec x = { 0 };

		if (saved.kind != VTB_DEV_SWITCH || saved.cost) {
			i++;
			continue;
		}
		remove_deviation(&s->best, i);
		r = run(s, &one, 1, &x);
		if (r < 0 || !same_run(&x, &s->exec))
			insert_deviation(&s->best, i++, saved);
		vtb_exec_fini(&x);
	}
	return r;
}

/* Once more, with all its operations. 1: it is the same failure; 0: it is not. */
static int tell_all(struct shrinker *s)
{
	struct vtb_schedule *one = &s->best;
	struct vtb_exec x = { 0 };
	int r;

	tell_little(s, false);
	if (s->opts && s->opts->telling)
		s->opts->telling(s->opts->data, true);
	r = run(s, &one, 1, &x);
	if (s->opts && s->opts->telling)
		s->opts->telling(s->opts->data, false);
	if (r == 0 && vtb_exec_fails_as(&x, s->signature) && !(x.outcome.flags & VTB_OUT_DIVERGED)) {
		vtb_exec_fini(&s->exec);
		s->exec = x;
		return 1;
	}
	vtb_exec_fini(&x);
	return r;
}

/* From the failing run to a simpler one: 1; 0 if it does not come again. */
static int shrink(struct shrinker *s, const struct vtb_exec *failing, bool *ret_minimum)
{
	int r = adopt(s, failing);

	if (r > 0)
		r = improve(s, ret_minimum);
	else if (r == 0)
		return 0;
	if (r == 0)
		r = drop_implied(s);
	if (r == -ECANCELED && s->best.n_deviations + s->exec.n_events) /* what there is */
		r = 0;
	return r < 0 ? r : 1;
}

int vtb_shrink(struct vtb_runner *runner, const struct vtb_exec *failing, const struct vtb_shrink_opts *opts,
               struct vtb_shrunk *ret, struct vtb_error *err)
{
	struct shrinker s = { .runner = runner, .opts = opts, .err = err, .signature = failing->outcome.signature };
	bool minimum = false;
	int r;

	s.budget = opts && opts->budget ? opts->budget : VTB_SHRINK_BUDGET;
	tell_little(&s, runner->sparse_pays);
	r = shrink(&s, failing, &minimum);
	if (s.little) {
		r = r > 0 ? tell_all(&s) : r;
		tell_little(&s, false);
		if (r == 0) { /* told less, it was not the same */
			vtb_schedule_fini(&s.best);
			vtb_exec_fini(&s.exec);
			r = shrink(&s, failing, &minimum);
		}
	}
	if (r == 0)
		r = vtb_error_set(err, -VTB_E_DIVERGED, NULL, 0,
		                  "the failing run does not come again from its own schedule");
	if (r < 0) {
		vtb_schedule_fini(&s.best);
		vtb_exec_fini(&s.exec);
		return r;
	}
	s.best.sparse = false;
	*ret = (struct vtb_shrunk){ .schedule = s.best,
		                    .exec = s.exec,
		                    .tuple = vtb_exec_tuple(&s.exec),
		                    .runs = s.runs,
		                    .local_minimum = minimum };
	ret->schedule.tuple = ret->tuple;
	vtb_debug("Shrink ends: replays=%" PRIu64 ", minimum=%d", s.runs, minimum);
	return 0;
}
