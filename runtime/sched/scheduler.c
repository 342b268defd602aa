/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schedule points. A thread that arrives at an operation stands at the point after its previous one; here it is decided
 * who does the next operation:
 *
 *     deviations of the schedule at this point   (a switch, a demotion, a deadline that passes, a spurious wake-up)
 *     then the policy                            (run to block, priority, random)
 *
 * among the threads that can do theirs: alive, ready by their primitive's model, allowed by the constraints, not spinning.
 */
#include <errno.h>
#include <string.h>

#include "fast.h"
#include "engine.h"
#include "events.h"
#include "follow.h"
#include "models.h"

#include "signals.h"
#include "sys.h"
#include "syscalls.h"

struct vtb_sched vtb_sched VTB_HISTORY;
const struct vtb_carrier *vtb_carrier = &vtb_carrier_threads;

/* ---- the event stream of the run */

struct vtb_rt_stream *vtb_ctl_stream(struct vtb_rt_thread *t)
{
	return vtb_event_stream(t);
}

void vtb_ctl_stream_used(void)
{
	vtb_event_used();
}

void vtb_ctl_truncated(void)
{
	vtb_sched.slot->outcome.flags |= VTB_OUT_TRUNCATED;
	vtb_sched.stream.end = vtb_sched.stream.next; /* nothing after a gap */
}

void vtb_ctl_uncontrolled(uint32_t flag)
{
	if (vtb_sched.active)
		vtb_sched.slot->outcome.uncontrolled |= flag;
}

bool vtb_sched_alone(const struct vtb_rt_thread *t)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i] && vtb_rt.threads[i] != t && vtb_rt.threads[i]->state == VTB_T_ALIVE)
			return false;
	return true;
}

void vtb_sched_fact(unsigned kind, const struct vtb_rt_thread *t, uint64_t addr, uint64_t pc, uint64_t value, uint64_t arg)
{
	const struct vtb_rec rec = {.kind = (uint8_t)kind, .addr = addr & 0xffffffffffffull, .pc = pc, .flags = VTB_REC_VALUE | VTB_REC_ARG, .value = value, .arg = arg};
	struct vtb_rt_stream *s;

	if (!vtb_event_room()) {
		vtb_rt_put((struct vtb_rt_thread *)t, &rec);
		return;
	}
	s = vtb_event_stream(t);
	s->next[0] = vtb_rec_word0(rec.addr, kind, 2, VTB_REC_VALUE | VTB_REC_ARG);
	s->next[1] = vtb_rec_word1(pc, 0, 0, 0);
	s->next[2] = value;
	s->next[3] = arg;
	s->next += 4;
	vtb_event_used();
}

static uint64_t next_random(void)
{
	uint64_t z = vtb_sched.random += 0x9e3779b97f4a7c15ull; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static struct vtb_rt_thread *any_of_enabled(void)
{
	const uint32_t n = vtb_ready_count();

	return n ? vtb_ready_nth((uint32_t)(next_random() % n)) : NULL;
}

static struct vtb_rt_thread *by_policy(struct vtb_rt_thread *t)
{
	switch (vtb_sched.schedule->policy) {
	case VTB_POLICY_RANDOM:
		return any_of_enabled();
	case VTB_POLICY_POS:
	case VTB_POLICY_SURW:
		return vtb_walk_choose();
	case VTB_POLICY_RUN_TO_BLOCK:
		return t->enabled ? t : vtb_ready_best();
	default:
		return vtb_ready_best();
	}
}

/* ---- deviations */

/* Time or chance lets a waiting thread go on although others could. Its next operation is marked. */
static struct vtb_rt_thread *force(const struct vtb_wire_deviation *d)
{
	struct vtb_rt_thread *target = vtb_schedule_thread(d->target);

	if (!target || target->state != VTB_T_ALIVE || (target->enabled && d->kind != VTB_DEV_SIGNAL))
		return NULL;
	if (d->kind == VTB_DEV_SIGNAL) {
		if (target->interrupted || !target->call || !vtb_signals_early(target))
			return NULL;
	} else if (d->kind == VTB_DEV_TIMEOUT) {
		if (!target->deadline)
			return NULL;
		if (vtb_sched.now < target->deadline)
			vtb_sched.now = target->deadline;
		vtb_timers_fire();
		vtb_sched.slot->outcome.flags |= VTB_OUT_TIMING;
	} else {
		target->spurious = true;
	}
	vtb_sched_recheck();
	vtb_ready_update(target);
	return target->enabled ? target : NULL;
}

/* Make deviation d at t's point; *next is who goes on by it. False if it finds no place. */
static bool deviate(struct vtb_rt_thread *t, const struct vtb_wire_deviation *d, struct vtb_rt_thread **next)
{
	struct vtb_rt_thread *target;

	if (d->kind == VTB_DEV_DEMOTE) {
		vtb_ready_rank(t, vtb_schedule_fragment());
		*next = NULL; /* by the policy, with the new rank */
		return true;
	}
	target = d->kind == VTB_DEV_SWITCH ? vtb_schedule_thread(d->target) : force(d);
	if (d->kind == VTB_DEV_SWITCH && (vtb_sched.schedule->flags & VTB_SCHED_LOOSE) && (!target || !target->enabled))
		target = vtb_ready_best_but(t); /* another build: the target may have had an operation there that this one has not */
	if (!target || !target->enabled)
		return false;
	if (d->kind != VTB_DEV_SWITCH)
		vtb_sched_fact(VTB_E_DEVIATE, t, 0, 0, target->slot, d->kind);
	*next = target;
	return true;
}

#define WAKES (1u << VTB_DEV_TIMEOUT | 1u << VTB_DEV_SPURIOUS | 1u << VTB_DEV_SIGNAL)
#define AT_POINT (1u << VTB_DEV_SWITCH | 1u << VTB_DEV_DEMOTE | WAKES)

bool vtb_ctl_cas_fails(struct vtb_rt_thread *t)
{
	const struct vtb_wire_deviation *d = vtb_sched.first_open < vtb_sched.schedule->deviations ? vtb_schedule_deviation(t, 1u << VTB_DEV_CAS_FAIL) : NULL;

	if (!d)
		return false;
	vtb_schedule_deviated(d, true);
	vtb_sched_fact(VTB_E_DEVIATE, t, 0, 0, t->slot, VTB_DEV_CAS_FAIL);
	return true;
}

/* Only constraints stand in the way? */
static bool constraints_block(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->state == VTB_T_ALIVE && t->call && !vtb_schedule_allows(t))
			return true;
	}
	return false;
}

static void look_at_everybody(void)
{
	vtb_sched_recheck();
	vtb_ready_update(vtb_sched.running);
}

/* Nobody can go on: time may pass, spinners may try again; else the run ends here. */
static void wake_somebody(void)
{
	look_at_everybody(); /* what is outside may have changed unseen */
	while (!vtb_ready_count()) {
		vtb_sched.time_passes = true;
		if (!vtb_follow_other() && !vtb_syscall_patience() && !vtb_time_pass() && !vtb_fair_retry() && !vtb_follow_dead_end() && !vtb_syscall_outside()) {
			if (vtb_sched.schedule->constraints && constraints_block())
				vtb_failure_end(VTB_V_INFEASIBLE, 0, 0, 0, "the constraints of the schedule cannot be met");
			vtb_deadlock();
		}
		look_at_everybody();
		vtb_sched.time_passes = false;
	}
}

/* The point after t's last operation: who goes on? t may be ended. */
static struct vtb_rt_thread *choose(struct vtb_rt_thread *t)
{
	const struct vtb_wire_deviation *d;
	struct vtb_rt_thread *next = NULL;

	if (VTB_UNLIKELY(vtb_sched.keeps))
		vtb_checkpoint_point();
	if (VTB_UNLIKELY(vtb_sched.schedule->flags & VTB_SCHED_STATES))
		vtb_match_point(t);
	vtb_sched.points++;
	if (VTB_UNLIKELY(vtb_rt.options & VTB_OPT_REAL_TIME))
		vtb_time_goes_on();
	if (VTB_UNLIKELY(vtb_sched.points > vtb_sched.points_max))
		vtb_failure_end(VTB_V_TIMEOUT, 0, t->pc, 0, "the run has passed more schedule points than allowed");
	if (!vtb_ready_count() && !(vtb_sched.first_open < vtb_sched.schedule->deviations && vtb_schedule_deviation(t, WAKES)))
		wake_somebody(); /* unless a deviation at this point wakes somebody */
	if (vtb_sched.first_open < vtb_sched.schedule->deviations)
		while ((d = vtb_schedule_deviation(t, AT_POINT)))
			vtb_schedule_deviated(d, deviate(t, d, &next));
	if (!next && !vtb_ready_count())
		wake_somebody();
	if (!next)
		next = by_policy(t);
	if (VTB_UNLIKELY(vtb_sched.keeps))
		vtb_checkpoint_turn(t, next);
	return next;
}

static void hand_over(struct vtb_rt_thread *t, struct vtb_rt_thread *next)
{
	vtb_ready_leave_turn(t);
	vtb_sched.running = next;
	vtb_carrier->hand_over(t, next);
	vtb_ready_take_turn(t);
}

void vtb_sched_point(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct vtb_rt_thread *next;

	vtb_stretch_end();
	vtb_note_written(t);
	t->inside++;
	t->call = call;
	vtb_ready_set(t, true);
	if (call->prim || t->spinning || vtb_sched.schedule->constraints)
		vtb_ready_update(t);
	next = choose(t);
	if (next != t)
		hand_over(t, next);
	t->inside--;
}

void vtb_ctl_arrive(struct vtb_rt_thread *t, struct vtb_call *call)
{
	if (VTB_UNLIKELY(vtb_sched.schedule->flags & VTB_SCHED_STATES))
		vtb_match_arrive(t, call);
	vtb_sched_point(t, call);
	while (VTB_UNLIKELY(t->interrupted)) {
		vtb_signals_handle(t, call);
		vtb_sched_point(t, call);
	}
}

static bool changes_state(const struct vtb_call *call)
{
	return call->prim || call->kind == VTB_E_FREE;
}

static void put_stack(struct vtb_rt_thread *t, uint64_t pc)
{
	uint64_t pcs[VTB_RT_STACK_DEPTH];
	const struct vtb_rec rec = {.kind = VTB_E_STACK, .pc = pc, .pcs = pcs, .n_pcs = vtb_rt_stack(t, pc, pcs, VTB_RT_STACK_DEPTH)};

	vtb_rt_put(t, &rec);
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

	if (!vtb_event_room())
		return put_long(t, call, flags, result);
	s = vtb_event_stream(t);
	w = s->next;
	w[0] = vtb_rec_word0((uint64_t)call->obj & 0xffffffffffffull, call->kind, value + arg, flags);
	w[1] = vtb_rec_word1(call->pc, call->order, call->size_log2, result);
	w[2] = call->value;
	w[2 + value] = call->arg;
	s->next = w + 2 + value + arg;
	vtb_event_used();
	return w + 2;
}

void vtb_ctl_done(struct vtb_rt_thread *t, struct vtb_call *call)
{
	uint64_t *word;

	t->inside++;
	t->ops++;
	word = put_operation(t, call);
	if (call->kind == VTB_E_WRITE && word && call->has_value) {
		t->written_word = word;
		t->written_addr = (uint64_t)call->obj;
		t->written_log2 = call->size_log2;
	}
	if (VTB_UNLIKELY(vtb_sched.schedule->flags & VTB_SCHED_STACKS))
		put_stack(t, call->pc);
	if (VTB_UNLIKELY(vtb_sched.by_site))
		vtb_schedule_count(t, call);
	t->call = NULL;
	if (t->state != VTB_T_ALIVE) /* its last one */
		vtb_ready_set(t, false);
	vtb_fair_note(t, call);
	if (changes_state(call) || vtb_sched.schedule->constraints) {
		vtb_ready_after(call);
		vtb_syscalls_on(vtb_sched.catches); /* a call made in the program's own context has turned it off */
	}
	t->inside--;
	if (t->state == VTB_T_ALIVE)
		vtb_stretch_begin(t);
	if (VTB_UNLIKELY(vtb_sched.schedule->flags & VTB_SCHED_STATES))
		vtb_match_return(t, call);
}

/* What lies between the program's last look and its wait: a handler that runs there does not end the wait. */
static void open_to_signals(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct vtb_call open = {.kind = VTB_E_SIGNAL_OPEN, .pc = call->pc};

	vtb_ctl_arrive(t, &open);
	vtb_ctl_done(t, &open);
}

static bool is_without(const struct vtb_call *call)
{
	return VTB_UNLIKELY(vtb_rt.without != NULL) && call->prim && !strcmp(call->prim->name, vtb_rt.without);
}

long vtb_ctl_op(struct vtb_rt_thread *t, struct vtb_call *call)
{
	static const struct vtb_primitive nothing = {"nothing", NULL, NULL, NULL, false};

	if (is_without(call))
		call->prim = &nothing;
	if (VTB_UNLIKELY(call->interrupt && vtb_sched.handlers && !call->masked))
		open_to_signals(t, call);
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
	return call->result;
}

/* ---- memory */

void vtb_ctl_check_alive(const struct vtb_call *call)
{
	if (VTB_UNLIKELY(vtb_heap_is_dead((uint64_t)call->obj)))
		vtb_failure_end(VTB_V_MEMORY, 0, call->pc, (uint64_t)call->obj, call->kind == VTB_E_WRITE ? "memory was written after it was freed" : "memory was used after it was freed");
}

void vtb_ctl_access(struct vtb_rt_thread *t, unsigned kind, const void *addr, unsigned size_log2, uint64_t pc)
{
	struct vtb_call call = {.kind = (uint8_t)kind, .obj = addr, .pc = pc, .size_log2 = (uint8_t)size_log2, .has_value = true};

	if (VTB_UNLIKELY(vtb_rt_some_stack((uint64_t)addr)))
		vtb_rt_stack_access(t, (uint64_t)addr);
	t->pc = pc;
	vtb_ctl_arrive(t, &call);
	if (VTB_UNLIKELY(t->cancelled))
		vtb_cancel_async(t);
	call.value = vtb_rt_load((uint64_t)addr, size_log2);
	vtb_ctl_done(t, &call);
	vtb_ctl_check_alive(&call);
}

void vtb_ctl_range(struct vtb_rt_thread *t, unsigned kind, const void *addr, uint64_t size, uint64_t pc)
{
	struct vtb_call call = {.kind = (uint8_t)kind, .obj = addr, .pc = pc, .size_log2 = VTB_REC_SIZE_IN_ARG, .arg = size};

	if (VTB_UNLIKELY(vtb_rt_some_stack((uint64_t)addr)))
		vtb_rt_stack_access(t, (uint64_t)addr);
	t->pc = pc;
	vtb_ctl_arrive(t, &call);
	vtb_ctl_done(t, &call);
	vtb_ctl_check_alive(&call);
}

/* ---- beginning and end */

struct vtb_rt_thread *vtb_sched_leave(struct vtb_rt_thread *t)
{
	struct vtb_rt_thread *next = NULL;
	bool left = false;

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		left |= vtb_rt.threads[i]->state == VTB_T_ALIVE && !vtb_rt.threads[i]->service;
	vtb_signals_changed(); /* nothing comes to t any more */
	if (left)
		next = choose(t);
	vtb_sched.running = next;
	return next;
}

static const void *part(const struct vtb_wire_schedule *s, uint64_t *at, uint64_t size)
{
	const void *p = (const char *)s + *at;

	*at += (size + 7) & ~7ull;
	return p;
}

static void take_schedule(const struct vtb_wire_schedule *s)
{
	uint64_t at = sizeof(*s);
	size_t size;
	char *state;

	vtb_sched.schedule = s;
	vtb_sched.paths = part(s, &at, s->paths * sizeof(*vtb_sched.paths));
	vtb_sched.ranks = part(s, &at, s->ranks * sizeof(*vtb_sched.ranks));
	vtb_sched.deviations = part(s, &at, s->deviations * sizeof(*vtb_sched.deviations));
	vtb_sched.constraints = part(s, &at, s->constraints * sizeof(*vtb_sched.constraints));
	vtb_sched.pcs = part(s, &at, s->pcs * sizeof(*vtb_sched.pcs));
	vtb_sched.weights = part(s, &at, s->weights * sizeof(*vtb_sched.weights));
	vtb_sched.random = s->seed;
	vtb_sched.points_max = s->max_points ? s->max_points : UINT64_MAX;
	vtb_walk_begin();
	size = (s->deviations + 2ul * s->constraints) * sizeof(struct vtb_op_state) + s->deviations + 1;
	state = vtb_rt_alloc_aside(size);
	vtb_sched.deviation_state = (struct vtb_op_state *)state;
	vtb_sched.constraint_state = vtb_sched.deviation_state + s->deviations;
	vtb_sched.deviation_done = (bool *)(vtb_sched.constraint_state + 2ul * s->constraints);
	for (uint32_t i = 0; i < s->deviations; i++)
		vtb_sched.by_site |= vtb_sched.deviations[i].after.match == VTB_MATCH_SITE;
	for (uint32_t i = 0; i < s->constraints; i++)
		vtb_sched.by_site |= vtb_sched.constraints[i].before.match == VTB_MATCH_SITE || vtb_sched.constraints[i].after.match == VTB_MATCH_SITE;
	vtb_schedule_begin();
}

void vtb_sched_exchange(uint32_t done)
{
	const uint64_t random = vtb_sched.random;

	take_schedule((const void *)((const char *)vtb_rt.block + vtb_sched.slot->schedule_offset));
	vtb_sched.random = random;
	vtb_sched.first_open = done;
	for (uint32_t i = 0; i < done; i++)
		vtb_sched.deviation_done[i] = true;
	vtb_schedule_bind();
}

void vtb_sched_begin(struct vtb_wire_slot *slot)
{
	struct vtb_rt_thread *t;

	vtb_sched.slot = slot;
	memset(&slot->outcome, 0, sizeof(slot->outcome));
	slot->events_used = 0;
	vtb_sched.events = (const char *)vtb_rt.block + slot->events_offset;
	vtb_sched.stream.next = (uint64_t *)((char *)vtb_rt.block + slot->events_offset);
	vtb_sched.keeps = vtb_checkpoint_wanted((const void *)((const char *)vtb_rt.block + slot->schedule_offset));
	vtb_sched.stream.end = vtb_sched.stream.next + slot->events_size / sizeof(uint64_t);
	take_schedule((const void *)((const char *)vtb_rt.block + slot->schedule_offset));
	vtb_rt.mode = VTB_MODE_CONTROL;
	t = vtb_rt_thread_new(NULL);
	vtb_schedule_born(t, NULL);
	t->kernel_id = vtb_snapshot_active() ? (int)vtb_rt.block->pid : (int)sys3(SYS_getpid, 0, 0, 0);
	vtb_rt_thread_here(t);
	vtb_signals_inherit(t, NULL);
	vtb_sched.running = t;
	vtb_rt_tell_early_blocks(t);
	vtb_sched.active = true;
}

void vtb_sched_tell_pending(const struct vtb_rt_thread *t)
{
	if (t->state == VTB_T_ALIVE && t->call)
		vtb_sched_fact(VTB_E_PENDING, vtb_sched.running ? vtb_sched.running : t, (uint64_t)t->call->obj, t->call->pc, t->slot, t->call->kind);
}

void vtb_sched_end(void)
{
	if (!vtb_sched.active)
		return;
	vtb_stretch_end();
	vtb_sched.active = false;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];

		vtb_rt_count_accesses(t);
		vtb_sched_tell_pending(t);
	}
	vtb_sched.slot->outcome.points = vtb_sched.points;
	vtb_sched.slot->outcome.threads = vtb_rt.n_threads;
	if (vtb_sched.first_open < vtb_sched.schedule->deviations)
		vtb_sched.slot->outcome.flags |= VTB_OUT_DIVERGED;
	vtb_follow_ends();
	vtb_rt.mode = VTB_MODE_OFF;
}
