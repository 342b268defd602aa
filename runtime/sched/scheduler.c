/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schedule points. A thread that arrives at an operation stands at the point after its previous one; here it is decided
 * who does the next operation:
 *
 *     deviations of the schedule at this point   (a switch, a demotion, a deadline that passes, a spurious wake-up)
 *     then the policy                            (run to block, priority, random)
 *
 * among the threads that can: alive, ready by their primitive's model, allowed by the constraints, not spinning.
 */
#include <errno.h>
#include <string.h>

#include "base.h"
#include "points/point.h"
#include "schedule/deviate.h"
#include "run_records.h"
#include "spins/meet.h"
#include "wake_source.h"

void vtb_sched_calm_again(void)
{
	const struct vtb_sched *s = &vtb_sched;

	vtb_sched.calm =
	    s->may_be_calm &&
	    !(s->held | s->spin_rounds | s->rounds_write | s->stem | s->survey.on | s->laps.on | s->laps.due) &&
	    s->first_open >= s->schedule->deviations;
}

struct vtb_rt_thread *vtb_point_by_other_policy(struct vtb_rt_thread *t)
{
	switch (vtb_sched.schedule->policy) {
	case VTB_POLICY_POS:
	case VTB_POLICY_SURW:
		return vtb_walk_choose(t);
	case VTB_POLICY_RUN_TO_BLOCK:
		return t->sched.enabled ? t : vtb_ready_best();
	default:
		return vtb_ready_best();
	}
}

/* ---- the point */

#define WAKES (1u << VTB_DEV_TIMEOUT | 1u << VTB_DEV_SPURIOUS | 1u << VTB_DEV_SIGNAL)
#define AT_POINT (1u << VTB_DEV_SWITCH | 1u << VTB_DEV_DEMOTE | WAKES)

static void look_at_everybody(void)
{
	vtb_sched_recheck();
	vtb_ready_update(vtb_sched.running);
}

static bool before_time(void)
{
	VTB_EACH_SOURCE(s, before_time)
	if (s->before_time())
		return true;
	return false;
}

static bool at_last(void)
{
	VTB_EACH_SOURCE(s, at_last)
	if (s->at_last())
		return true;
	return false;
}

/* Nobody can go on: time may pass, spinners may try again; else the run ends here. */
static void wake_somebody(void)
{
	look_at_everybody(); /* what is outside may have changed unseen */
	while (!vtb_ready_count()) {
		vtb_sched.unblocks = VTB_UNBLOCK_TIME;
		if (!vtb_meet_turn_back() && !before_time() && !vtb_time_pass() && !vtb_fair_retry() && !at_last()) {
			if (vtb_sched.schedule->constraints && vtb_schedule_blocks())
				vtb_failure_end(VTB_V_INFEASIBLE, 0, 0, 0,
				                "the constraints of the schedule cannot be met");
			vtb_deadlock();
		}
		look_at_everybody();
		vtb_sched.unblocks = 0;
	}
}

/* More is to be looked at than whom the policy chooses, or nobody is enabled. */
static __attribute__((noinline)) struct vtb_rt_thread *choose_with_care(struct vtb_rt_thread *t)
{
	const struct vtb_wire_deviation *d;
	struct vtb_rt_thread *next = NULL;

	if (vtb_sched.keeps)
		vtb_engine->checkpoints.point();
	if (vtb_sched.schedule->flags & VTB_SCHED_STATES && vtb_engine->state_point)
		vtb_engine->state_point(t);
	vtb_sched.points++;
	if (vtb_rt.options & VTB_OPT_REAL_TIME)
		vtb_time_goes_on();
	if (vtb_sched.points > vtb_sched.points_max)
		vtb_failure_end(VTB_V_TIMEOUT, 0, t->base.pc, 0,
		                "the run has passed more schedule points than allowed");
	if (vtb_sched.laps.on || vtb_sched.laps.due)
		vtb_survey_look(t, vtb_sched.first_open < vtb_sched.schedule->deviations
		                       ? vtb_schedule_deviation(t, AT_POINT)
		                       : NULL);
	if (!vtb_ready_count() &&
	    !(vtb_sched.first_open < vtb_sched.schedule->deviations && vtb_schedule_deviation(t, WAKES)))
		wake_somebody(); /* unless a deviation at this point wakes somebody */
	if (vtb_sched.first_open < vtb_sched.schedule->deviations)
		while ((d = vtb_schedule_deviation(t, AT_POINT))) {
			vtb_schedule_deviated(d, vtb_deviate(t, d, &next));
			vtb_walk_look_at(t);
			vtb_sched.spin_rounds = 0; /* a schedule that keeps them apart is no livelock */
		}
	if (!next && !vtb_ready_count())
		wake_somebody();
	if (!next)
		next = vtb_point_by_policy(t);
	if (vtb_sched.keeps)
		vtb_engine->checkpoints.turn(t, next);
	return next;
}

static bool is_special(void)
{
	return vtb_sched.cares | vtb_sched.laps.on | vtb_sched.laps.due ||
	       vtb_sched.first_open < vtb_sched.schedule->deviations;
}

/* The point after t's last operation: who goes on? t may be ended. */
static inline struct vtb_rt_thread *choose(struct vtb_rt_thread *t)
{
	if (VTB_UNLIKELY(!vtb_ready_n || vtb_sched.points >= vtb_sched.points_max || (!vtb_sched.calm && is_special())))
		return choose_with_care(t);
	vtb_sched.points++;
	return vtb_point_by_policy(t);
}

static __attribute__((noinline)) void look_at_held(struct vtb_rt_thread *t)
{
	const uint32_t before = vtb_ready_n;

	vtb_ready_look_at_held();
	vtb_meet(t, vtb_ready_n > before, vtb_ready_n > 1);
}

__attribute__((noinline)) void vtb_sched_point(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct vtb_rt_thread *next;

	vtb_stretch_end();
	if (t->base.written_word)
		vtb_fair_see_written(t);
	t->base.inside++;
	t->sched.call = call;
	vtb_ready_set(t, true);
	if (VTB_UNLIKELY(!vtb_sched.calm && (vtb_sched.held || vtb_sched.spin_rounds)))
		look_at_held(t);
	if (call->prim || t->sched.spinning || (!vtb_sched.calm && vtb_sched.schedule->constraints))
		vtb_ready_update(t);
	next = choose(t);
	vtb_sched_look_calm();
	if (next != t)
		vtb_point_hand_over(t, next);
	if (VTB_UNLIKELY(t->sched.spinning))
		vtb_progress_goes_on(t);
	t->base.inside--;
}

void vtb_sched_handle(struct vtb_rt_thread *t, struct vtb_call *call)
{
	while (t->sched.interrupted) {
		VTB_EACH_SOURCE(s, handle)
		s->handle(t, call);
		vtb_sched_point(t, call);
	}
}

/* Its registers and its frame may be noted. So nothing may stand in them that differs from run to run: it is a function
 * of its own, and what it calls is not part of it. */
__attribute__((noinline)) void vtb_ctl_arrive(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const bool tells = !vtb_sched.calm && (vtb_sched.schedule->flags & VTB_SCHED_STATES || vtb_sched.laps.on);

	if (VTB_UNLIKELY(tells))
		vtb_stance_arrive(t, call);
	if (VTB_UNLIKELY(tells && vtb_sched.laps.on))
		vtb_laps_note(call);
	if (VTB_UNLIKELY(vtb_progress_wants(t, call)) && !vtb_sched.survey.on) {
		vtb_stretch_end();
		if (t->base.written_word)
			vtb_fair_see_written(t);
		if (!tells && vtb_progress_looks(t, call))
			vtb_stance_arrive(t, call);
		vtb_progress_arrive(t, call);
	}
	vtb_sched_point(t, call);
	if (VTB_UNLIKELY(t->sched.interrupted))
		vtb_sched_handle(t, call);
}

static bool changes_state(const struct vtb_call *call)
{
	return call->prim || call->kind == VTB_E_FREE;
}

static uint64_t *put_long(struct vtb_rt_thread *t, const struct vtb_call *call, unsigned flags, unsigned result)
{
	const struct vtb_rec rec = {
		.kind = call->kind,
		.addr = (uint64_t)call->obj & 0xffffffffffffull,
		.pc = call->pc,
		.order = call->order,
		.size_log2 = call->size_log2,
		.value = call->value,
		.arg = call->arg,
		.flags = (uint8_t)flags,
		.result = (uint8_t)result,
	};

	return vtb_rt_put(t, &rec);
}

/* Where its value stands; not the value's place if it has none. */
static inline uint64_t *put_operation(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const unsigned value = call->has_value, arg = call->arg != 0;
	const unsigned flags = (value ? VTB_REC_VALUE : 0u) | (arg ? VTB_REC_ARG : 0u);
	const unsigned result = call->has_value && call->prim && call->value < 256 ? (unsigned)call->value : 0;
	struct vtb_rt_stream *s;
	uint64_t *w;

	vtb_stretch_end();
	if (!vtb_event_has_room())
		return put_long(t, call, flags, result);
	s = vtb_event_switched(t);
	w = s->next;
	w[0] = vtb_rec_word0((uint64_t)call->obj & 0xffffffffffffull, call->kind, value + arg, flags);
	w[1] = vtb_rec_word1(call->pc, call->order, call->size_log2, result);
	w[2] = call->value;
	w[2 + value] = call->arg;
	s->next = w + 2 + value + arg;
	vtb_event_used();
	return w + 2;
}

static bool is_noted(const struct vtb_rt_thread *t)
{
	return vtb_sched.schedule->flags & VTB_SCHED_STATES || vtb_sched.laps.on || vtb_progress_cleans(t);
}

static __attribute__((noinline)) void look_at_done(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (vtb_sched.schedule->flags & VTB_SCHED_STACKS)
		vtb_sched_tell_stack(t, t, call->pc, 0);
	if (vtb_sched.by_site)
		vtb_schedule_count(t, call);
}

void vtb_ctl_done(struct vtb_rt_thread *t, struct vtb_call *call)
{
	uint64_t *word;

	t->base.inside++;
	t->sched.ops++;
	word = put_operation(t, call);
	t->sched.told = word;
	if (call->kind == VTB_E_WRITE && word && call->has_value) {
		t->base.written_word = word;
		t->base.written_addr = (uint64_t)call->obj;
		t->base.written_log2 = vtb_written_log2(t, (uint64_t)call->obj, call->size_log2);
	}
	if (VTB_UNLIKELY(!vtb_sched.calm && vtb_sched.watched))
		look_at_done(t, call);
	t->sched.call = NULL;
	if (t->base.state != VTB_T_ALIVE) /* its last one */
		vtb_ready_set(t, false);
	if (VTB_UNLIKELY(vtb_progress_tracks(t)))
		vtb_progress_done(t, call);
	if (VTB_UNLIKELY(!vtb_sched.calm && vtb_sched.laps.on))
		vtb_laps_done(call, vtb_fair_is_plain(call) && !t->sched.interrupted && !call->interrupted);
	vtb_fair_note(t, call);
	if (changes_state(call) || (!vtb_sched.calm && vtb_sched.schedule->constraints)) {
		vtb_ready_after(call);
		vtb_syscalls_on(vtb_sched.catches); /* a call made in the program's own context has turned it off */
	}
	t->base.inside--;
	if (t->base.state == VTB_T_ALIVE)
		vtb_stretch_begin(t, call);
	vtb_sched_look_calm();
	t->base.noted = false;
	if (VTB_UNLIKELY(!vtb_sched.calm || vtb_progress_cleans(t)) && is_noted(t)) {
		t->base.noted = true;
		vtb_progress_cleaned(t, call);
		vtb_stance_done(t, call);
	}
}

/* What lies between the program's last look and its wait: a handler that runs there does not end the wait. Or before it
 * blocks signals. */
static void open_to_signals(struct vtb_rt_thread *t, uint64_t pc)
{
	struct vtb_call open = { .kind = VTB_E_SIGNAL_OPEN, .pc = pc };

	vtb_ctl_arrive(t, &open);
	vtb_ctl_done(t, &open);
}

void vtb_ctl_open_to_signals(struct vtb_rt_thread *t)
{
	if (vtb_sched.active && !vtb_sched_alone(t))
		open_to_signals(t, t->base.pc);
}

long vtb_ctl_op(struct vtb_rt_thread *t, struct vtb_call *call)
{
	static const struct vtb_primitive nothing = { "nothing", NULL, NULL, NULL, false, NULL };

	if (VTB_UNLIKELY(vtb_rt.without != NULL) && call->prim && !strcmp(call->prim->name, vtb_rt.without))
		call->prim = &nothing;
	if (VTB_UNLIKELY(t->sched.deadline))
		vtb_time_limits(t, call);
	if (VTB_UNLIKELY(call->interrupt && vtb_sched.handlers && !call->masked))
		open_to_signals(t, call->pc);
	vtb_ctl_arrive(t, call);
	if (VTB_UNLIKELY(call->interrupted)) {
		call->result = -EINTR;
		call->value = EINTR;
		call->has_value = true;
		vtb_queue_leave(t);
	} else if (call->prim && call->prim->perform) {
		call->prim->perform(t, call);
	}
	vtb_ctl_done(t, call);
	if (VTB_UNLIKELY(vtb_heap.size))
		vtb_ctl_check_object(call);
	return call->result;
}

/* ---- beginning and end */

struct vtb_rt_thread *vtb_sched_leave(struct vtb_rt_thread *t)
{
	struct vtb_rt_thread *next = NULL;
	bool left = false;

	for (uint32_t i = 0; i < vtb_rt.n_threads && !left; i++)
		left = vtb_rt.threads[i]->base.state == VTB_T_ALIVE && !vtb_rt.threads[i]->sched.service;
	VTB_EACH_SOURCE(s, gone) /* nothing comes to t any more */
	s->gone();
	if (left)
		next = choose(t);
	vtb_sched_look_calm();
	vtb_sched.running = next;
	return next;
}
