/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/profile.h"

#include <string.h>

#include "held.h"
#include "location.h"
#include "vtb/array.h"
#include "vtb/syncorder.h"

/* A row while it is being counted; sets by id. */
struct row {
	uint64_t reads, writes, atomics;
	uint32_t readers, writers, threads;       /* sets of threads */
	uint32_t read_locks, write_locks;         /* of accesses that could meet another thread's */
	bool any_read, any_write;
	bool sync, contended;
	uint32_t spans;                           /* first span, or NO_SPAN */
	uint32_t asked_thread, asked_segment;     /* the last question of could_meet() and its answer */
	bool asked, met;
	uint32_t first_site, last_site, first_thread, last_thread;
};

#define NO_SPAN UINT32_MAX

/* From where to where in the trace a thread touches a variable. */
struct span {
	size_t first, last; /* events */
	uint32_t thread;
	uint32_t next;      /* of the same variable */
};

struct counting {
	const struct vtb_trace *trace;
	struct row *rows; /* by variable id */
	struct sets *sets;
	struct held held;
	struct span *spans;
	size_t n_spans, cap_spans;
	struct map by_pair;  /* (variable, thread) -> span */
	struct vtb_orderindex *forced; /* orders by creation and join alone */
	uint32_t *segments;  /* by thread: creations, joins and the like so far; in between nothing changes */
};

static int note_thread(struct sets *sets, uint32_t *set, uint32_t thread)
{
	int64_t id;

	if (sets_count(sets, *set) >= VTB_PROFILE_THREADS_MAX || sets_has(sets, *set, thread)) /* nearly always; cheaper than to look up what adding it gives */
		return 0;
	id = sets_add(sets, *set, thread);
	if (id >= 0)
		*set = (uint32_t)id;
	return id < 0 ? (int)id : 0;
}

/* Narrow *locks to those also in `held`; the first time they are all of `held`. */
static int narrow(struct sets *sets, uint32_t *locks, bool *any, uint32_t held)
{
	const int64_t id = *any ? sets_meet(sets, *locks, held) : held;

	*any = true;
	if (id >= 0)
		*locks = (uint32_t)id;
	return id < 0 ? (int)id : 0;
}

/* Can creation and join alone let an access of this thread, here, meet one of another thread? */
static bool ask_could_meet(const struct counting *c, const struct row *row, uint32_t thread, size_t i)
{
	for (uint32_t k = row->spans; k != NO_SPAN; k = c->spans[k].next) {
		const struct span *other = &c->spans[k];

		if (other->thread == thread || vtb_orderindex_compare(c->forced, i, other->first) == VTB_BEFORE)
			continue;
		if (vtb_orderindex_compare(c->forced, i, other->last) != VTB_AFTER)
			return true;
	}
	return false;
}

static bool could_meet(struct counting *c, struct row *row, const struct vtb_event *e, size_t i)
{
	if (!row->asked || row->asked_thread != e->thread || row->asked_segment != c->segments[e->thread]) {
		row->met = ask_could_meet(c, row, e->thread, i);
		row->asked = true;
		row->asked_thread = e->thread;
		row->asked_segment = c->segments[e->thread];
	}
	return row->met;
}

static int count_locks(struct counting *c, struct row *row, const struct vtb_event *e, uint32_t flags)
{
	const struct held_thread *held = held_by(&c->held, e->thread);
	int r = 0;

	if (flags & VTB_EV_READS)
		r = narrow(c->sets, &row->read_locks, &row->any_read, held->all);
	if (r >= 0 && flags & VTB_EV_WRITES)
		r = narrow(c->sets, &row->write_locks, &row->any_write, held->exclusive);
	row->contended |= !!(flags & VTB_EV_WRITES);
	return r;
}

static int count_threads(struct counting *c, struct row *row, const struct vtb_event *e, uint32_t flags)
{
	if (note_thread(c->sets, &row->threads, e->thread) < 0)
		return -ENOMEM;
	if (flags & VTB_EV_READS && note_thread(c->sets, &row->readers, e->thread) < 0)
		return -ENOMEM;
	return flags & VTB_EV_WRITES ? note_thread(c->sets, &row->writers, e->thread) : 0;
}

static int count_access(struct counting *c, struct row *row, const struct vtb_event *e, size_t i, const struct vtb_event_info *info)
{
	const uint32_t flags = info->flags;
	const bool first = !row->threads;

	row->reads += !!(flags & VTB_EV_READS);
	row->writes += !!(flags & VTB_EV_WRITES);
	row->atomics += info->family == VTB_FAMILY_ATOMIC;
	row->sync = !is_data(info) && e->kind != VTB_E_FREE;
	if (count_threads(c, row, e, flags) < 0)
		return -ENOMEM;
	if (first) {
		row->first_site = e->site;
		row->first_thread = e->thread;
	}
	row->last_site = e->site;
	row->last_thread = e->thread;
	return row->sync || !could_meet(c, row, e, i) ? 0 : count_locks(c, row, e, flags);
}

static int count_event(struct counting *c, struct vtb_profile *profile, const struct vtb_trace *trace, size_t i)
{
	const struct vtb_event *e = &trace->events[i];
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	if (info && info->family == VTB_FAMILY_THREAD)
		c->segments[e->thread]++;

	if (!info || held_feed(&c->held, e, i) < 0)
		return info ? -ENOMEM : 0;
	if (!(info->flags & (VTB_EV_READS | VTB_EV_WRITES)))
		return 0;
	if (is_data(info)) {
		profile->accesses++;
		profile->unnamed += e->var == VTB_NONE;
		profile->unknown += !!(e->flags & VTB_EVF_ADDR_UNKNOWN);
	}
	return e->var < trace->tab.n_variables ? count_access(c, &c->rows[e->var], e, i, info) : 0;
}

/* ---- first, from where to where each thread touches each variable */

static int note_span(struct counting *c, const struct vtb_event *e, size_t i)
{
	struct row *row = &c->rows[e->var];
	const uint32_t fresh = (uint32_t)c->n_spans;
	uint32_t *at;

	if (row->spans != NO_SPAN && c->spans[row->spans].thread == e->thread) {
		c->spans[row->spans].last = i;
		return 0;
	}
	at = map_put(&c->by_pair, (uint64_t)e->var << 16 | e->thread, fresh);
	if (!at)
		return -ENOMEM;
	if (*at == fresh) {
		if (vtb_array_room(c, spans) < 0)
			return -ENOMEM;
		c->spans[c->n_spans++] = (struct span){ .first = i, .thread = e->thread, .next = row->spans };
		row->spans = fresh;
	}
	c->spans[*at].last = i;
	return 0;
}

static int find_spans(struct counting *c)
{
	const size_t variables = c->trace->tab.n_variables;
	int r = 0;

	for (size_t var = 0; var < variables; var++)
		c->rows[var].spans = NO_SPAN;
	for (size_t i = 0; r >= 0 && i < c->trace->n_events; i++) {
		const struct vtb_event *e = &c->trace->events[i];

		if ((e->kind <= VTB_E_FENCE || e->kind == VTB_E_FREE) && e->var < variables)
			r = note_span(c, e, i);
	}
	map_fini(&c->by_pair);
	return r < 0 ? r : vtb_orderindex_new(c->trace, VTB_SYNCORDER_THREADS_ONLY, &c->forced);
}

/* ---- rows that were touched, as the caller sees them */

static struct vtb_idset idset(const struct sets *sets, uint32_t set)
{
	struct vtb_idset ids;

	ids.ids = sets_members(sets, set, &ids.n);
	return ids;
}

static struct vtb_profile_var present(const struct sets *sets, uint32_t var, const struct row *row)
{
	const bool shared = sets_count(sets, row->threads) > 1;

	return (struct vtb_profile_var){
		.var = var,
		.sync = row->sync,
		.shared = shared,
		.contended = row->contended,
		.reads = row->reads,
		.writes = row->writes,
		.atomics = row->atomics,
		.readers = idset(sets, row->readers),
		.writers = idset(sets, row->writers),
		.threads = idset(sets, row->threads),
		.read_locks = idset(sets, row->read_locks),
		.write_locks = idset(sets, row->write_locks),
		.first_site = row->first_site,
		.last_site = row->last_site,
		.first_thread = row->first_thread,
		.last_thread = row->last_thread,
	};
}

static int by_flag(bool a, bool b)
{
	return a == b ? 0 : a ? -1 : 1; /* those that have it come first */
}

static bool unprotected(const struct vtb_profile_var *v)
{
	return v->contended && ((v->reads && !v->read_locks.n) || (v->writes && !v->write_locks.n)) && v->atomics < v->reads + v->writes;
}

static int compare(const void *x, const void *y, void *tab)
{
	const struct vtb_profile_var *a = x, *b = y;
	const uint64_t m = a->reads + a->writes, n = b->reads + b->writes;
	int r = by_flag(!a->sync, !b->sync);

	if (!r)
		r = by_flag(a->contended, b->contended);
	if (!r)
		r = by_flag(a->shared, b->shared);
	if (!r)
		r = by_flag(unprotected(a), unprotected(b));
	if (!r)
		r = m < n ? -1 : m > n;
	if (!r)
		r = strcmp(vtb_variable_name(tab, a->var), vtb_variable_name(tab, b->var));
	return r ? r : a->var < b->var ? -1 : a->var > b->var;
}

static int collect(const struct counting *c, const struct vtb_trace *trace, struct vtb_profile *profile)
{
	for (size_t var = 0; var < trace->tab.n_variables; var++) {
		if (!c->rows[var].threads)
			continue;
		if (vtb_array_room(profile, vars) < 0)
			return -ENOMEM;
		profile->vars[profile->n_vars++] = present(c->sets, (uint32_t)var, &c->rows[var]);
	}
	if (profile->n_vars)
		qsort_r(profile->vars, profile->n_vars, sizeof(*profile->vars), compare, (void *)(uintptr_t)&trace->tab);
	return 0;
}

int vtb_profile_of(const struct vtb_trace *trace, struct vtb_profile *ret)
{
	struct vtb_profile profile = { .sets = calloc(1, sizeof(*profile.sets)) };
	struct counting c = { .trace = trace, .sets = profile.sets };
	int r;

	c.rows = calloc(trace->tab.n_variables + 1, sizeof(*c.rows));
	c.segments = calloc(UINT16_MAX + 1u, sizeof(*c.segments));
	c.held.sets = c.sets;
	r = c.rows && c.segments && c.sets ? sets_init(c.sets) : -ENOMEM;
	if (r >= 0)
		r = find_spans(&c);
	for (size_t i = 0; i < trace->n_events && r >= 0; i++)
		r = count_event(&c, &profile, trace, i);
	if (r >= 0)
		r = collect(&c, trace, &profile);
	held_fini(&c.held);
	map_fini(&c.by_pair);
	vtb_orderindex_free(c.forced);
	free(c.rows);
	free(c.spans);
	free(c.segments);
	if (r < 0)
		vtb_profile_fini(&profile);
	else
		*ret = profile;
	return r < 0 ? r : 0;
}

void vtb_profile_fini(struct vtb_profile *profile)
{
	free(profile->vars);
	if (profile->sets)
		sets_fini(profile->sets);
	free(profile->sets);
	*profile = (struct vtb_profile){ 0 };
}

const struct vtb_profile_var *vtb_profile_find(const struct vtb_profile *profile, uint32_t var)
{
	for (size_t i = 0; i < profile->n_vars; i++)
		if (profile->vars[i].var == var)
			return &profile->vars[i];
	return NULL;
}
