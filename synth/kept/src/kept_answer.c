/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An answer from the file, and whether the program still does the same. */
#include <errno.h>
#include <inttypes.h>

#include "kept_priv.h"
#include "kept_records.h"

/* ---- is it what it was? */

#define NO_ADDRESS 4u /* bytes: what is wider may hold an address, which need not be the same in every process */

static bool same_event(const struct vtb_event *a, const struct vtb_event *b)
{
	return a->kind == b->kind && a->thread == b->thread && a->site == b->site && a->var == b->var &&
	       (a->size == 0 || a->size > NO_ADDRESS || a->value == b->value);
}

static bool same(const struct vtb_exec *a, const struct vtb_exec *b)
{
	bool is = a->n_events == b->n_events && a->outcome.verdict == b->outcome.verdict &&
	          a->outcome.exit_status == b->outcome.exit_status;

	for (size_t i = 0; is && i < a->n_events; i++)
		is = same_event(&a->events[i], &b->events[i]);
	return is;
}

/* What a run that was told by its class or until it was stopped had done is not known; one that may have passed over
 * accesses drew its choices at other points. */
static bool is_comparable(const struct vtb_kept *kept, const struct vtb_schedule *s, const struct vtb_exec *x)
{
	return !x->brief && !kept_passes_over(kept, s) && !vtb_verdict_is_cut(x->outcome.verdict);
}

static int make_again(struct vtb_kept *kept, const struct vtb_schedule *s, const struct vtb_exec *x,
                      struct vtb_error *err)
{
	struct vtb_schedule whole = *s;
	const struct vtb_schedule *one = &whole;
	struct vtb_exec again = { 0 };
	const uint64_t schedules = kept->runner->schedules;
	int r = kept_tell_runner(kept);

	whole.brief = whole.sparse = false;
	if (r >= 0)
		r = kept->runner->ops->run(kept->runner, &one, 1, &again, err);
	kept->runner->schedules = schedules;
	if (r < 0)
		return r;
	kept->made_again++;
	if (!vtb_verdict_is_cut(again.outcome.verdict) && !same(&again, x))
		r = vtb_error_set(err, -ESTALE, kept->file.path, 0,
		                  "the program does something else than when its runs were kept (answer %" PRIu64
		                  "): its input, environment or surroundings are not the same",
		                  kept->answered);
	vtb_exec_fini(&again);
	return r;
}

/* The 1st, 2nd, 4th ... */
static bool is_due(struct vtb_kept *kept)
{
	const uint64_t n = ++kept->comparable;

	return (n & (n - 1)) == 0;
}

/* ---- classes that are told by a number */

/* Numbers of the file that whoever asks has been told of mean something to him. */
static void note_asker(struct vtb_kept *kept)
{
	if (kept->told_to != kept->runner->told_to)
		vtb_map64_clear(&kept->prints);
	kept->told_to = kept->runner->told_to;
}

/* False: the run will not do. */
static bool set_print(struct vtb_kept *kept, const struct kept_run *run, struct vtb_exec *x)
{
	uint64_t *print;

	if (!run->print)
		return true;
	if (x->brief) {
		print = vtb_map64_at(&kept->prints, run->print);
		x->print = print ? *print : 0;
		return print;
	}
	print = vtb_map64_put(&kept->prints, run->print, 0);
	if (print && !*print)
		*print = ++kept->runner->prints;
	x->print = print ? *print : 0;
	return true;
}

/* What the runner had learnt by then it does not know. */
static void note_place(struct vtb_kept *kept, uint64_t place)
{
	if (place < kept->latest_run)
		return;
	kept->latest_run = place + 1;
	kept->learn = true;
}

/* ---- answers */

/* What was asked for twice is found where it stands first: time does not go back for that. */
static void tell_moment(struct vtb_kept *kept)
{
	const struct kept_moment *m = &kept->file.blocks[kept->index.block].moment;
	struct vtb_kept_facts *f = &kept->latest;

	f->seconds = m->seconds > f->seconds ? m->seconds : f->seconds;
	f->cross_checked = m->cross_checked > f->cross_checked ? m->cross_checked : f->cross_checked;
	f->uncontrolled |= m->uncontrolled;
	if (kept->opts.then)
		kept->opts.then(kept->opts.data, f);
}

int kept_answer(struct vtb_kept *kept, struct kept_batch *b, size_t i, struct vtb_error *err)
{
	const struct vtb_schedule *s = b->schedules[i];
	struct vtb_exec *x = &b->execs[i];
	struct kept_run run;
	uint64_t place;
	int r;

	note_asker(kept);
	r = kept_index_find(kept, &b->keys[i], s->brief && !kept->runner->tell_all, &run, &place, x, err);
	if (r <= 0)
		return r;
	if (!set_print(kept, &run, x)) {
		vtb_exec_fini(x);
		*x = (struct vtb_exec){ 0 };
		return 0;
	}
	note_place(kept, place);
	b->how[i] = KEPT_ANSWERED;
	kept->answered++;
	kept->runner->schedules++;
	r = is_comparable(kept, s, x) && is_due(kept) ? make_again(kept, s, x, err) : 0;
	tell_moment(kept);
	return r < 0 ? r : 1;
}
