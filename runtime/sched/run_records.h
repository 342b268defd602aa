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

/** The slot's stream: no stretch is under way, and a SWITCH record says that t is another thread than that of the last
 * record. */
static inline struct vtb_rt_stream *vtb_event_stream(const struct vtb_rt_thread *t)
{
	struct vtb_rt_stream *s = &vtb_sched.stream;

	vtb_stretch_end();
	if (t->base.slot != vtb_sched.stream_slot && s->next + 3 <= s->end) {
		s->next[0] = vtb_rec_word0(0, VTB_E_SWITCH, 1, VTB_REC_VALUE);
		s->next[1] = 0;
		s->next[2] = t->base.slot;
		s->next += 3;
		vtb_sched.stream_slot = t->base.slot;
	}
	return s;
}

static inline bool vtb_event_room(void)
{
	vtb_stretch_end();
	return VTB_LIKELY((uint64_t)(vtb_sched.stream.end - vtb_sched.stream.next) >= VTB_EVENT_WORDS);
}

#endif /* VTB_RT_EVENTS_H */
