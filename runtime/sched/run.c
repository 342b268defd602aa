/* SPDX-License-Identifier: BSD-2-Clause */
/* One run: it begins with a schedule and ends with an outcome. */
#include "base.h"
#include "scheduler.h"
#include "wake_source.h"

struct vtb_sched vtb_sched VTB_HISTORY;
static const struct vtb_source *const no_source[] = { NULL };
const struct vtb_source *const *vtb_sources = no_source;
struct vtb_catching vtb_catching;

static const void *part(const struct vtb_wire_schedule *s, uint64_t *at, uint64_t size)
{
	const void *p = (const char *)s + *at;

	*at += (size + 7) & ~7ull;
	return p;
}

static void point_at(const struct vtb_wire_schedule *s)
{
	uint64_t at = sizeof(*s);

	vtb_sched.schedule = s;
	vtb_sched.paths = part(s, &at, s->paths * sizeof(*vtb_sched.paths));
	vtb_sched.ranks = part(s, &at, s->ranks * sizeof(*vtb_sched.ranks));
	vtb_sched.deviations = part(s, &at, s->deviations * sizeof(*vtb_sched.deviations));
	vtb_sched.constraints = part(s, &at, s->constraints * sizeof(*vtb_sched.constraints));
	vtb_sched.pcs = part(s, &at, s->pcs * sizeof(*vtb_sched.pcs));
	vtb_sched.weights = part(s, &at, s->weights * sizeof(*vtb_sched.weights));
}

/* What is asked at each operation and point is worked out once. */
static void look_out(void)
{
	const struct vtb_wire_schedule *s = vtb_sched.schedule;

	vtb_sched.watched = vtb_sched.by_site || s->constraints || s->flags & (VTB_SCHED_STACKS | VTB_SCHED_STATES);
	vtb_sched.cares = vtb_sched.keeps || s->flags & VTB_SCHED_STATES || vtb_rt.options & VTB_OPT_REAL_TIME;
	vtb_sched.may_be_calm = !vtb_sched.watched && !vtb_sched.cares && vtb_rt.options & VTB_OPT_ACCESSES &&
	                        !(vtb_rt.lacks & VTB_LACKS_CALM);
	vtb_sched.calm = false;
}

static void take_schedule(const struct vtb_wire_schedule *s)
{
	size_t size;
	char *state;

	point_at(s);
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
		vtb_sched.by_site |= vtb_sched.constraints[i].before.match == VTB_MATCH_SITE ||
		                     vtb_sched.constraints[i].after.match == VTB_MATCH_SITE;
	look_out();
	vtb_schedule_begin();
}

void vtb_sched_exchange(uint32_t done)
{
	const uint64_t random = vtb_sched.random;

	take_schedule(vtb_slot_schedule(vtb_sched.slot));
	vtb_sched.random = random;
	vtb_sched.first_open = done;
	for (uint32_t i = 0; i < done; i++)
		vtb_sched.deviation_done[i] = true;
	vtb_schedule_bind();
}

void vtb_sched_sow(uint64_t was)
{
	const uint64_t drawn = vtb_sched.random - was; /* each draw adds the same to it */
	const struct vtb_wire_schedule *s = vtb_slot_schedule(vtb_sched.slot);

	point_at(s);
	look_out();
	vtb_sched.random = s->seed + drawn;
	vtb_fair_begin_run();
	if (s->flags & VTB_SCHED_OWNED)
		vtb_owned_begin_run();
}

void vtb_sched_begin(struct vtb_wire_slot *slot, uint32_t process)
{
	const struct vtb_wire_schedule *schedule = vtb_slot_schedule(slot);
	struct vtb_rt_thread *t;

	vtb_sched.slot = slot;
	vtb_sched.kernel_waits = !vtb_engine->call;
	memset(&slot->outcome, 0, sizeof(slot->outcome));
	slot->events_used = 0;
	vtb_sched.events = vtb_slot_events(slot);
	vtb_sched.stream.next = (uint64_t *)vtb_slot_events(slot);
	vtb_sched.keeps = vtb_engine->checkpoints.wanted && vtb_engine->checkpoints.wanted(schedule);
	vtb_sched.stream.end = vtb_sched.stream.next + vtb_slot_room(slot) / sizeof(uint64_t);
	take_schedule(schedule);
	vtb_sched.stem = schedule->flags & VTB_SCHED_STEM;
	vtb_fair_begin_run();
	if (schedule->flags & VTB_SCHED_OWNED)
		vtb_owned_begin_run();
	vtb_rt.mode = VTB_MODE_CONTROL;
	t = vtb_rt_thread_new(NULL);
	vtb_schedule_born(t, NULL);
	t->sched.kernel_id = (int)process;
	vtb_sched.process = process;
	vtb_rt_thread_here(t);
	vtb_sources_born(t, NULL);
	vtb_sched.running = t;
	vtb_sched.active = true;
}

/* A thread that has ended and was not joined might as well end later: what is told must not depend on it. In a
 * recording nobody asks what else could have been. */
static bool may_be_there(const struct vtb_rt_thread *other)
{
	if (other->base.state != VTB_T_ENDED || !vtb_rt_controls())
		return other->base.state == VTB_T_ALIVE;
	return !other->base.joined;
}

bool vtb_sched_alone(const struct vtb_rt_thread *t)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i] && vtb_rt.threads[i] != t && may_be_there(vtb_rt.threads[i]))
			return false;
	return true;
}

void vtb_sched_end(void)
{
	if (!vtb_sched.active)
		return;
	vtb_stretch_end();
	vtb_sched.active = vtb_sched.calm = false;
	vtb_tsc_end();
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];

		vtb_rt_count_accesses(t);
		vtb_sched_tell_pending(t);
	}
	vtb_sched.slot->outcome.points = vtb_sched.points;
	vtb_sched.slot->outcome.threads = vtb_rt.n_threads;
	if (vtb_sched.first_open < vtb_sched.schedule->deviations)
		vtb_sched.slot->outcome.flags |= VTB_OUT_DIVERGED;
	VTB_EACH_SOURCE(s, ends)
	s->ends();
	vtb_rt.mode = VTB_MODE_OFF;
}

_Noreturn void vtb_sched_quit(int status)
{
	vtb_sched_end();
	vtb_engine_leave(status);
}
