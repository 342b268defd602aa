/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fairness by progress (decision 62). At an anchor a thread is held back if since its last arrival there
 *
 *     its registers and its stack are the same again,
 *     every word of memory and every lock that it touched is as it was,
 *     and either it has changed nothing: what it reads it will read again, and nobody notices the round (`reading`);
 *     or nobody else has done anything: the process is in the state in which it was (`writing`).
 *
 * Then a schedule on which the thread goes round is one without that round: nothing is lost by holding it back until
 * somebody changes what it touched. Time that passes is no change. What no hook sees (a counter inside a library) is
 * taken to be no part of this.
 *
 *     arrive at pc ......... at pc again ...... at pc again, same state ── waits ── a word differs ── goes on
 *     clear what is left     begin to track
 *
 * What functions have left below the stack pointer lies in the gaps of frames to come, and differs from run to run. So
 * there is first a round on which it is cleared after every operation.
 *
 * Loops within the round have states of their own, as many as they count. A thread that goes through more of them than
 * MISSES_MAX, and gives way in between, is compared only where it does.
 *
 * When a thread is held back on a round that changes nothing is decided by what it did and read alone, not by what
 * others did in between: so it is the same in all runs of a class, on which partial-order reduction rests.
 */
#include "progress.h"

#include "base.h"
#include "meet.h"
#include "round.h"
#include "scheduler.h"

#define LIMIT_FIRST 4u
#define LIMIT_MAX 1024u /* operations of a round */
#define MISSES_MAX 16u  /* arrivals in ever new states, or readings that come to something new: it computes */
#define REST 1024u      /* operations for which it is then left alone */
/* A round that waits reads what it knows with every other operation at least. Who has done so with fewer computes, and
 * rests so often in a row: less than a thread may read before it is asked whether it spins. */
#define READS_OF_WAITING 2u
#define RESTS_MAX 4u
static uint64_t changes_of_others(const struct vtb_rt_thread *t)
{
	return vtb_sched.epoch - t->sched.own_epoch;
}

static uint64_t operations_of_others(const struct vtb_rt_thread *t)
{
	return vtb_sched.points - t->sched.ops;
}

/* ---- anchors */

/* What stands where the operation goes: a state that comes again has it again, and a counter never does. */
static uint64_t word_of(const struct vtb_call *call)
{
	const bool is_word = call->obj && !call->prim && call->kind != VTB_E_FENCE && call->size_log2 <= 3;

	return is_word ? vtb_rt_load((uint64_t)call->obj, call->size_log2) : 0;
}

/* What it has room for stays. Mostly nothing has come of it since it was cleared last. */
static inline void clear(struct vtb_anchor *a)
{
	if (VTB_LIKELY(!(a->limit | a->steps | a->lost)))
		return;
	*a = (struct vtb_anchor){ .round = a->round, .stood = a->stood, .pauses = a->pauses };
}

/* The round begins here. */
static void begin_round(struct vtb_rt_thread *t, struct vtb_anchor *a)
{
	const bool reading = a == &t->sched.reading;

	a->others = reading ? changes_of_others(t) : operations_of_others(t);
	a->round->n = 0;
	a->round->steady = reading;
	a->lost = a->anything = a->changed = false;
	a->steps = 0;
}

static void move_on(struct vtb_anchor *a, const struct vtb_call *call)
{
	const uint32_t limit = a->limit < LIMIT_FIRST  ? LIMIT_FIRST
	                       : a->limit >= LIMIT_MAX ? LIMIT_FIRST
	                                               : 2 * a->limit;

	clear(a);
	a->pc = call->pc;
	a->obj = call->obj;
	a->kind = call->kind;
	a->word = word_of(call);
	a->limit = limit;
}

/* The anchor is here, and a whole round comes first on which nothing is left behind on the stack. */
static void begin_to_clean(struct vtb_anchor *a, const struct vtb_call *call)
{
	move_on(a, call);
	a->clean = true;
}

static void begin_to_track(struct vtb_rt_thread *t, struct vtb_anchor *a)
{
	if (!a->round)
		a->round = vtb_rt_alloc_aside(sizeof(*a->round));
	a->stood = vtb_stance_keep(a->stood, t);
	if (!a->round || !a->stood)
		return;
	a->clean = a->tracks = true;
	a->round->stack_lo = vtb_rt_own_stack(t, t->base.view.sp) ? t->base.stack_lo : 0;
	a->round->stack_hi = vtb_rt_own_stack(t, t->base.view.sp) ? vtb_rt_stack_top(t) : 0;
	a->round->wrote_lo = a->round->wrote_hi = 0;
	begin_round(t, a);
}

static void hold_back(struct vtb_rt_thread *t, struct vtb_anchor *a)
{
	const bool reading = a == &t->sched.reading;
	struct vtb_anchor *other = reading ? &t->sched.writing : &t->sched.reading;

	vtb_sched.slot->outcome.flags |= VTB_OUT_SPUN | (reading && !a->anything ? 0u : VTB_OUT_SPUN_OPEN);
	vtb_fair_hold_back(t);
	vtb_laps_held();
	t->sched.exact = a;
	t->sched.yields = 0;
	if (reading)
		vtb_round_keep_written(t, a);
	a->changes = changes_of_others(t);
	clear(other); /* the next round ends at the same place, for vtb_progress_print() */
}

/* ---- rounds that change nothing */

static void stop_reading(struct vtb_rt_thread *t)
{
	clear(&t->sched.reading);
}

static void rest(struct vtb_rt_thread *t)
{
	t->base.again = -VTB_AGAIN_REST;
	t->sched.rest_began = t->sched.ops;
	t->sched.rests++;
}

void vtb_progress_leave_alone(struct vtb_rt_thread *t)
{
	stop_reading(t);
	clear(&t->sched.writing);
	t->base.again = -VTB_AGAIN_REST;
}

bool vtb_progress_rests_on(struct vtb_rt_thread *t)
{
	const uint32_t done = t->sched.ops - t->sched.rest_began;

	if (done <= READS_OF_WAITING * VTB_AGAIN_REST || t->sched.rests == RESTS_MAX) {
		t->sched.rests = 0;
		return false;
	}
	rest(t);
	return true;
}

/* It was no loop, or not the same round again. True: once too often. */
static bool break_off(struct vtb_rt_thread *t)
{
	if (++t->sched.breaks <= MISSES_MAX)
		return false;
	t->sched.breaks = t->sched.rests = 0;
	rest(t);
	stop_reading(t);
	return true;
}

/* At the anchor in another state: it may be that in which it goes round from now on. */
static void other_state(struct vtb_rt_thread *t, struct vtb_anchor *a, const struct vtb_call *call)
{
	if (a->kept || a->steps > a->limit) {
		move_on(a, call);
		begin_to_track(t, a);
	}
	a->pauses = a->pauses || break_off(t);
}

/* May the anchor be moved here? Who has not given way for a while is out of the loop in which it did. */
static bool may_be_anchor(const struct vtb_rt_thread *t, struct vtb_anchor *a, const struct vtb_call *call)
{
	if (vtb_progress_pauses(t, call))
		return true;
	a->pauses = a->pauses && a->clean && a->steps <= LIMIT_MAX;
	return !a->pauses;
}

static void look_at_reading(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct vtb_anchor *a = &t->sched.reading;

	if (a->tracks && vtb_progress_is_at(a, call)) {
		if (!vtb_stance_is(a->stood, t)) {
			other_state(t, a, call);
			return;
		}
		a->kept |= !a->lost;
		vtb_round_take_own(t, a->round);
		if (!a->lost && vtb_round_is_unchanged(a) && (!a->anything || a->others == changes_of_others(t)))
			hold_back(t, a);
		else
			begin_round(t, a);
	} else if (a->clean && !a->tracks && vtb_progress_is_at(a, call)) {
		begin_to_track(t, a);
	} else if (a->tracks && a->steps > a->limit && t->base.again <= 0) {
		stop_reading(t);
	} else if ((!a->clean || a->steps > a->limit) && may_be_anchor(t, a, call)) {
		const bool tracks = a->tracks;

		begin_to_clean(a, call);
		if (tracks)
			begin_to_track(t, a);
	}
}

void vtb_progress_cleaned(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (t->base.again > 0 && !t->sched.reading.clean)
		begin_to_clean(&t->sched.reading, call);
}

void vtb_progress_new(struct vtb_rt_thread *t, bool wrote)
{
	const bool kept = t->sched.reading.kept && !wrote;

	t->sched.own_changes = 0;
	if (!kept)
		stop_reading(t);
	if (t->base.again <= 0)
		return;
	t->base.again = 0;
	if (!kept)
		break_off(t);
}

void vtb_progress_changed(struct vtb_rt_thread *t)
{
	t->sched.writing.changed = true;
	vtb_sched.laps.changes++;
}

void vtb_progress_acted(struct vtb_rt_thread *t)
{
	stop_reading(t);
	vtb_progress_rests_no_more(t);
	t->sched.breaks = 0;
	vtb_progress_changed(t);
}

/* ---- rounds that put things back */

static void miss(struct vtb_anchor *a)
{
	if (++a->misses <= MISSES_MAX)
		return;
	clear(a);
	a->limit = REST;
}

/* At the anchor's instruction. True: the thread has come round. */
static bool is_round(struct vtb_rt_thread *t, struct vtb_anchor *a)
{
	if (!a->tracks) {
		if (a->clean)
			begin_to_track(t, a);
		a->clean = true;
		a->steps = 0; /* up to here it was on the way to the anchor */
		return false;
	}
	if (!vtb_stance_is(a->stood, t)) {
		miss(a);
		return false;
	}
	vtb_round_take_own(t, a->round);
	if (!a->lost && a->others == operations_of_others(t) && (a->changed || t->base.again <= 0) &&
	    vtb_round_is_unchanged(a))
		return true;
	a->slowly = true;
	begin_round(t, a);
	return false;
}

static void look_at_writing(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct vtb_anchor *a = &t->sched.writing;

	if (vtb_progress_is_at(a, call) && a->word != word_of(call))
		miss(a);
	else if (vtb_progress_is_at(a, call) && is_round(t, a))
		hold_back(t, a);
	else if (!vtb_progress_is_at(a, call) && a->steps > a->limit)
		move_on(a, call);
	if (a->tracks && !t->sched.spinning)
		vtb_round_note(a, call);
}

void vtb_progress_arrive(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const bool pauses = vtb_progress_pauses(t, call);

	if (pauses && t->base.again < 0) /* it does not compute */
		vtb_progress_rests_no_more(t);
	if (pauses || vtb_progress_reads(t))
		look_at_reading(t, call);
	if (!t->sched.spinning)
		look_at_writing(t, call);
}

void vtb_progress_goes_on(struct vtb_rt_thread *t)
{
	struct vtb_anchor *a = t->sched.exact;

	vtb_fair_let_go(t);
	if (!a)
		return;
	begin_round(t, a);
	if (a == &t->sched.writing)
		vtb_round_note(a, t->sched.call);
}

/* ---- done */

void vtb_progress_done(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const bool lost = !call->idle && (!vtb_fair_is_plain(call) || t->sched.interrupted || call->interrupted);
	struct vtb_anchor *reading = &t->sched.reading, *writing = &t->sched.writing;

	reading->anything |= call->idle;
	writing->anything |= call->idle;
	reading->lost |= lost;
	writing->lost |= lost;
	if (reading->tracks)
		vtb_round_note(reading, call);
}

void vtb_progress_unseen(struct vtb_rt_thread *t, uint64_t n)
{
	t->sched.writing.steps += (uint32_t)n;
	t->sched.writing.lost = true;
	vtb_sched.laps.all.lost = true;
}

void vtb_progress_outside(struct vtb_rt_thread *t)
{
	t->sched.reading.lost = t->sched.writing.lost = vtb_sched.laps.all.lost = true;
}

bool vtb_progress_waits(const struct vtb_rt_thread *t)
{
	const struct vtb_anchor *a = t->sched.exact;

	return vtb_round_is_unchanged(a) && (!a->anything || a->changes == changes_of_others(t));
}

uint64_t vtb_progress_print(const struct vtb_rt_thread *t)
{
	const struct vtb_anchor *a = t->sched.exact;
	struct vtb_state_hash words;

	if (vtb_progress_is_pure(t)) /* wherever on its way it is held back, it goes round as long as these stay */
		return vtb_round_print(a->round, VTB_STATE_K2 + t->base.slot);
	words = vtb_state_of(a->round->words, a->round->n * sizeof(*a->round->words), VTB_STATE_K2 + t->base.slot);
	return vtb_state_finish(vtb_stance_print(a->stood, VTB_STATE_K1)).lo + words.lo;
}
