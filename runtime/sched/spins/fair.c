/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fairness (docs/algorithms.md, "Schedules"): no schedule hangs on a spin. A thread that yields again and again, or
 * reads values again and again that nobody has changed, is held back until somebody changes something. That is a wait,
 * not a preemption.
 *
 *   epoch   grows with every write and every operation on a synchronisation object
 *   seen    a small table a thread (seen.h): address -> address and value of its last read there, in one word
 */
#include "scheduler.h"

#include "base.h"
#include "waiting_kinds.h"
#include "meet.h"
#include "seen.h"
#include "wake_source.h"

/* Beyond what the fast way lets pass, and after every chance to see that a state repeats: then it is only assumed that
 * the thread spins. */
#define REREADS_MOST 2100u
#define REREADS_OWN_MOST 6000u /* while only the thread itself wrote, and elsewhere: counting tries */
#define CLOSER 2000u           /* of these, at the end: looked at one by one */
#define PATIENCE 8u            /* with VTB_SCHED_PATIENT 2^8 times as many */
#define YIELDS_OWN 1000u       /* while only the thread itself wrote, or locked and unlocked: counting tries */
#define SPINS_KEPT 256u        /* readings of what it knows that others' writes elsewhere do not make undone */
#define ENDLESS_LOOKS \
	(1u << 14) /* operations of a thread, while nobody else moves, after which its loop is looked at */

static struct vtb_variety *variety_of(const struct vtb_rt_thread *t)
{
	return &vtb_seen_table_of(t)->variety;
}

/* Has the thread seen this value here before? Remembers it. */
static inline bool seen_before(struct vtb_rt_thread *t, const struct vtb_call *call, uint64_t value)
{
	if (VTB_UNLIKELY(!t->base.seen && !vtb_fair_table(t)))
		return false;
	if (call->prim)
		return vtb_seen_object_before(t, call);
	return vtb_seen_before(vtb_seen_at(t, (uint64_t)call->obj), vtb_seen_key(t, (uint64_t)call->obj, value));
}

/* A string of the program: what stands there is no news, and nobody waits for it. */
static bool is_constant(const struct vtb_call *call)
{
	return vtb_seen_is_range(call) && vtb_rt_is_constant((uint64_t)call->obj);
}

/* That it goes round is not known: whatever else was run, what it would have done is not. */
void vtb_fair_assumed(const struct vtb_rt_thread *t, uint64_t pc)
{
	struct vtb_wire_outcome *o = &vtb_sched.slot->outcome;

	if (!(o->flags & VTB_OUT_ASSUMED)) { /* a failure says its own place */
		o->thread = t->base.slot;
		o->pc = pc;
	}
	o->flags |= VTB_OUT_ASSUMED;
}

bool vtb_fair_something_may_come(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i]->base.state == VTB_T_ALIVE && vtb_rt.threads[i]->sched.deadline)
			return true;
	return vtb_sources_next() != UINT64_MAX || vtb_sources_outside(false);
}

static bool others_may_go_on(const struct vtb_rt_thread *t)
{
	return vtb_ready_count() > t->sched.enabled || vtb_fair_something_may_come();
}

/* If nobody else can go on, nor time, it is asked again at once, and nothing is lost. */
static void assume(struct vtb_rt_thread *t, uint64_t pc)
{
	if (others_may_go_on(t))
		vtb_fair_assumed(t, pc);
	vtb_fair_hold_back(t);
}

static void begin_to_count(struct vtb_rt_thread *t)
{
	t->base.spins = t->base.own_spins = 0;
	t->sched.yields = 0;
	t->sched.looked = t->sched.ops;
	if (t->base.seen)
		vtb_variety_clear(variety_of(t));
}

/* Is it to be asked whether t spins, of whom so many times more than usual is allowed? */
static bool is_due(const struct vtb_rt_thread *t, uint32_t patience)
{
	const struct vtb_variety *v = variety_of(t);

	return vtb_variety_is_due(v, t->base.spins, REREADS_MOST << patience) ||
	       vtb_variety_is_due(v, t->base.own_spins, REREADS_OWN_MOST << patience);
}

/* Likewise, by this schedule. If nobody else can go on it is asked again at once anyhow. */
static bool is_due_now(const struct vtb_rt_thread *t)
{
	if (VTB_LIKELY(!is_due(t, 0)))
		return false;
	if (!(vtb_sched.schedule->flags & VTB_SCHED_PATIENT) || !others_may_go_on(t))
		return true;
	vtb_sched.slot->outcome.flags |= VTB_OUT_PATIENT;
	return is_due(t, PATIENCE);
}

/* It has read what it knows, once more. */
static void note_again(struct vtb_rt_thread *t, const struct vtb_call *call, uint64_t value)
{
	struct vtb_variety *v = variety_of(t);

	t->base.spins++;
	t->base.own_spins++;
	vtb_progress_again(t);
	vtb_variety_note(v, call, value);
	if (!is_due_now(t))
		return;
	if (vtb_variety_computes(v)) {
		t->base.spins = t->base.own_spins = 0;
		return;
	}
	assume(t, call->pc);
	t->sched.for_words = vtb_variety_keep(v);
}

/* A loop that takes a lock, looks, and yields has changed something each time round, and still only waits. Once it was
 * held back for that, some yields after somebody has moved will do again; a value it has not read before lets it try as
 * often as the first time. */
static void note_yield(struct vtb_rt_thread *t, uint64_t pc)
{
	t->base.spins++;
	if (++t->sched.yields > YIELDS_OWN)
		assume(t, pc);
}

void vtb_fair_wrote(struct vtb_rt_thread *t)
{
	vtb_sched.epoch++;
	vtb_sched.clock_reads = 0;
	t->sched.own_epoch++;
}

void vtb_fair_see_written(struct vtb_rt_thread *t)
{
	const uint64_t *word = t->base.written_word, before = word ? *word : 0;
	const uint32_t log2 = t->base.written_log2 & ~VTB_WRITTEN_OWN;

	vtb_note_written(t);
	if (word && !(t->base.written_log2 & VTB_WRITTEN_GONE) && (*word != before || log2 > 3)) {
		if (vtb_progress_on_stack(t, t->base.written_addr, 1ull << log2))
			return;
		vtb_progress_changed(t);
		vtb_progress_new(t, true);
	}
}

/* A loop that counts, and has no way out (endless.c), ends by cancellation or a handler: somebody else's, or time's. */
static __attribute__((noinline)) void look_into_loop(struct vtb_rt_thread *t, uint64_t pc)
{
	t->sched.looked = t->sched.ops;
	if (vtb_endless(pc) == VTB_MAY_END || !others_may_go_on(t))
		return;
	vtb_sched.slot->outcome.flags |= VTB_OUT_HELD_BACK;
	vtb_fair_hold_back(t);
}

static inline void look_for_a_way_out(struct vtb_rt_thread *t, uint64_t pc)
{
	if (VTB_UNLIKELY(t->sched.ops - t->sched.looked >= ENDLESS_LOOKS))
		look_into_loop(t, pc);
}

/* Soon it is asked whether it spins: from here on every word that it reads again is looked at. */
static void look_closer(struct vtb_rt_thread *t)
{
	if (t->base.again < 0 && t->base.seen &&
	    vtb_variety_is_near(variety_of(t), t->base.own_spins, REREADS_OWN_MOST, CLOSER))
		vtb_progress_rests_no_more(t);
}

/* Others have done something; but nothing to the few words that it reads again and again: that is no reason to begin
 * anew. Two that spin, and count their tries, would let each other do so for ever. */
static bool goes_round(const struct vtb_rt_thread *t)
{
	return t->base.own_spins >= SPINS_KEPT && t->base.seen && vtb_variety_is_kept(variety_of(t));
}

static inline void note_value(struct vtb_rt_thread *t, const struct vtb_call *call, uint64_t value, bool seen)
{
	if (seen) {
		note_again(t, call, value);
	} else {
		t->sched.yields = 0;
		if (call->prim || !vtb_progress_on_stack(t, (uint64_t)call->obj, 0))
			vtb_progress_new(t, false);
	}
}

static __attribute__((noinline)) void note_reading(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const uint64_t value = vtb_seen_value(call);

	if (is_constant(call))
		return;
	note_value(t, call, value, seen_before(t, call, value));
	look_closer(t);
	look_for_a_way_out(t, call->pc);
}

static void note_action(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	vtb_fair_wrote(t);
	t->base.spins = 0;
	if (call->kind != VTB_E_WRITE)
		vtb_progress_acted(t);
	else if (!call->has_value && /* a range; what another has changed is known when the thread comes back */
	         !vtb_progress_on_stack(t, (uint64_t)call->obj, call->arg))
		vtb_progress_new(t, true);
}

/* Has somebody else moved since? Before there is a second thread nobody is waited for. */
static inline void look_at_others(struct vtb_rt_thread *t)
{
	const uint64_t others = vtb_sched.epoch - t->sched.own_epoch;

	if (vtb_rt.n_threads < 2 || vtb_sched.survey.on || (t->sched.spin_others != others && !goes_round(t)))
		begin_to_count(t);
	t->sched.spin_others = others;
}

void vtb_fair_note_access(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	look_at_others(t);
	if (call->kind == VTB_E_WRITE) {
		vtb_fair_wrote(t);
		t->base.spins = 0;
	} else {
		note_value(t, call, call->value, seen_before(t, call, call->value));
	}
	look_closer(t);
	look_for_a_way_out(t, call->pc);
}

void vtb_fair_note(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (VTB_UNLIKELY(vtb_sched.rounds_write))
		vtb_progress_look_at(t, call);
	look_at_others(t);
	switch (vtb_what_it_does(call)) {
	case VTB_ACTS:
		note_action(t, call);
		break;
	case VTB_YIELDS:
		t->sched.pauses++;
		note_yield(t, call->pc);
		vtb_progress_again(t);
		break;
	case VTB_SLEEPS:
		t->sched.pauses++;
		vtb_progress_again(t);
		break;
	default: /* a sleep that it need not have begun is a reading */
		t->sched.pauses += vtb_kind_does[call->kind] == VTB_SLEEPS;
		note_reading(t, call);
		return;
	}
	look_closer(t);
	look_for_a_way_out(t, call->pc);
}

bool vtb_fair_waits(const struct vtb_rt_thread *t)
{
	if (!t->sched.spinning)
		return false;
	if (VTB_UNLIKELY(vtb_sched.survey.on && t->sched.gives_way))
		return true;
	if (VTB_UNLIKELY(t->sched.stuck))
		return !t->sched.cancelled;
	if (t->sched.exact)
		return vtb_progress_waits(t);
	/* whatever else others do, they may be spinning themselves, and counting their tries */
	if (t->sched.for_words)
		return t->sched.spin_times == vtb_sched.times && vtb_variety_is_kept(variety_of(t));
	return t->sched.spin_epoch == vtb_sched.epoch + vtb_sched.times;
}
