/* SPDX-License-Identifier: BSD-2-Clause */
/* The event stream of the run. */
#include "run_records.h"

static struct vtb_rt_stream *stream(struct vtb_rt_thread *t)
{
	return vtb_event_stream(t);
}

void vtb_sched_stream_used(void)
{
	vtb_event_used();
}

static void truncated(void)
{
	vtb_sched.slot->outcome.flags |= VTB_OUT_TRUNCATED;
	vtb_sched.stream.end = vtb_sched.stream.next; /* nothing after a gap */
}

static void uncontrolled(uint32_t flag)
{
	if (vtb_sched.active)
		vtb_sched.slot->outcome.uncontrolled |= flag;
}

/* There is no room for more. */
static __attribute__((noinline)) void last_fact(unsigned kind, struct vtb_rt_thread *t, uint64_t addr, uint64_t pc,
                                                uint64_t value, uint64_t arg)
{
	const struct vtb_rec rec = { .kind = (uint8_t)kind,
		                     .addr = addr & 0xffffffffffffull,
		                     .pc = pc,
		                     .flags = VTB_REC_VALUE | VTB_REC_ARG,
		                     .value = value,
		                     .arg = arg };

	vtb_rt_put(t, &rec);
}

void vtb_sched_fact(unsigned kind, const struct vtb_rt_thread *t, uint64_t addr, uint64_t pc, uint64_t value,
                    uint64_t arg)
{
	struct vtb_rt_stream *s;

	if (!vtb_event_room()) {
		last_fact(kind, (struct vtb_rt_thread *)t, addr, pc, value, arg);
		return;
	}
	s = vtb_event_switched(t);
	s->next[0] = vtb_rec_word0(addr & 0xffffffffffffull, kind, 2, VTB_REC_VALUE | VTB_REC_ARG);
	s->next[1] = vtb_rec_word1(pc, 0, 0, 0);
	s->next[2] = value;
	s->next[3] = arg;
	s->next += 4;
	vtb_event_used();
	vtb_sched.stem &= kind != VTB_E_SIGNAL_DUE;
}

static bool has_room(const uint64_t *last)
{
	return (last[0] >> 4 & VTB_REC_EXTRA_MAX) < VTB_REC_EXTRA_MAX || vtb_sched.others % VTB_EVENT_OTHERS;
}

static void join(struct vtb_rt_stream *s, uint64_t *last, uint64_t slot)
{
	const unsigned at = vtb_sched.others++ % VTB_EVENT_OTHERS;

	if (at == 0) {
		last[0] = (last[0] | VTB_REC_STACK) + (1u << 4);
		*s->next++ = 0;
	}
	s->next[-1] |= (slot + 1) << 16 * at;
}

void vtb_sched_tell_ready(unsigned kind, const struct vtb_rt_thread *of, uint64_t arg)
{
	struct vtb_rt_stream *s;
	uint64_t *last;

	if (!vtb_event_room()) {
		vtb_sched_fact(kind, vtb_sched.running, 0, 0, of->base.slot, arg);
		return;
	}
	s = vtb_event_switched(vtb_sched.running);
	last = (uint64_t *)(vtb_sched.events + vtb_sched.told_ready);
	if (vtb_sched.told_ready && vtb_event_joins(s, last, kind, arg) && has_room(last)) {
		join(s, last, of->base.slot);
		vtb_event_used();
		return;
	}
	vtb_sched.told_ready = (uint64_t)((const char *)s->next - vtb_sched.events);
	vtb_sched.others = 0;
	vtb_sched_fact(kind, vtb_sched.running, 0, 0, of->base.slot, arg);
}

#define FRAMES_MAX 64u /* of a stack; library code calls deeply where nothing is inlined */

/* A record holds few frames: the next one goes on with the frame whose number it gives as its argument. */
void vtb_sched_tell_stack(struct vtb_rt_thread *t, const struct vtb_rt_thread *owner, uint64_t pc, unsigned flags)
{
	uint64_t pcs[FRAMES_MAX];
	const uint32_t n = vtb_rt_stack(owner, pc, pcs, FRAMES_MAX);

	for (uint32_t at = 0; at < n; at += VTB_RT_STACK_DEPTH) {
		const struct vtb_rec rec = { .kind = VTB_E_STACK,
			                     .pc = pc,
			                     .flags = (uint8_t)(flags | (at ? VTB_REC_ARG : 0)),
			                     .value = owner->base.slot,
			                     .arg = at,
			                     .pcs = pcs + at,
			                     .n_pcs = n - at < VTB_RT_STACK_DEPTH ? n - at : VTB_RT_STACK_DEPTH };

		vtb_rt_put(t, &rec);
	}
}

void vtb_sched_tell_pending(const struct vtb_rt_thread *t)
{
	struct vtb_rt_thread *by = vtb_sched.running ? vtb_sched.running : (struct vtb_rt_thread *)t;

	if (t->base.state != VTB_T_ALIVE || !t->sched.call)
		return;
	vtb_sched_fact(VTB_E_PENDING, by, (uint64_t)t->sched.call->obj, t->sched.call->pc, t->base.slot,
	               t->sched.call->kind);
	if (vtb_sched.schedule->flags & VTB_SCHED_STACKS)
		vtb_sched_tell_stack(by, t, t->sched.call->pc, VTB_REC_VALUE);
}

const struct vtb_rt_sink vtb_sched_sink = { stream, vtb_sched_stream_used, truncated, uncontrolled };
