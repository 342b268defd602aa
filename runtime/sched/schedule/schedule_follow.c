/* SPDX-License-Identifier: BSD-2-Clause */
/* The schedule as the runtime follows it: which operation of which thread a deviation or a constraint means. */
#include "scheduler.h"

#define NONE UINT32_MAX

/* What the schedule says of one thread, by path. Its deviations and constraints are chained in the order of their
 * operations. */
static struct of_path {
	struct vtb_rt_thread *thread;
	uint32_t rank;                        /* place in the list, or NONE */
	uint32_t deviation, last_deviation;   /* the first one that is not behind the thread, the last one; or NONE */
	uint32_t constraint, last_constraint; /* by `after` */
} * of_path VTB_HISTORY;
static uint32_t *next_deviation VTB_HISTORY, *next_constraint VTB_HISTORY;
static uint32_t *of_fragment VTB_HISTORY; /* place in the list of each demotion, or NONE */
static uint32_t n_demotions VTB_HISTORY;
/* Operations described by their site, or not in order: look through all. */
static bool scans_deviations VTB_HISTORY, scans_constraints VTB_HISTORY;

static void chain(const struct vtb_wire_op *op, uint32_t i, uint32_t *next, uint32_t *first, uint32_t *last,
                  const struct vtb_wire_op *last_op, bool *scans)
{
	next[i] = NONE;
	if (op->match == VTB_MATCH_SITE || (last_op && last_op->index > op->index))
		*scans = true;
	*(*last == NONE ? first : &next[*last]) = i;
	*last = i;
}

static void chain_all(void)
{
	for (uint32_t i = 0; i < vtb_sched.schedule->deviations; i++) {
		const struct vtb_wire_op *op = &vtb_sched.deviations[i].after;
		struct of_path *p = &of_path[op->path];

		chain(op, i, next_deviation, &p->deviation, &p->last_deviation,
		      p->last_deviation == NONE ? NULL : &vtb_sched.deviations[p->last_deviation].after,
		      &scans_deviations);
	}
	for (uint32_t i = 0; i < vtb_sched.schedule->constraints; i++) {
		const struct vtb_wire_op *op = &vtb_sched.constraints[i].after;
		struct of_path *p = &of_path[op->path];

		chain(op, i, next_constraint, &p->constraint, &p->last_constraint,
		      p->last_constraint == NONE ? NULL : &vtb_sched.constraints[p->last_constraint].after,
		      &scans_constraints);
	}
}

static void take_ranks(void)
{
	for (uint32_t i = 0; i < vtb_sched.schedule->ranks; i++) {
		const uint32_t rank = vtb_sched.ranks[i];
		uint32_t *place = NULL;

		if (!(rank & VTB_RANK_FRAGMENT))
			place = rank < vtb_sched.schedule->paths ? &of_path[rank].rank : NULL;
		else if ((rank & ~VTB_RANK_FRAGMENT) < n_demotions)
			place = &of_fragment[rank & ~VTB_RANK_FRAGMENT];
		if (place && *place == NONE)
			*place = i;
	}
}

void vtb_schedule_begin(void)
{
	const struct vtb_wire_schedule *s = vtb_sched.schedule;
	const size_t words = (size_t)s->deviations + s->constraints;

	n_demotions = 0;
	for (uint32_t i = 0; i < s->deviations; i++)
		n_demotions += vtb_sched.deviations[i].kind == VTB_DEV_DEMOTE;
	of_path = vtb_rt_alloc_aside(s->paths * sizeof(*of_path) + (words + n_demotions) * sizeof(uint32_t));
	next_deviation = (uint32_t *)(of_path + s->paths);
	next_constraint = next_deviation + s->deviations;
	of_fragment = next_constraint + s->constraints;
	for (uint32_t i = 0; i < s->paths; i++)
		of_path[i] = (struct of_path){ NULL, NONE, NONE, NONE, NONE, NONE };
	for (uint32_t i = 0; i < n_demotions; i++)
		of_fragment[i] = NONE;
	scans_deviations = scans_constraints = false;
	chain_all();
	take_ranks();
	vtb_ready_begin(s->ranks, n_demotions);
}

/* Children mostly come in the order in which the schedule lists them. */
static uint32_t path_of(uint32_t parent, uint32_t nth)
{
	static uint32_t at VTB_HISTORY;
	const uint32_t n = vtb_sched.schedule->paths;

	for (uint32_t i = 0; i < n; i++) {
		at = at + 1 < n ? at + 1 : 0;
		if (vtb_sched.paths[at].parent == parent && (parent == VTB_NO_PATH || vtb_sched.paths[at].nth == nth))
			return at;
	}
	return VTB_NO_PATH;
}

void vtb_schedule_born(struct vtb_rt_thread *t, const struct vtb_rt_thread *parent)
{
	t->sched.path = parent && parent->sched.path == VTB_NO_PATH
	                    ? VTB_NO_PATH
	                    : path_of(parent ? parent->sched.path : VTB_NO_PATH, t->base.nth);
	t->sched.rank = vtb_sched.schedule->ranks + t->base.slot; /* not in the list: after it, in order of creation */
	if (t->sched.path == VTB_NO_PATH)
		return;
	of_path[t->sched.path].thread = t;
	if (of_path[t->sched.path].rank != NONE)
		t->sched.rank = of_path[t->sched.path].rank;
}

void vtb_schedule_bind(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];
		const uint32_t parent =
		    t->base.parent == VTB_NO_PATH ? VTB_NO_PATH : vtb_rt.threads[t->base.parent]->sched.path;

		t->sched.path =
		    t->base.parent != VTB_NO_PATH && parent == VTB_NO_PATH ? VTB_NO_PATH : path_of(parent, t->base.nth);
		if (t->sched.path != VTB_NO_PATH)
			of_path[t->sched.path].thread = t;
	}
}

uint64_t vtb_schedule_fragment(void)
{
	const uint32_t fragment = vtb_sched.fragments_used++;

	return of_fragment[fragment] != NONE
	           ? of_fragment[fragment]
	           : vtb_sched.schedule->ranks + VTB_RT_THREADS_MAX + fragment; /* not listed: after everybody */
}

struct vtb_rt_thread *vtb_schedule_thread(uint32_t path)
{
	return path == VTB_NO_PATH ? NULL : of_path[path].thread;
}

/* Does the description fit `call`, leaving the count of occurrences aside? */
static bool fits(const struct vtb_wire_op *op, const struct vtb_call *call)
{
	const uint64_t addr = (uint64_t)call->obj;

	if (op->kind && vtb_event_pending_kind(op->kind) != vtb_event_pending_kind(call->kind))
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

/* In the stem such operations are not there for the schedule. */
static bool is_left_out(const struct vtb_call *call)
{
	return vtb_sched.stem && vtb_event_in_stem(call->kind) == VTB_STEM_LEFT_OUT;
}

static void count(const struct vtb_wire_op *op, struct vtb_op_state *state, const struct vtb_rt_thread *t,
                  const struct vtb_call *call)
{
	if (op->match != VTB_MATCH_SITE || op->path != t->sched.path || !fits(op, call))
		return;
	if (++state->seen == op->occurrence)
		state->at = t->sched.ops;
}

void vtb_schedule_count(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (t->sched.path == VTB_NO_PATH || is_left_out(call))
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
	if (op->path != t->sched.path)
		return false;
	return op->match == VTB_MATCH_INDEX ? op->index == t->sched.ops : state->at && state->at == t->sched.ops;
}

static bool open_here(uint32_t i, const struct vtb_rt_thread *t, uint32_t kinds)
{
	const struct vtb_wire_deviation *d = &vtb_sched.deviations[i];

	return !vtb_sched.deviation_done[i] && (kinds >> d->kind & 1) &&
	       here(&d->after, &vtb_sched.deviation_state[i], t);
}

/* The first deviation in t's chain that it is not yet past. */
static uint32_t next_of(const struct vtb_rt_thread *t)
{
	uint32_t *first = &of_path[t->sched.path].deviation;

	while (*first != NONE &&
	       (vtb_sched.deviations[*first].after.index < t->sched.ops || vtb_sched.deviation_done[*first]))
		*first = next_deviation[*first]; /* made, or missed for good */
	return *first;
}

/* Of those in no order the nearest one. */
static uint64_t distance_by_scan(const struct vtb_rt_thread *t, uint64_t n)
{
	for (uint32_t i = vtb_sched.first_open; i < vtb_sched.schedule->deviations; i++) {
		const struct vtb_wire_op *after = &vtb_sched.deviations[i].after;

		if (vtb_sched.deviation_done[i] || after->path != t->sched.path)
			continue;
		if (after->match == VTB_MATCH_SITE)
			return 0;
		if (after->index >= t->sched.ops && after->index - t->sched.ops < n)
			n = after->index - t->sched.ops;
	}
	return n;
}

uint64_t vtb_schedule_distance(const struct vtb_rt_thread *t, uint64_t n)
{
	uint32_t i;
	uint64_t distance;

	if (t->sched.path == VTB_NO_PATH)
		return n;
	if (VTB_UNLIKELY(scans_deviations))
		return distance_by_scan(t, n);
	i = next_of(t);
	distance = i == NONE ? n : vtb_sched.deviations[i].after.index - t->sched.ops;
	return distance < n ? distance : n;
}

const struct vtb_wire_deviation *vtb_schedule_deviation(const struct vtb_rt_thread *t, uint32_t kinds)
{
	uint32_t i;

	if (t->sched.path == VTB_NO_PATH)
		return NULL;
	if (VTB_UNLIKELY(scans_deviations)) {
		for (i = vtb_sched.first_open; i < vtb_sched.schedule->deviations; i++)
			if (open_here(i, t, kinds))
				return &vtb_sched.deviations[i];
		return NULL;
	}
	for (i = next_of(t); i != NONE && vtb_sched.deviations[i].after.index == t->sched.ops; i = next_deviation[i])
		if (open_here(i, t, kinds))
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
	return t && t->sched.ops >= op->index;
}

/* Is the operation that t is at the one described? */
static bool is_next(const struct vtb_wire_op *op, const struct vtb_op_state *state, const struct vtb_rt_thread *t)
{
	if (op->path != t->sched.path)
		return false;
	if (op->match == VTB_MATCH_INDEX)
		return op->index == t->sched.ops + 1;
	return state->seen + 1 == op->occurrence && t->sched.call && fits(op, t->sched.call) &&
	       !is_left_out(t->sched.call);
}

static bool has_ended(uint32_t path)
{
	const struct vtb_rt_thread *t = vtb_schedule_thread(path);

	return t && t->base.state != VTB_T_ALIVE;
}

static bool keeps_back(uint32_t i, const struct vtb_rt_thread *t)
{
	const struct vtb_wire_constraint *c = &vtb_sched.constraints[i];
	const struct vtb_op_state *state = &vtb_sched.constraint_state[2 * i];

	return is_next(&c->after, state + 1, t) && !done(&c->before, state) &&
	       !(c->before.lapses && has_ended(c->before.path));
}

bool vtb_schedule_allows(const struct vtb_rt_thread *t)
{
	uint32_t *first, i;

	if (t->sched.path == VTB_NO_PATH)
		return true;
	if (VTB_UNLIKELY(scans_constraints)) {
		for (i = 0; i < vtb_sched.schedule->constraints; i++)
			if (keeps_back(i, t))
				return false;
		return true;
	}
	first = &of_path[t->sched.path].constraint;
	while (*first != NONE && vtb_sched.constraints[*first].after.index <= t->sched.ops)
		*first = next_constraint[*first];
	for (i = *first; i != NONE && vtb_sched.constraints[i].after.index == t->sched.ops + 1; i = next_constraint[i])
		if (keeps_back(i, t))
			return false;
	return true;
}

bool vtb_schedule_blocks(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state == VTB_T_ALIVE && t->sched.call && !vtb_schedule_allows(t))
			return true;
	}
	return false;
}
