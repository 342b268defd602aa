/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file wake_source.h
 * What else than an operation of a thread can wake a thread: signals, timers, descriptors, a followed child. One row
 * each; a function that is NULL has nothing to do there. Asked in the order of the table.
 *
 * Time: virtual nanoseconds since the start of the run.
 */
#ifndef VTB_RT_SOURCE_H
#define VTB_RT_SOURCE_H

#include "base.h"

struct vtb_source {
	const char *name;
	/** Nobody can go on before the clock moves: true if somebody may now. */
	bool (*before_time)(void);
	/** Nor can time help: true if somebody may now. May end the run. */
	bool (*at_last)(void);
	/** When it will wake somebody by itself; UINT64_MAX: never. */
	uint64_t (*next)(void);
	/** The clock has moved: what is due happens. */
	void (*fire)(void);
	/** Can anything come from outside the process, if somebody asks for it (`asks`), or by itself? */
	bool (*outside)(bool asks);
	/** All threads are about to be looked at again: tell in the events what may come. */
	void (*tell)(void);
	/** t is born; its creator is NULL for main. */
	void (*born)(struct vtb_rt_thread *t, const struct vtb_rt_thread *creator);
	/** A thread is gone. */
	void (*gone)(void);
	/** By a deviation: what would come to t later comes now. False: nothing would. */
	bool (*early)(struct vtb_rt_thread *t);
	/** t has been chosen and is interrupted at `call`. */
	void (*handle)(struct vtb_rt_thread *t, struct vtb_call *call);
	/** The run is over. */
	void (*ends)(void);
};
/** The table, up to NULL. Set once, before the first run. */
extern const struct vtb_source *const *vtb_sources;

#define VTB_EACH_SOURCE(s, does)                                                                   \
	for (const struct vtb_source *const *s##_at = vtb_sources, *s = *s##_at; s; s = *++s##_at) \
		if (s->does)

static inline void vtb_sources_fire(void)
{
	VTB_EACH_SOURCE(s, fire)
	s->fire();
}

static inline uint64_t vtb_sources_next(void)
{
	uint64_t next = UINT64_MAX;

	VTB_EACH_SOURCE(s, next)
	{
		const uint64_t at = s->next();

		next = at < next ? at : next;
	}
	return next;
}

static inline bool vtb_sources_outside(bool asks)
{
	VTB_EACH_SOURCE(s, outside)
	if (s->outside(asks))
		return true;
	return false;
}

static inline void vtb_sources_born(struct vtb_rt_thread *t, const struct vtb_rt_thread *creator)
{
	VTB_EACH_SOURCE(s, born)
	s->born(t, creator);
}

#endif /* VTB_RT_SOURCE_H */
