/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "repairs.h"
#include "vtb/exec_waits.h"
#include "vtb/array.h"

#define PROPOSALS 10u
#define CORES_TRIED 4u /* first ones, by lines */
#define SHRUNK_MAX 4u  /* pieces */

void vtb_core_repairs_fini(struct vtb_core_repairs *repairs)
{
	for (size_t i = 0; i < repairs->n_repairs; i++)
		free(repairs->repairs[i].text);
	free(repairs->repairs);
	*repairs = (struct vtb_core_repairs){ 0 };
}

static int keep(struct vtb_core_repairs *ret, const struct repair *repair, const struct vtb_symtab *tab,
                const struct vtb_core_repair_opts *opts, uint64_t schedules)
{
	char text[1500];
	const bool mixed = repair->n_flips && repair->n_pieces;
	struct vtb_core_repair kept = { .kind = mixed ? "order" : repair->kind, .schedules = schedules };

	if (vtb_array_room(ret, repairs) < 0)
		return -ENOMEM;
	kept.text = strdup(repair_words(repair, tab, opts, text, sizeof(text)));
	if (!kept.text)
		return -ENOMEM;
	ret->repairs[ret->n_repairs++] = kept;
	return 0;
}

static bool has(const struct vtb_core_repairs *ret, const char *kind)
{
	for (size_t i = 0; i < ret->n_repairs; i++)
		if (!strcmp(ret->repairs[i].kind, kind))
			return true;
	return false;
}

/* Steps hold whatever the threads' order is; an order is for where they do not, or are not meant. Where a thread can be
 * waited for, both may be meant. */
static bool enough(const struct vtb_core_repairs *ret, const struct repair *next)
{
	return has(ret, "join") ? !strcmp(next->kind, "order") || ret->n_repairs > 1 : ret->n_repairs > 0;
}

static int learn(const struct repair *repair, const struct vtb_core_repair_opts *opts)
{
	return opts->learn && repair_left_out(repair) != VTB_EVENT_NONE ? opts->learn(repair->passing, opts->data) : 0;
}

struct trying {
	struct vtb_runner *runner;
	const struct vtb_cores *cores;
	const struct vtb_core_repair_opts *opts;
	struct vtb_exec passing; /* a run under it */
	uint64_t schedules;
	struct vtb_error *err;
};

typedef int trial_way(struct vtb_runner *runner, const struct repair *repair, const struct vtb_core_repair_opts *opts,
                      uint64_t *ret_schedules, struct vtb_exec *ret_passing, struct vtb_error *err);

static int try_by(struct trying *t, trial_way *way, const struct repair *repair)
{
	vtb_exec_fini(&t->passing);
	return way(t->runner, repair, t->opts, &t->schedules, &t->passing, t->err);
}

/* By its lines, unless a run is known that keeps it and fails. */
static int try_by_lines(struct trying *t, const struct repair *repair)
{
	for (size_t i = 0; i < t->cores->n_cores; i++)
		if (repair_is_kept(repair, t->runner->tab, t->opts, &t->cores->cores[i].exec))
			return 0;
	return try_by(t, repair_try_lines, repair);
}

/* The run and the count of a trial that held are those to be told. */
static void take(struct trying *t, struct trying *from)
{
	vtb_exec_fini(&t->passing);
	t->passing = from->passing;
	t->schedules = from->schedules;
	from->passing = (struct vtb_exec){ 0 };
}

/* Locks and what a library does once only show what came of it. */
static bool is_of_data(const struct vtb_core *core)
{
	for (size_t i = 0; i < core->n_literals; i++)
		if (!core_is_data(&core->literals[i].before) || !core_is_data(&core->literals[i].after))
			return false;
	return true;
}

/* So many of the first cores are tried by lines. */
static size_t count_tried(const struct vtb_cores *cores)
{
	size_t n = 1;

	while (n < cores->n_cores && n < CORES_TRIED && is_of_data(&cores->cores[n]))
		n++;
	return n;
}

/* What the first cores ask for may be all that it takes, where it is done by lines: of what holds that of which least
 * is to be told, and that for more cores. */
static int try_lines(struct trying *t, size_t nth, struct repair *repair)
{
	struct trying some = *t;
	const size_t n = count_tried(t->cores);
	struct vtb_cores cores = *t->cores;
	size_t least = SIZE_MAX;
	int r = 0;

	some.passing = (struct vtb_exec){ 0 };
	for (cores.n_cores = 1; cores.n_cores <= n && r >= 0; cores.n_cores++) {
		struct repair less;

		r = repair_propose(&cores, t->runner->tab, t->opts, nth, &less);
		if (r == 1)
			r = try_by_lines(&some, &less);
		if (r == 1 && repair_told(&less, t->runner->tab, t->opts) <= least) {
			least = repair_told(&less, t->runner->tab, t->opts);
			take(t, &some);
			*repair = less;
		}
	}
	vtb_exec_fini(&some.passing);
	return r < 0 ? r : least < SIZE_MAX;
}

/* ---- less of it */

static bool same_places(const struct repair_piece *a, const struct repair_piece *b)
{
	return a->first.site == b->first.site && a->last.site == b->last.site;
}

/* A piece of several operations, with others that are not of its lines: one of its ends may be all that matters. */
static bool may_shrink(const struct repair *r, size_t piece)
{
	size_t others = 0;

	for (size_t i = 0; i < r->n_pieces; i++) {
		if (i != piece && same_places(&r->pieces[i], &r->pieces[piece]))
			return false;
		others += i != piece && !repair_same_op(&r->pieces[i].first, &r->pieces[i].last);
	}
	return others && !repair_same_op(&r->pieces[piece].first, &r->pieces[piece].last);
}

/* Is what is left of the piece in a method of the other piece's class? */
static bool is_of_class(const struct trying *t, const struct repair *r, size_t piece, bool to_last, const char *class)
{
	struct repair less = *r;
	char own[200];

	repair_shrink_piece(&less.pieces[piece], to_last);
	return !strcmp(repair_class(&less, piece, t->runner->tab, t->opts, own, sizeof(own)), class);
}

/* Which end is left? Methods of one class may have a lock together: that of the class of another piece; else what came
 * last. */
static bool prefers_last(const struct trying *t, const struct repair *r, size_t piece)
{
	char class[200];

	repair_class(r, piece ? 0 : 1, t->runner->tab, t->opts, class, sizeof(class));
	return is_of_class(t, r, piece, true, class) || !is_of_class(t, r, piece, false, class);
}

/* 1 or 0, or an error: *repair is what holds. */
static int shrink_piece(struct trying *t, size_t piece, struct repair *repair)
{
	const bool shrinks = may_shrink(repair, piece), last = shrinks && prefers_last(t, repair, piece);
	int r = 0;

	for (int i = 0; i < 2 && r == 0 && shrinks; i++) {
		struct trying some = *t;
		struct repair less = *repair;

		some.passing = (struct vtb_exec){ 0 };
		repair_shrink_piece(&less.pieces[piece], i ? !last : last);
		r = try_by_lines(&some, &less);
		if (r == 1) {
			take(t, &some);
			*repair = less;
		}
		vtb_exec_fini(&some.passing);
	}
	return r;
}

/* Operations from its beginning to its end. */
static size_t length_of(const struct repair_piece *p)
{
	const struct vtb_exec *x = p->whole ? p->whole : p->run;
	const size_t first = core_place_in(x, &p->first), last = core_place_in(x, &p->last);
	size_t n = 0;

	for (size_t i = first; first != VTB_EVENT_NONE && last != VTB_EVENT_NONE && i < last; i++)
		n += x->events[i].thread == p->first.thread;
	return n;
}

/* The pieces' numbers, the longest first. */
static void longest_first(const struct repair *r, size_t *ret)
{
	for (size_t i = 0; i < r->n_pieces; i++) {
		size_t k = i;

		for (; k > 0 && length_of(&r->pieces[ret[k - 1]]) < length_of(&r->pieces[i]); k--)
			ret[k] = ret[k - 1];
		ret[k] = i;
	}
}

/* Where the steps of two threads hold, one of them may be no step: who comes between the other's need not do more than
 * one thing. The longer one is more to change, and may go on to the next round of a loop. */
static int shrink_steps(struct trying *t, struct repair *repair)
{
	size_t order[REPAIR_PIECES];
	/* of a circle each piece takes one lock while it holds another: with one end it says nothing */
	const bool several = !repair->n_flips && repair->n_pieces <= SHRUNK_MAX && repair->class != &core_deadlock &&
	                     repair_told(repair, t->runner->tab, t->opts) > 1;
	int r = 0;

	longest_first(repair, order);
	for (size_t i = 0; i < repair->n_pieces && several && r >= 0; i++)
		r = shrink_piece(t, order[i], repair);
	return r < 0 ? r : 1;
}

/* The steps that several cores ask for are not all in one run: who frees in one of them uses in the other, and there is
 * no order of all that the program allows but that in which it is used first. 1 if what one of them asks for is
 * enforced in either order and no run keeps it and fails, 0, or an error. */
static int check_parts(struct trying *t, size_t nth, const struct repair *repair)
{
	int r = repair->class == &core_use_after_free && repair->n_pieces;

	if (!r)
		return 1;
	for (size_t i = 0; i < t->cores->n_cores && i < CORES_TRIED && r > 0; i++) {
		struct vtb_cores one = *t->cores;
		struct repair part;

		one.cores = &t->cores->cores[i];
		one.n_cores = 1;
		r = repair_propose(&one, t->runner->tab, t->opts, nth, &part);
		if (r == 1 && part.n_pieces)
			r = repair_is_in_vain(t->runner, &part, repair, t->opts, t->err);
		else
			r = r < 0 ? r : 0;
		r = r < 0 ? r : !r;
	}
	return r;
}

/* What all cores of a failure ask for together is more than a reader wants to be told, if less will do. */
static int try_it(struct trying *t, size_t nth, struct repair *repair)
{
	const bool single = t->cores->n_cores == 1;
	int r = single ? try_by(t, repair_try, repair) : try_lines(t, nth, repair);

	if (r == 0)
		r = single ? try_lines(t, nth, repair) : try_by(t, repair_try, repair);
	if (r == 1 && !single)
		r = check_parts(t, nth, repair);
	return r > 0 ? shrink_steps(t, repair) : r;
}

/* 1 go on, 0 enough, or an error. */
static int consider(struct trying *t, size_t nth, struct repair *repair, struct vtb_core_repairs *ret)
{
	int held;

	if (enough(ret, repair))
		return 0;
	if (has(ret, "join") && !strcmp(repair->kind, "join"))
		return 1; /* the same, sooner */
	held = try_it(t, nth, repair);
	repair->passing = t->passing.n_events ? &t->passing : NULL;
	ret->rejected += held == 0;
	if (held > 0 && learn(repair, t->opts) < 0)
		repair->passing = NULL;
	if (held > 0 && keep(ret, repair, t->runner->tab, t->opts, t->schedules) < 0)
		held = -ENOMEM;
	vtb_exec_fini(&t->passing);
	repair->passing = NULL;
	return held < 0 ? held : 1;
}

int vtb_cores_repair(struct vtb_runner *runner, const struct vtb_cores *cores, const struct vtb_core_repair_opts *opts,
                     struct vtb_core_repairs *ret, struct vtb_error *err)
{
	struct trying t = { .runner = runner, .cores = cores, .opts = opts, .err = err };
	struct repair repair;
	int r = cores->n_cores ? 1 : 0;

	*ret = (struct vtb_core_repairs){ 0 };
	for (size_t i = 0; i < PROPOSALS && r > 0 && !(opts->stop && opts->stop(opts->data)); i++) {
		r = repair_propose(cores, runner->tab, opts, i, &repair);
		if (r == REPAIR_IS_NONE)
			r = 1;
		else if (r > 0)
			r = consider(&t, i, &repair, ret);
	}
	if (r < 0 && r != -ECANCELED)
		vtb_core_repairs_fini(ret);
	return r == -ECANCELED || r > 0 ? 0 : r;
}
