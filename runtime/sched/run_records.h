/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file run_records.h
 * Records of the run, written the short way: every operation makes one or two. What does not fit takes the way of
 * vtb_rt_put().
 */
#ifndef VTB_RT_EVENTS_H
#define VTB_RT_EVENTS_H

#include "scheduler.h"

#define VTB_EVENT_WORDS 7u /* a SWITCH record, and one with value and argument behind it */

static inline void vtb_event_used(void)
{
	vtb_sched.slot->events_used = (uint64_t)((const char *)vtb_sched.stream.next - vtb_sched.events);
}

/** The slot's stream, while no stretch is under way: a SWITCH record says that t is another thread than that of the
 * last record. */
static inline struct vtb_rt_stream *vtb_event_switched(const struct vtb_rt_thread *t)
{
	struct vtb_rt_stream *s = &vtb_sched.stream;

	if (t->base.slot != vtb_sched.stream_slot && s->next + 3 <= s->end) {
		s->next[0] = vtb_rec_word0(0, VTB_E_SWITCH, 1, VTB_REC_VALUE);
		s->next[1] = 0;
		s->next[2] = t->base.slot;
		s->next += 3;
		vtb_sched.stream_slot = t->base.slot;
	}
	return s;
}

/** For what stands behind the last record; a stretch under way may have taken that. */
static inline bool vtb_event_has_room(void)
{
	return VTB_LIKELY(vtb_sched.stream.next + VTB_EVENT_WORDS <= vtb_sched.stream.end);
}

/** Both end a stretch. */
static inline struct vtb_rt_stream *vtb_event_stream(const struct vtb_rt_thread *t)
{
	vtb_stretch_end();
	return vtb_event_switched(t);
}

static inline bool vtb_event_room(void)
{
	vtb_stretch_end();
	return vtb_event_has_room();
}

#define VTB_EVENT_OTHERS 4u /* slots in a word of a BLOCK or UNBLOCK record, beside the first */

/** Does the last BLOCK or UNBLOCK record of the stream end it, and say the same? */
static inline bool vtb_event_joins(const struct vtb_rt_stream *s, const uint64_t *last, unsigned kind, uint64_t arg)
{
	return last + 2 + (last[0] >> 4 & VTB_REC_EXTRA_MAX) == s->next && (last[0] >> 8 & 255) == kind &&
	       last[3] == arg;
}

/** The BLOCK or UNBLOCK record that ends the stream says the same of another one. False: its last word is full, or it
 * was perhaps not told. */
static inline bool vtb_event_ready_too(const struct vtb_rt_thread *of)
{
	const unsigned at = vtb_sched.others % VTB_EVENT_OTHERS;

	if (!at || !vtb_event_has_room())
		return false;
	vtb_sched.stream.next[-1] |= (of->base.slot + 1ull) << 16 * at;
	vtb_sched.others++;
	return true;
}

/** vtb_sched_tell_ready() of one after the other, outside of stretches: mostly there is room in the last word. */
static inline void vtb_event_ready(unsigned kind, const struct vtb_rt_thread *of, uint64_t arg)
{
	const struct vtb_rt_stream *s = &vtb_sched.stream;
	const unsigned at = vtb_sched.others % VTB_EVENT_OTHERS;

	if (VTB_LIKELY(at && vtb_event_has_room() && vtb_sched.running->base.slot == vtb_sched.stream_slot &&
	               vtb_event_joins(s, (const uint64_t *)(vtb_sched.events + vtb_sched.told_ready), kind, arg))) {
		s->next[-1] |= (of->base.slot + 1ull) << 16 * at;
		vtb_sched.others++;
		return;
	}
	vtb_sched_tell_ready(kind, of, arg);
}

#endif /* VTB_RT_EVENTS_H */
