/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only proof that rolling back is complete: some runs are repeated in a process of their own, and must come out the
 * same. The sample: the first failures, one run in a hundred, and later, or where runs are long, one in a thousand, up
 * to SAMPLE_MAX. What a run passes over depends on addresses, which differ between engines: one that does so is first
 * run again as it went, whole (owned_runs.c).
 */
#include "process_private.h"

#include "encode.h"

#include "vtb/events.h"
#include "vtb/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FAILURES_FIRST 8u
#define EVERY 100u   /* runs, for the first part of the sample; */
#define SELDOM 1000u /* from then on */
#define FIRST_PART 20u
#define LONG_FIRST 20u /* the first long run of the sample: to tell one whole takes as long as to make so many */
#define SAMPLE_MAX 200u

static bool is_of_sample(struct process_runner *p, const struct vtb_wire_outcome *outcome)
{
	p->runs++;
	if (p->cross_checked >= SAMPLE_MAX)
		return false;
	if (outcome->verdict != VTB_V_NONE && p->cross_checked < FAILURES_FIRST)
		return true;
	if (p->base.long_runs)
		return p->runs % SELDOM == LONG_FIRST;
	return p->runs % (p->cross_checked < FIRST_PART ? EVERY : SELDOM) == 1;
}

bool vtb_cross_check_due(struct process_runner *p, struct batch_item *item, const struct vtb_wire_outcome *outcome)
{
	if (p->server.opts.engine != VTB_ENGINE_SNAPSHOT || outcome->flags & (VTB_OUT_TRUNCATED | VTB_OUT_HELD_BACK) ||
	    outcome->verdict == VTB_V_TIMEOUT)
		return false;
	if (item->how == RUN_AS_IT_WENT)
		return item->check;
	item->check = is_of_sample(p, outcome);
	return item->check && item->how != RUN_OWNED;
}

static int bring_up(struct process_runner *p, struct vtb_error *err)
{
	struct server_opts opts = p->server.opts;

	if (vtb_server_is_up(&p->check))
		return 0;
	opts.engine = VTB_ENGINE_FORKSERVER;
	opts.slots = 1;
	vtb_server_init(&p->check, &opts);
	return vtb_server_start(&p->check, err);
}

static unsigned kind_at(const struct server_result *a, size_t i)
{
	return i < a->n_words ? a->words[i] >> 8 & 255 : 0;
}

#define FACT_WORDS \
	4u /* of a BLOCK or UNBLOCK record of one thread: its slot is the third word, the argument the fourth */

static bool is_fact(const struct server_result *a, size_t i, unsigned kind)
{
	return i + FACT_WORDS <= a->n_words && kind_at(a, i) == kind && (a->words[i] >> 4 & 15) == FACT_WORDS - 2;
}

/* A thread was held back as spinning, and goes on at once, since nobody else can. */
static bool goes_on(const struct server_result *a, size_t i)
{
	const uint64_t *w = a->words + i;

	return is_fact(a, i, VTB_E_BLOCK) && is_fact(a, i + FACT_WORDS, VTB_E_UNBLOCK) && w[2] == w[FACT_WORDS + 2] &&
	       w[FACT_WORDS + 3] == VTB_UNBLOCK_AGAIN;
}

/* A run's records, read one by one. */
struct reading {
	const struct server_result *of;
	size_t at;
	bool stem; /* it is in the stem that it was asked to leave out */
};

static bool is_left_out(const struct reading *r)
{
	const unsigned kind = kind_at(r->of, r->at);

	return r->stem && (kind == VTB_E_OWNED || vtb_event_in_stem(kind) == VTB_STEM_LEFT_OUT);
}

static bool ends_stem(unsigned kind)
{
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info && info->flags & VTB_EV_VISIBLE && vtb_event_in_stem(kind) == VTB_STEM_ENDS;
}

static void move_on(struct reading *r)
{
	r->stem = r->stem && !ends_stem(kind_at(r->of, r->at));
	r->at += 2 + (r->of->words[r->at] >> 4 & 15);
}

/* Past what engines may tell differently: only one of them tells states; at which of its readings a thread is assumed
 * to spin depends on addresses (sched/spins/fair.c); and how much of what a stem leaves out is told one by one, too
 * (how much there was is looked at where runs are read). */
static void skip(struct reading *r)
{
	for (;;)
		if (r->at + 1 < r->of->n_words && (kind_at(r->of, r->at) == VTB_E_STATE || is_left_out(r)))
			move_on(r);
		else if (goes_on(r->of, r->at))
			r->at += 2ul * FACT_WORDS;
		else
			return;
}

static bool is_at_end(const struct reading *r)
{
	return r->at + 1 >= r->of->n_words;
}

/* At a pair of records that differ, does one run alone hold a thread back? */
static bool holds_back(const struct server_result *a, size_t i, const struct server_result *b, size_t k)
{
	return (kind_at(a, i) == VTB_E_BLOCK) != (kind_at(b, k) == VTB_E_BLOCK);
}

static bool assumes(const struct server_result *a)
{
	return a->outcome.flags & VTB_OUT_ASSUMED;
}

enum sameness { DIFFERENT, APART, SAME };

/* The modules of the process that rolls back, where they lie in the one it is checked by. */
struct moves {
	struct moved_module *of;
	size_t n;
};

static int learn_moves(const struct process_runner *p, struct moves *ret)
{
	free(ret->of);
	*ret = (struct moves){ 0 };
	return vtb_process_moved(&p->server.block, &p->check.block, &ret->of, &ret->n);
}

static bool is_same_place(const struct moves *moves, uint64_t a, uint64_t b) /* words 1 of two records */
{
	const uint64_t rest = 0xffff;

	return (vtb_process_move(moves->of, moves->n, a >> 16) << 16 | (a & rest)) == b;
}

/* Kinds and places, one after the other; addresses of blocks and stacks may differ between engines. Where a
 * thread is assumed to spin and others go on, too: from there on runs may go apart. */
static enum sameness compare_events(const struct server_result *a, const struct server_result *b, bool stem,
                                    const struct moves *moves)
{
	struct reading x = { .of = a, .stem = stem }, y = { .of = b, .stem = stem };

	for (;;) {
		skip(&x);
		skip(&y);
		if (is_at_end(&x) || is_at_end(&y))
			return x.at >= a->n_words && y.at >= b->n_words ? SAME : DIFFERENT;
		if (kind_at(a, x.at) != kind_at(b, y.at) ||
		    !is_same_place(moves, a->words[x.at + 1], b->words[y.at + 1]))
			return (assumes(a) || assumes(b)) && holds_back(a, x.at, b, y.at) ? APART : DIFFERENT;
		move_on(&x);
		move_on(&y);
	}
}

static const char *difference(const struct server_result *a, const struct server_result *b, bool stem,
                              const struct moves *moves, bool *ret_apart)
{
	const enum sameness events = compare_events(a, b, stem, moves);

	*ret_apart = events == APART;
	if (events == APART)
		return NULL;
	if (a->outcome.verdict != b->outcome.verdict)
		return "the verdict";
	if (a->outcome.exit_status != b->outcome.exit_status)
		return "the exit status";
	if (events == DIFFERENT)
		return "the operations";
	return a->outcome.output_hash != b->outcome.output_hash ? "the output" : NULL;
}

static void move_places(const struct moves *moves, void *schedule)
{
	size_t n;
	uint64_t *pcs = vtb_encoded_pcs(schedule, &n);

	for (size_t i = 0; moves->n && i < n; i++)
		pcs[i] = vtb_process_move(moves->of, moves->n, pcs[i]);
}

/* 1: it is there, and `moves` knows what it has loaded; 0: it would not end; or an error. */
static int run_slowly(struct process_runner *p, void *schedule, size_t size, struct moves *moves,
                      struct server_result *ret, struct vtb_error *err)
{
	int r = learn_moves(p, moves);

	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
	move_places(moves, schedule);
	vtb_server_post(&p->check, schedule, size);
	r = vtb_server_take(&p->check, ret, err);
	if (r == -ECANCELED) {
		vtb_server_stop(&p->check);
		return 0;
	}
	if (r < 0)
		return r;
	r = learn_moves(p, moves);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r)) : 1;
}

static int check(struct process_runner *p, void *schedule, size_t size, const struct server_result *fast,
                 struct vtb_error *err)
{
	struct server_result slow = { 0 };
	struct moves moves = { 0 };
	const bool stem = ((const struct vtb_wire_schedule *)schedule)->flags & VTB_SCHED_STEM;
	const char *what = NULL;
	bool apart = false;
	int r = bring_up(p, err);

	if (r == -ECANCELED)
		return 1;
	if (r < 0)
		return r;
	if (size > p->check.opts.schedule_bytes)
		return 1; /* too large for a sample */
	r = run_slowly(p, schedule, size, &moves, &slow, err);
	if (r > 0) {
		what = slow.outcome.flags & VTB_OUT_TRUNCATED ? NULL : difference(fast, &slow, stem, &moves, &apart);
		if (what)
			snprintf(p->engine_reason, sizeof(p->engine_reason),
			         "%s of a run differed between the engines snapshot (%s) and forkserver (%s)", what,
			         vtb_verdict_name(fast->outcome.verdict), vtb_verdict_name(slow.outcome.verdict));
		else
			p->cross_checked += !apart;
	}
	free(moves.of);
	free(slow.words);
	return r < 0 ? r : !what;
}

int vtb_cross_check(struct process_runner *p, const struct batch *b, size_t i, const struct server_result *fast,
                    struct vtb_error *err)
{
	void *bytes;
	size_t size;
	int r = vtb_process_encode(p, b, i, &bytes, &size);

	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
	r = check(p, bytes, size, fast, err);
	free(bytes);
	return r;
}
