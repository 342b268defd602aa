/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass. Whether an access could meet another thread's depends on what the others touch later, so accesses are put
 * together: those of one thread to one variable between two creations, joins and the like of that thread are alike in
 * this. What locks they had in common is kept, and asked for at the end.
 *
 *      variable ── row ──► spans, one a thread: first and last access ──► groups, one a segment of the thread: locks
 */
#include "vtb/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "held.h"
#include "location.h"
#include "orderfacts.h"
#include "vtb/array.h"

#define NOTHING UINT32_MAX

/* A row while it is being counted; sets by id. */
struct row {
	uint64_t reads, writes, atomics;
	uint32_t readers, writers, threads; /* sets of threads */
	uint32_t read_locks, write_locks;   /* of accesses that could meet another thread's */
	bool any_read, any_write;
	bool sync, contended;
	uint32_t spans;  /* NOTHING: none */
	uint32_t recent; /* the one asked for last */
	uint32_t first_site, last_site, first_thread, last_thread;
};

/* What a thread does to a variable. */
struct span {
	uint32_t first, last; /* numbers of its accesses in the thread; 0: it only synchronised on it */
	uint32_t thread;
	uint32_t next;   /* of the same variable */
	uint32_t groups; /* the last comes first */
	uint8_t done;    /* VTB_EV_READS, VTB_EV_WRITES: noted in the row's sets */
};

/* The accesses of a span in one segment of its thread. */
struct group {
	uint32_t at; /* number of the first */
	uint32_t segment;
	uint32_t all, exclusive; /* locks held at the last access, by which nothing is narrowed twice */
	uint32_t read_locks, write_locks;
	uint32_t next;
	bool any_read, any_write;
};

struct vtb_profiler {
	const struct vtb_symtab *tab;
	struct row *rows; /* by variable id */
	struct sets *sets;
	struct held held;
	struct span *spans;
	size_t n_spans, cap_spans;
	struct group *groups;
	size_t n_groups, cap_groups;
	struct vtb_map64 by_pair;  /* (variable, thread) -> span */
	struct orderfacts *forced; /* orders by creation and join alone */
	uint32_t *segments;        /* by thread: creations, joins and the like so far; in between nothing changes */
	struct vtb_profile profile;
};

static int note_thread(struct sets *sets, uint32_t *set, uint32_t thread)
{
	int64_t id;

	if (sets_count(sets, *set) >= VTB_PROFILE_THREADS_MAX)
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

/* ---- an access */

static int64_t other_span(struct vtb_profiler *p, struct row *row, const struct vtb_event *e)
{
	const uint32_t fresh = (uint32_t)p->n_spans;
	const uint64_t *at = vtb_map64_put(&p->by_pair, (uint64_t)e->var << 16 | e->thread, fresh);

	if (!at)
		return -ENOMEM;
	if (*at != fresh)
		return *at;
	if (vtb_array_room(p, spans) < 0 || note_thread(p->sets, &row->threads, e->thread) < 0)
		return -ENOMEM;
	p->spans[p->n_spans++] = (struct span){ .thread = e->thread, .next = row->spans, .groups = NOTHING };
	row->spans = fresh;
	return fresh;
}

/* The thread's span of the variable. */
static struct span *span_of(struct vtb_profiler *p, struct row *row, const struct vtb_event *e)
{
	int64_t at = row->recent;

	if (at == NOTHING || p->spans[at].thread != e->thread)
		at = other_span(p, row, e);
	if (at < 0)
		return NULL;
	row->recent = (uint32_t)at;
	return &p->spans[at];
}

static int note_use(struct vtb_profiler *p, struct row *row, struct span *span, uint32_t flags)
{
	const uint32_t news = flags & (VTB_EV_READS | VTB_EV_WRITES) & ~(uint32_t)span->done;

	span->done |= (uint8_t)news;
	if (news & VTB_EV_READS && note_thread(p->sets, &row->readers, span->thread) < 0)
		return -ENOMEM;
	return news & VTB_EV_WRITES ? note_thread(p->sets, &row->writers, span->thread) : 0;
}

static struct group *group_of(struct vtb_profiler *p, struct span *span, uint32_t number)
{
	const uint32_t segment = p->segments[span->thread];

	if (span->groups != NOTHING && p->groups[span->groups].segment == segment)
		return &p->groups[span->groups];
	if (vtb_array_room(p, groups) < 0)
		return NULL;
	p->groups[p->n_groups] = (struct group){ .at = number, .segment = segment, .next = span->groups };
	span->groups = (uint32_t)p->n_groups++;
	return &p->groups[span->groups];
}

/* Under which locks it was done, should it count. */
static int note_locks(struct vtb_profiler *p, struct span *span, uint32_t number, uint32_t flags)
{
	const struct held_thread *held = held_by(&p->held, span->thread);
	struct group *g = group_of(p, span, number);
	int r = 0;

	if (!g)
		return -ENOMEM;
	if (flags & VTB_EV_READS && (!g->any_read || g->all != held->all))
		r = narrow(p->sets, &g->read_locks, &g->any_read, held->all);
	if (r >= 0 && flags & VTB_EV_WRITES && (!g->any_write || g->exclusive != held->exclusive))
		r = narrow(p->sets, &g->write_locks, &g->any_write, held->exclusive);
	if (flags & VTB_EV_READS)
		g->all = held->all;
	if (flags & VTB_EV_WRITES)
		g->exclusive = held->exclusive;
	return r;
}

static int count_access(struct vtb_profiler *p, struct row *row, const struct vtb_event *e, uint32_t number,
                        const struct vtb_event_info *info)
{
	struct span *span = span_of(p, row, e);
	const uint32_t flags = info->flags;

	if (!span || (~span->done & flags & (VTB_EV_READS | VTB_EV_WRITES) && note_use(p, row, span, flags) < 0))
		return -ENOMEM;
	if (!row->reads && !row->writes) {
		row->first_site = e->site;
		row->first_thread = e->thread;
	}
	row->reads += !!(flags & VTB_EV_READS);
	row->writes += !!(flags & VTB_EV_WRITES);
	row->atomics += info->family == VTB_FAMILY_ATOMIC;
	row->sync = !is_data(info) && e->kind != VTB_E_FREE;
	row->last_site = e->site;
	row->last_thread = e->thread;
	if (row->sync)
		return 0;
	span->first = span->first ? span->first : number;
	span->last = number;
	return note_locks(p, span, number, flags);
}

static int count_event(struct vtb_profiler *p, const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	int64_t number;

	if (!info)
		return 0;
	number = orderfacts_feed(p->forced, e);
	if (info->family == VTB_FAMILY_THREAD)
		p->segments[e->thread]++;
	if (number < 0 || held_feed(&p->held, e, 0) < 0)
		return -ENOMEM;
	if (!(info->flags & (VTB_EV_READS | VTB_EV_WRITES)))
		return 0;
	if (is_data(info)) {
		p->profile.accesses++;
		p->profile.unnamed += e->var == VTB_NONE;
		p->profile.unknown += !!(e->flags & VTB_EVF_ADDR_UNKNOWN);
	}
	return e->var < p->tab->n_variables ? count_access(p, &p->rows[e->var], e, (uint32_t)number, info) : 0;
}

int vtb_profiler_feed(struct vtb_profiler *p, const struct vtb_event *events, size_t n)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++)
		r = count_event(p, &events[i]);
	return r < 0 ? r : 0;
}

/* ---- at the end: which of them could meet another thread's? */

/* Can creation and join alone let an access of this thread, here, meet one of another thread? */
static bool could_meet(const struct vtb_profiler *p, const struct row *row, uint32_t thread, uint32_t number)
{
	for (uint32_t k = row->spans; k != NOTHING; k = p->spans[k].next) {
		const struct span *other = &p->spans[k];

		if (other->thread == thread || !other->first ||
		    orderfacts_before(p->forced, thread, number, other->thread, other->first))
			continue;
		if (!orderfacts_before(p->forced, other->thread, other->last, thread, number))
			return true;
	}
	return false;
}

static int count_group(struct vtb_profiler *p, struct row *row, const struct group *g)
{
	int r = g->any_read ? narrow(p->sets, &row->read_locks, &row->any_read, g->read_locks) : 0;

	if (r >= 0 && g->any_write)
		r = narrow(p->sets, &row->write_locks, &row->any_write, g->write_locks);
	row->contended |= g->any_write;
	return r;
}

static int count_groups(struct vtb_profiler *p, struct row *row)
{
	int r = 0;

	for (uint32_t k = row->spans; r >= 0 && k != NOTHING; k = p->spans[k].next)
		for (uint32_t g = p->spans[k].groups; r >= 0 && g != NOTHING; g = p->groups[g].next)
			if (could_meet(p, row, p->spans[k].thread, p->groups[g].at))
				r = count_group(p, row, &p->groups[g]);
	return r;
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
	return v->contended && ((v->reads && !v->read_locks.n) || (v->writes && !v->write_locks.n)) &&
	       v->atomics < v->reads + v->writes;
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

static int collect(struct vtb_profiler *p)
{
	struct vtb_profile *profile = &p->profile;

	for (size_t var = 0; var < p->tab->n_variables; var++) {
		if (!p->rows[var].threads)
			continue;
		if (vtb_array_room(profile, vars) < 0 || count_groups(p, &p->rows[var]) < 0)
			return -ENOMEM;
		profile->vars[profile->n_vars++] = (struct vtb_profile_var){ .var = (uint32_t)var };
	}
	for (size_t i = 0; i < profile->n_vars; i++) /* sets may not grow any more: their members are borrowed */
		profile->vars[i] = present(p->sets, profile->vars[i].var, &p->rows[profile->vars[i].var]);
	if (profile->n_vars)
		qsort_r(profile->vars, profile->n_vars, sizeof(*profile->vars), compare, (void *)(uintptr_t)p->tab);
	return 0;
}

void vtb_profiler_free(struct vtb_profiler *p)
{
	if (!p)
		return;
	vtb_profile_fini(&p->profile);
	held_fini(&p->held);
	vtb_map64_fini(&p->by_pair);
	orderfacts_free(p->forced);
	free(p->rows);
	free(p->spans);
	free(p->groups);
	free(p->segments);
	free(p);
}

int vtb_profiler_new(const struct vtb_symtab *tab, struct vtb_profiler **ret)
{
	struct vtb_profiler *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return -ENOMEM;
	p->tab = tab;
	p->profile.sets = p->sets = p->held.sets = calloc(1, sizeof(*p->sets));
	p->rows = calloc(tab->n_variables + 1, sizeof(*p->rows));
	p->segments = calloc(UINT16_MAX + 1u, sizeof(*p->segments));
	for (size_t var = 0; p->rows && var < tab->n_variables; var++)
		p->rows[var].spans = p->rows[var].recent = NOTHING;
	r = p->rows && p->segments && p->sets ? sets_init(p->sets) : -ENOMEM;
	if (r >= 0)
		r = orderfacts_new(tab, VTB_SYNCORDER_THREADS_ONLY, &p->forced);
	if (r < 0)
		vtb_profiler_free(p);
	else
		*ret = p;
	return r < 0 ? r : 0;
}

int vtb_profiler_end(struct vtb_profiler *p, struct vtb_profile *ret)
{
	const int r = collect(p);

	if (r < 0)
		return r;
	*ret = p->profile;
	p->profile = (struct vtb_profile){ 0 };
	return 0;
}

int vtb_profile_of(const struct vtb_trace *trace, struct vtb_profile *ret)
{
	struct vtb_profiler *p;
	int r = vtb_profiler_new(&trace->tab, &p);

	if (r < 0)
		return r;
	r = vtb_profiler_feed(p, trace->events, trace->n_events);
	if (r >= 0)
		r = vtb_profiler_end(p, ret);
	vtb_profiler_free(p);
	return r;
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
