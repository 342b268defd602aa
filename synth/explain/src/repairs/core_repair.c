/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "repairs.h"
#include "vtb/exec_waits.h"
#include "vtb/array.h"

#define PROPOSALS 9u

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

/* What the first core alone asks for may be all that it takes, where it is done by lines. */
static int try_lines(struct trying *t, size_t nth, struct repair *repair)
{
	struct vtb_cores first = *t->cores;
	struct repair less;
	int r;

	first.n_cores = 1;
	r = repair_propose(&first, t->runner->tab, t->opts, nth, &less);
	if (r == 1)
		r = try_by(t, repair_try_lines, &less);
	if (r == 1)
		*repair = less;
	if (r == 0 && t->cores->n_cores > 1)
		r = try_by(t, repair_try_lines, repair);
	return r == REPAIR_IS_NONE ? 0 : r;
}

/* Steps and orders together are more than a reader wants to be told, if less will do. */
static int try_it(struct trying *t, size_t nth, struct repair *repair)
{
	const bool mixed = repair->n_pieces && repair->n_flips;
	int r = mixed ? 0 : try_by(t, repair_try, repair);

	if (r == 0)
		r = try_lines(t, nth, repair);
	if (r == 0 && mixed)
		r = try_by(t, repair_try, repair);
	return r;
}

/* 1 go on, 0 enough, or an error. */
static int consider(struct trying *t, size_t nth, struct repair *repair, struct vtb_core_repairs *ret)
{
	int held;

	if (enough(ret, repair))
		return 0;
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
