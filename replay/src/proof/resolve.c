/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A schedule from a file made to fit the program at hand. */
#include "vtb/process_runner.h"
#include "vtb/replay.h"

#include "vtb/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONSTRAINT_ROUNDS 4 /* runs after which the operations of constraints must have settled */

struct resolver {
	struct vtb_runner *runner;
	const struct vtb_schedule *s; /* as given, but with ids of the runner's table */
	struct vtb_resolution *out;
	struct vtb_error *err;
};

void vtb_resolution_fini(struct vtb_resolution *r)
{
	vtb_schedule_fini(&r->schedule);
	free(r->notes);
	*r = (struct vtb_resolution){ 0 };
}

/* ---- the same schedule with the runner's ids */

struct import {
	struct vtb_symtab *to;
	const struct vtb_symtab *from;
};

/* Threads are the same if their paths are; nothing else of the other table may get into ours, its modules least of all.
 */
static int import_thread(const struct import *im, uint32_t *thread)
{
	const int64_t id = *thread < im->from->n_threads
	                       ? vtb_symtab_thread_by_path(im->to, vtb_thread_path(im->from, *thread))
	                       : -EINVAL;

	if (id < 0)
		return (int)id;
	*thread = (uint32_t)id;
	return 0;
}

static int import_text(const struct import *im, const char **text)
{
	*text = vtb_symtab_string(im->to, *text ? *text : "");
	return *text ? 0 : -ENOMEM;
}

static int import_op(const struct import *im, struct vtb_op *op)
{
	int r = import_thread(im, &op->thread);

	if (r >= 0)
		r = import_text(im, &op->name.function);
	if (r >= 0)
		r = import_text(im, &op->name.file);
	if (r >= 0)
		r = import_text(im, &op->name.variable);
	op->name.site = VTB_NONE; /* a site of the other table: places are found anew */
	return r;
}

static int import_deviation(const struct import *im, struct vtb_deviation *d)
{
	const bool to_thread = vtb_deviation_names_thread(d->kind);
	int r = import_op(im, &d->after);

	d->var = VTB_NONE;
	return r >= 0 && to_thread ? import_thread(im, &d->target) : r;
}

static int import_ranks(const struct import *im, struct vtb_schedule *s)
{
	int r = 0;

	for (size_t i = 0; i < s->n_ranks && r >= 0; i++)
		if (!(s->ranks[i] & VTB_RANK_FRAGMENT_BIT))
			r = import_thread(im, &s->ranks[i]);
	return r;
}

static int import_schedule(const struct vtb_schedule *s, const struct vtb_symtab *from, struct vtb_symtab *to,
                           struct vtb_schedule *ret)
{
	const struct import im = { .to = to, .from = from };
	struct vtb_schedule copy;
	int r = vtb_schedule_copy(s, &copy);

	if (r < 0)
		return r;
	r = import_ranks(&im, &copy);
	for (size_t i = 0; i < copy.n_deviations && r >= 0; i++)
		r = import_deviation(&im, &copy.deviations[i]);
	for (size_t i = 0; i < copy.n_constraints && r >= 0; i++) {
		r = import_op(&im, &copy.constraints[i].before);
		if (r >= 0)
			r = import_op(&im, &copy.constraints[i].after);
	}
	if (r < 0)
		vtb_schedule_fini(&copy);
	else
		*ret = copy;
	return r;
}

static bool has_names(const struct vtb_schedule *s)
{
	bool all = true;

	for (size_t i = 0; i < s->n_deviations; i++)
		all &= s->deviations[i].after.name.kind != 0 || !s->deviations[i].after.index;
	for (size_t i = 0; i < s->n_constraints; i++)
		all &= s->constraints[i].before.name.kind != 0 && s->constraints[i].after.name.kind != 0;
	return all;
}

/* ---- by name */

static int add_note(struct resolver *rs, const struct vtb_place_note *note)
{
	int r = 0;

	if (note->state == VTB_PLACE_SAME)
		return 0;
	r = vtb_array_room(rs->out, notes);
	if (r >= 0)
		rs->out->notes[rs->out->n_notes++] = *note;
	return r;
}

static int run_once(struct resolver *rs, const struct vtb_schedule *s, struct vtb_exec *x)
{
	rs->out->runs++;
	return vtb_runner_run(rs->runner, &s, 1, x, rs->err);
}

/* 1: found. 0: not; the note says why. */
static int locate(struct resolver *rs, const struct vtb_exec *x, struct vtb_op *op, struct vtb_place_note *note)
{
	int64_t index;

	*note = (struct vtb_place_note){ .state = VTB_PLACE_SAME };
	if (!op->index) /* the point before the thread's first operation needs no name */
		return 1;
	if (!op->name.kind) {
		note->state = VTB_PLACE_MISSING;
		snprintf(note->text, sizeof(note->text),
		         "operation %u of thread %s has no name, and the program is another build", op->index,
		         vtb_thread_path(rs->runner->tab, op->thread));
		return 0;
	}
	index = vtb_replay_find(x, rs->runner->tab, op->thread, &op->name, note);
	if (index < 0)
		return 0;
	op->index = (uint32_t)index;
	return 1;
}

/* Look up all deviations in one run. How many, from the first on, were found; *ret_same: none of their indexes changed.
 */
static size_t locate_deviations(struct resolver *rs, const struct vtb_exec *x, struct vtb_schedule *s, bool *ret_same)
{
	struct vtb_place_note note;

	*ret_same = true;
	for (size_t i = 0; i < s->n_deviations; i++) {
		const uint32_t before = s->deviations[i].after.index;

		if (!locate(rs, x, &s->deviations[i].after, &note))
			return i;
		*ret_same &= s->deviations[i].after.index == before;
	}
	return s->n_deviations;
}

/* Usually the default run has every operation, at the index it also has in the deviating run: two runs instead of one
 * for each deviation. 1: settled. */
static int try_at_once(struct resolver *rs, struct vtb_schedule *work)
{
	const size_t n = work->n_deviations;
	struct vtb_exec x;
	size_t found;
	bool same;
	int r;

	work->n_deviations = 0;
	r = run_once(rs, work, &x);
	work->n_deviations = n;
	if (r < 0)
		return r;
	found = locate_deviations(rs, &x, work, &same);
	vtb_exec_fini(&x);
	if (found < n)
		return 0;
	r = run_once(rs, work, &x);
	if (r < 0)
		return r;
	found = locate_deviations(rs, &x, work, &same);
	vtb_exec_fini(&x);
	return found == n && same;
}

/* Each operation in a run under the deviations before it. */
static int one_by_one(struct resolver *rs, struct vtb_schedule *work)
{
	const size_t n = work->n_deviations;
	int r = 0;

	work->n_deviations = 0;
	while (work->n_deviations < n && r >= 0) {
		struct vtb_place_note note;
		struct vtb_exec x;

		r = run_once(rs, work, &x);
		if (r < 0)
			break;
		if (!locate(rs, &x, &work->deviations[work->n_deviations].after, &note)) {
			rs->out->unresolved += n - work->n_deviations;
			r = add_note(rs, &note);
			vtb_exec_fini(&x);
			break;
		}
		work->n_deviations++;
		vtb_exec_fini(&x);
	}
	return r; /* what was not found stays cut off */
}

/* An operation that is not met yet may only come once others are where the constraints want them. Until it is met, the
 * next thing its thread does after the operations known of it stands in its place. */
static void guess(const struct vtb_schedule *found, size_t n, struct vtb_op *op)
{
	uint32_t last = 0;

	for (size_t i = 0; i < n; i++) {
		const struct vtb_constraint *c = &found->constraints[i];

		if (c->before.thread == op->thread && c->before.index > last)
			last = c->before.index;
		if (c->after.thread == op->thread && c->after.index > last)
			last = c->after.index;
	}
	op->index = last + 1;
}

static int locate_constraints(struct resolver *rs, const struct vtb_exec *x, struct vtb_schedule *s,
                              struct vtb_schedule *found, bool *ret_same, bool keep_notes)
{
	const size_t had = found->n_constraints;
	struct vtb_place_note note[2];
	size_t n = 0;
	int r = 0;

	*ret_same = true;
	for (size_t i = 0; i < s->n_constraints && r >= 0; i++) {
		struct vtb_constraint c = s->constraints[i];
		const bool before = locate(rs, x, &c.before, &note[0]), after = locate(rs, x, &c.after, &note[1]);

		if (before && !after &&
		    x->outcome.verdict != VTB_V_NONE) /* the run fails before it comes to the second one: as wanted */
			continue;
		if (keep_notes) {
			r = add_note(rs, &note[0]);
			if (r >= 0)
				r = add_note(rs, &note[1]);
			rs->out->unresolved += !before + !after;
		}
		if (!after || (!before && keep_notes))
			continue;
		if (!before) {
			guess(found, n, &c.before);
			*ret_same = false;
			found->constraints[n++] = c;
			continue;
		}
		*ret_same &= n < found->n_constraints && found->constraints[n].before.index == c.before.index &&
		             found->constraints[n].after.index == c.after.index;
		found->constraints[n++] = c;
	}
	found->n_constraints = n;
	*ret_same &= n == had;
	return r;
}

/* Constraints change the run in which their operations are looked up: repeat until nothing moves. */
static int settle_constraints(struct resolver *rs, struct vtb_schedule *work)
{
	struct vtb_schedule wanted;
	bool same = work->n_constraints == 0;
	int r = same ? 0 : vtb_schedule_copy(work, &wanted);

	if (same || r < 0)
		return r;
	work->n_constraints = 0;
	for (int i = 0; i <= CONSTRAINT_ROUNDS && !same && r >= 0; i++) {
		struct vtb_exec x;

		r = run_once(rs, work, &x);
		if (r < 0)
			break;
		r = locate_constraints(rs, &x, &wanted, work, &same, false);
		if (r >= 0 && (same || i == CONSTRAINT_ROUNDS))
			r = locate_constraints(rs, &x, &wanted, work, &same, true);
		vtb_exec_fini(&x);
	}
	vtb_schedule_fini(&wanted);
	return r;
}

/* The remarks that stand in the end are those of the final run. */
static int note_deviations(struct resolver *rs, struct vtb_schedule *work)
{
	struct vtb_exec x;
	int r = run_once(rs, work, &x);

	for (size_t i = 0; r >= 0 && i < work->n_deviations; i++) {
		struct vtb_place_note note;

		locate(rs, &x, &work->deviations[i].after, &note);
		r = add_note(rs, &note);
	}
	if (r >= 0)
		vtb_exec_fini(&x);
	return r;
}

static int resolve_by_name(struct resolver *rs, struct vtb_schedule *work)
{
	struct vtb_schedule deviations;
	int r = vtb_schedule_copy(work, &deviations);

	if (r < 0)
		return r;
	deviations.n_constraints = 0;
	r = try_at_once(rs, &deviations);
	if (r == 0)
		r = one_by_one(rs, &deviations);
	if (r >= 0) {
		for (size_t i = 0; i < deviations.n_deviations; i++)
			work->deviations[i].after.index = deviations.deviations[i].after.index;
		work->n_deviations = deviations.n_deviations;
	}
	vtb_schedule_fini(&deviations);
	if (r >= 0)
		r = settle_constraints(rs, work);
	return r < 0 ? r : note_deviations(rs, work);
}

int vtb_replay_resolve(struct vtb_runner *runner, const struct vtb_schedule *s, const struct vtb_symtab *from,
                       enum vtb_resolve_how how, struct vtb_resolution *ret, struct vtb_error *err)
{
	struct vtb_resolution out = { 0 };
	struct resolver rs = { .runner = runner, .s = s, .out = &out, .err = err };
	int r = import_schedule(s, from, runner->tab, &out.schedule);

	*ret = (struct vtb_resolution){ 0 };
	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "the schedule's names cannot be used: %s", vtb_strerror(r));
	out.by_name = how == VTB_RESOLVE_BY_NAME ||
	              (how == VTB_RESOLVE_AUTO && vtb_replay_build(from, runner->tab) != VTB_BUILD_SAME &&
	               (from->n_modules || has_names(s)));
	if (out.by_name && !strcmp(runner->ops->name, "process"))
		vtb_process_runner_loose(runner);
	if (out.by_name && (s->n_deviations || s->n_constraints))
		r = resolve_by_name(&rs, &out.schedule);
	if (r < 0)
		vtb_resolution_fini(&out);
	else
		*ret = out;
	return r;
}
