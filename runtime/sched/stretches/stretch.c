/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stretches (fast.h): accesses of the running thread, and operations on mutexes that nobody else wants, at whose points
 * nothing is decided. At the end of an operation it is worked out for how many of them nothing can happen; these are
 * recorded without the scheduler. Whoever needs the scheduler's state ends the stretch, which catches up on what they
 * would have changed one by one.
 *
 *     done ── arm ── access access access ── settle ── arrive
 */
#include "scheduler.h"

#include "base.h"
#include "owned.h"

#define STRETCH_MAX 4096u /* accesses: so often the tool can see how far a run has come that does not end */
#define RANDOM_STEP 0x9e3779b97f4a7c15ull

static uint64_t length(const struct vtb_rt_thread *t)
{
	return (uint64_t)(t->base.stream.next - t->base.stream.from) / VTB_FAST_WORDS_CONTROL;
}

static uint64_t written[3] VTB_RUN; /* record of the last write that was left out: its value is the last word */

/* Their records are for nobody, one says how many there were. The value of a write is still to come. */
static void leave_out(struct vtb_rt_thread *t, uint64_t n)
{
	if (t->base.written_word) {
		written[2] = *t->base.written_word;
		t->base.written_word = &written[2];
	}
	t->base.stream.next = vtb_sched.stream.next;
	vtb_sched_fact(VTB_E_OWNED, t, 0, 0, n, 0);
	t->base.stream.next = vtb_sched.stream.next;
}

void vtb_stretch_in_stem(const struct vtb_call *call)
{
	if (vtb_event_in_stem(call->kind) == VTB_STEM_ENDS || (call->kind == VTB_E_ATOMIC_RMW && call->arg == 1) ||
	    vtb_rt.n_threads > 1)
		vtb_sched.stem = false;
}

static void count_accesses(struct vtb_rt_thread *t, uint64_t n)
{
	if (VTB_UNLIKELY(vtb_sched.stem))
		leave_out(t, n);
	t->sched.ops += (uint32_t)n;
	t->base.accesses += n;
	vtb_sched.points += n;
	if (vtb_sched.schedule->policy == VTB_POLICY_RANDOM)
		vtb_sched.random += n * RANDOM_STEP; /* one draw at each point, among one thread */
	vtb_sched.stream.next = t->base.stream.next;
	vtb_sched_stream_used();
	vtb_progress_unseen(t, n);
	if (t->base.wrote) {
		vtb_fair_wrote(t);
		vtb_progress_changed(t);
	}
	t->base.wrote = 0;
}

void vtb_stretch_finish(void)
{
	struct vtb_rt_thread *t = vtb_sched.stretch;

	vtb_sched.stretch = NULL;
	t->base.stream.limit = NULL;
	if (t->base.owned_armed)
		vtb_owned_settle(t);
	else if (t->base.stream.next != vtb_sched.stream.next)
		count_accesses(t, length(t));
}

bool vtb_stretch_do(struct vtb_rt_thread *t, unsigned kind, const void *object)
{
	uint64_t *w = t->base.stream.next;

	if (vtb_sched.stem || VTB_UNLIKELY(vtb_rt.without != NULL) || !vtb_ready_alone_at(object))
		return false;
	vtb_note_written(t);
	w[0] = vtb_rec_word0((uint64_t)object & 0xffffffffffffull, kind, 0, 0);
	w[1] = vtb_rec_word1(t->base.pc, 0, 0, 0);
	t->base.stream.next = w + 2;
	t->base.stream.from += 2; /* no access; but what is left of the stretch is one less */
	t->base.stream.limit += 2 - (int)VTB_FAST_WORDS_CONTROL;
	t->sched.ops++;
	vtb_sched.points++;
	if (vtb_sched.schedule->policy == VTB_POLICY_RANDOM)
		vtb_sched.random += RANDOM_STEP;
	t->base.spins = 0;
	t->base.wrote = 1;
	vtb_progress_rests_no_more(t);
	t->sched.breaks = 0;
	return true;
}

bool vtb_stretch_range(struct vtb_rt_thread *t, unsigned kind, uint64_t addr)
{
	if (vtb_sched.stretch != t || t->base.inside || vtb_heap_is_dead(addr))
		return false;
	if (vtb_rt_some_stack(addr))
		vtb_rt_stack_access(t, addr);
	if (t->base.stream.next >= t->base.stream.limit)
		return false;
	vtb_note_written(t);
	if (kind == VTB_E_WRITE) {
		t->base.spins = 0;
		t->base.wrote = 1;
	}
	t->base.stream.next += VTB_FAST_WORDS_CONTROL; /* nobody reads what stands there (leave_out()) */
	return true;
}

uint64_t vtb_stretch_points(void)
{
	const struct vtb_rt_thread *t = vtb_sched.stretch;

	return vtb_sched.points + (t ? length(t) + t->base.owned_armed - t->base.owned_left : 0);
}

/* Would the policy choose t again, as long as nothing but plain accesses takes place? Others cannot become able to go
 * on by them. */
static bool stays(const struct vtb_rt_thread *t)
{
	switch (vtb_sched.schedule->policy) {
	case VTB_POLICY_RUN_TO_BLOCK:
		return true;
	case VTB_POLICY_PRIORITY:
		return vtb_ready_best() == t;
	case VTB_POLICY_RANDOM:
		return t->sched.enabled && vtb_ready_count() == 1;
	default:
		return false;
	}
}

void vtb_stretch_try(struct vtb_rt_thread *t)
{
	const struct vtb_wire_schedule *s = vtb_sched.schedule;
	struct vtb_rt_stream *slot = &vtb_sched.stream;
	uint64_t n = (uint64_t)(slot->end - slot->next) / VTB_LONG_WORDS;

	if (VTB_UNLIKELY(vtb_sched.stem) &&
	    (vtb_progress_reads(t) || t->sched.reading.tracks || t->sched.writing.slowly))
		vtb_progress_leave_alone(t);
	if (vtb_sched.held || vtb_sched.laps.on || vtb_sched.rounds_write || vtb_progress_reads(t) ||
	    t->sched.reading.tracks || t->sched.writing.slowly || !stays(t) ||
	    (!vtb_sched.stem && (s->constraints || vtb_sched.by_site)) ||
	    (s->flags & (VTB_SCHED_STACKS | VTB_SCHED_STATES)) || t->sched.cancelled || t->sched.interrupted ||
	    t->base.slot != vtb_sched.stream_slot || !vtb_fair_table(t))
		return;
	n = n < STRETCH_MAX ? n : STRETCH_MAX;
	if (s->max_points && s->max_points - vtb_sched.points < n)
		n = s->max_points - vtb_sched.points;
	n = vtb_schedule_distance(t, n);
	if (!n)
		return;
	t->base.stream.from = t->base.stream.next = slot->next;
	t->base.stream.limit = slot->next + n * VTB_FAST_WORDS_CONTROL;
	vtb_rt_tell_special(t);
	vtb_sched.stretch = t;
}
