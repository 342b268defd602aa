/* SPDX-License-Identifier: BSD-2-Clause */
/* The schedule as the runtime follows it: which operation of which thread a deviation or a constraint means. */
#include "scheduler.h"

/* Ranks: position in the schedule's list first, threads not in it after, in creation order. */
#define UNRANKED (1ull << 32)

uint32_t vtb_schedule_path(uint32_t parent, uint32_t nth)
{
	for (uint32_t i = 0; i < vtb_sched.schedule->paths; i++)
		if (vtb_sched.paths[i].parent == parent && (parent == VTB_NO_PATH || vtb_sched.paths[i].nth == nth))
			return i;
	return VTB_NO_PATH;
}

uint64_t vtb_schedule_rank(const struct vtb_rt_thread *t)
{
	for (uint32_t i = 0; t->path != VTB_NO_PATH && i < vtb_sched.schedule->ranks; i++)
		if (vtb_sched.ranks[i] == t->path)
			return i;
	return UNRANKED + t->slot;
}

uint64_t vtb_schedule_fragment(void)
{
	const uint32_t fragment = vtb_sched.fragments_used++;

	for (uint32_t i = 0; i < vtb_sched.schedule->ranks; i++)
		if (vtb_sched.ranks[i] == (fragment | VTB_RANK_FRAGMENT))
			return i;
	return 2 * UNRANKED + fragment; /* not listed: after everybody */
}

struct vtb_rt_thread *vtb_schedule_thread(uint32_t path)
{
	if (path == VTB_NO_PATH)
		return NULL;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i]->path == path)
			return vtb_rt.threads[i];
	return NULL;
}

/* Does the description fit `call`, leaving the count of occurrences aside? */
static bool fits(const struct vtb_wire_op *op, const struct vtb_call *call)
{
	const uint64_t addr = (uint64_t)call->obj;

	if (op->kind && op->kind != call->kind)
		return false;
	if (op->addr_hi && (addr < op->addr_lo || addr >= op->addr_hi))
		return false;
	if (!op->pcs_count)
		return true;
	for (uint32_t i = 0; i < op->pcs_count; i++)
		if (vtb_sched.pcs[op->pcs_first + i] == call->pc)
			return true;
	return false;
}

static void count(const struct vtb_wire_op *op, struct vtb_op_state *state, const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (op->match != VTB_MATCH_SITE || op->path != t->path || !fits(op, call))
		return;
	if (++state->seen == op->occurrence)
		state->at = t->ops;
}

void vtb_schedule_count(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (!vtb_sched.by_site || t->path == VTB_NO_PATH)
		return;
	for (uint32_t i = 0; i < vtb_sched.schedule->deviations; i++)
		count(&vtb_sched.deviations[i].after, &vtb_sched.deviation_state[i], t, call);
	for (uint32_t i = 0; i < vtb_sched.schedule->constraints; i++) {
		count(&vtb_sched.constraints[i].before, &vtb_sched.constraint_state[2 * i], t, call);
		count(&vtb_sched.constraints[i].after, &vtb_sched.constraint_state[2 * i + 1], t, call);
	}
}

/* Is thread t's present point the one after `op`? */
static bool here(const struct vtb_wire_op *op, const struct vtb_op_state *state, const struct vtb_rt_thread *t)
{
	if (op->path != t->path)
		return false;
	return op->match == VTB_MATCH_INDEX ? op->index == t->ops : state->at && state->at == t->ops;
}

const struct vtb_wire_deviation *vtb_schedule_deviation(const struct vtb_rt_thread *t, uint32_t kinds)
{
	if (t->path == VTB_NO_PATH)
		return NULL;
	for (uint32_t i = vtb_sched.first_open; i < vtb_sched.schedule->deviations; i++)
		if (!vtb_sched.deviation_done[i] && (kinds >> vtb_sched.deviations[i].kind & 1) && here(&vtb_sched.deviations[i].after, &vtb_sched.deviation_state[i], t))
			return &vtb_sched.deviations[i];
	return NULL;
}

void vtb_schedule_deviated(const struct vtb_wire_deviation *d, bool made)
{
	vtb_sched.deviation_done[d - vtb_sched.deviations] = true;
	if (made)
		vtb_sched.slot->outcome.deviations_done++;
	else
		vtb_sched.slot->outcome.flags |= VTB_OUT_DIVERGED;
	while (vtb_sched.first_open < vtb_sched.schedule->deviations && vtb_sched.deviation_done[vtb_sched.first_open])
		vtb_sched.first_open++;
}

static bool done(const struct vtb_wire_op *op, const struct vtb_op_state *state)
{
	const struct vtb_rt_thread *t;

	if (op->match == VTB_MATCH_SITE)
		return state->seen >= op->occurrence;
	t = vtb_schedule_thread(op->path);
	return t && t->ops >= op->index;
}

/* Is the operation that t is at the one described? */
static bool is_next(const struct vtb_wire_op *op, const struct vtb_op_state *state, const struct vtb_rt_thread *t)
{
	if (op->path != t->path)
		return false;
	if (op->match == VTB_MATCH_INDEX)
		return op->index == t->ops + 1;
	return state->seen + 1 == op->occurrence && t->call && fits(op, t->call);
}

bool vtb_schedule_allows(const struct vtb_rt_thread *t)
{
	if (t->path == VTB_NO_PATH)
		return true;
	for (uint32_t i = 0; i < vtb_sched.schedule->constraints; i++) {
		const struct vtb_wire_constraint *c = &vtb_sched.constraints[i];
		const struct vtb_op_state *state = &vtb_sched.constraint_state[2 * i];

		if (is_next(&c->after, state + 1, t) && !done(&c->before, state))
			return false;
	}
	return true;
}
