/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pctvb_draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/coverage.h"
#include "vtb/rng.h"

int vtb_pctvb_begin(const struct vtb_space *space, enum vtb_pct_order order, uint64_t salt, void **ret_state)
{
	struct vtb_pctvb *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->space = space;
	p->order = order;
	p->rng = vtb_mix64(space->opts->seed + salt);
	p->d = 1 + vtb_pct_changes(space->opts);
	p->v = space->opts->v < VTB_PCTVB_V_MAX ? space->opts->v : VTB_PCTVB_V_MAX;
	p->v = p->v < p->d - 1 ? p->v : p->d - 1;
	vtb_chance_draw_init(&p->chances, space->opts->seed);
	*ret_state = p;
	return 0;
}

/* ---- what the runs have shown */

static uint64_t key_of(const struct vtb_symtab *tab, uint32_t var)
{
	const uint32_t object = var < tab->n_variables ? tab->variables[var].object : VTB_NONE;

	if (object < tab->n_objects && tab->objects[object].kind == VTB_OBJ_HEAP &&
	    tab->objects[object].site != VTB_NONE)
		return 1ull << 32 | tab->objects[object].site;
	return var;
}

static int64_t group_of(struct vtb_pctvb *p, uint32_t var, uint32_t thread)
{
	uint64_t *met;
	int r;

	if (var == VTB_NONE)
		return -1;
	r = vtb_bounded_map_add(&p->numbers, key_of(p->space->tab, var) + 1, p->n_groups, &met);
	if (r < 0)
		return -2;
	if (met)
		return (int64_t)*met;
	if (vtb_array_room(p, groups) < 0)
		return -2;
	p->groups[p->n_groups] = (struct vtb_pctvb_group){ .key = key_of(p->space->tab, var), .thread = thread };
	return (int64_t)p->n_groups++;
}

static int count_accesses(struct vtb_pctvb *p, const struct vtb_exec *x)
{
	for (size_t i = 0; i < p->n_groups; i++)
		p->groups[i].now = 0;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const int64_t g = vtb_event_is_operation(e) ? group_of(p, e->var, e->thread) : -1;

		if (g < -1)
			return -ENOMEM;
		if (g < 0)
			continue;
		p->groups[g].now++;
		if (p->groups[g].thread == e->thread || p->groups[g].shared)
			continue;
		if (vtb_array_room(p, shared) < 0)
			return -ENOMEM;
		p->groups[g].shared = true;
		p->shared[p->n_shared++] = (uint32_t)g;
		p->valid = 0;
	}
	return 0;
}

static int take_points(struct vtb_pctvb *p, const struct vtb_exec *x)
{
	for (size_t i = 0; i < p->n_done; i++)
		p->done[i] = 0;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		int64_t g;

		if (!vtb_event_is_operation(e))
			continue;
		if (vtb_array_extend(p, done, e->thread + 1u, 0) < 0)
			return -ENOMEM;
		p->done[e->thread]++;
		g = group_of(p, e->var, e->thread);
		if (g < 0 || p->groups[g].now != UINT32_MAX)
			continue;
		if (vtb_array_room(&p->groups[g], points) < 0)
			return -ENOMEM;
		p->groups[g].points[p->groups[g].n_points++] = (struct vtb_pct_point){ e->thread, p->done[e->thread] };
	}
	return 0;
}

/* The first run of an epoch: what the others are made from. */
static int take_past(struct vtb_pctvb *p, const struct vtb_exec *x)
{
	vtb_past_clear(&p->past);
	for (uint32_t i = 0; i < p->n_drawn; i++)
		if (p->groups[p->shared[i]].now < p->groups[p->shared[i]].n_points) {
			p->epoch = 0;
			return 0;
		}
	for (uint32_t i = 0; i < p->n_drawn; i++) { /* where they are in this run */
		p->groups[p->shared[i]].now = UINT32_MAX;
		p->groups[p->shared[i]].n_points = 0;
	}
	for (size_t i = 0; i < x->n_events; i++) {
		if (!vtb_event_is_operation(&x->events[i]))
			continue;
		if (vtb_past_add(&p->past, &x->events[i]) < 0)
			return -ENOMEM;
	}
	return 1;
}

/* The most that runs have shown. True if this one has shown more of some variable. */
static bool raise_counts(struct vtb_pctvb *p, bool partial)
{
	bool grown = false;

	for (size_t i = 0; i < p->n_groups; i++) {
		struct vtb_pctvb_group *g = &p->groups[i];

		if (g->now <= g->most && (partial || g->now <= g->n_points))
			continue;
		p->valid = g->now > g->most ? 0 : p->valid;
		g->most = g->now > g->most ? g->now : g->most;
		grown = true;
		if (partial)
			continue;
		g->now = UINT32_MAX; /* to be taken from this run */
		g->n_points = 0;
	}
	return grown;
}

int vtb_pctvb_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct vtb_pctvb *p = state;
	int r = count_accesses(p, x);
	bool grown = r >= 0 && raise_counts(p, x->partial);

	(void)new_class;
	if (p->profiling && r >= 0) {
		p->profiling = false;
		r = take_past(p, x);
		grown |= r > 0;
	} else if (x->partial && grown) {
		p->epoch = 0; /* its first run was not like the others */
	}
	if (r >= 0 && grown && !x->partial)
		r = take_points(p, x);
	return r < 0 ? r : vtb_chance_draw_learn(&p->chances, ticket, x);
}

/* ---- drawing */

/* The first v of p->shared become a random subset. */
static void draw_variables(struct vtb_pctvb *p)
{
	p->n_drawn = p->v < p->n_shared ? p->v : (uint32_t)p->n_shared;
	for (uint32_t i = 0; i < p->n_drawn; i++) {
		const size_t j = i + (size_t)vtb_rng_below(&p->rng, p->n_shared - i);
		const uint32_t x = p->shared[i];

		p->shared[i] = p->shared[j];
		p->shared[j] = x;
	}
}

static struct vtb_pct_point draw_point(void *state)
{
	struct vtb_pctvb *p = state;
	const uint32_t n = p->space->coverage->n_threads;
	uint64_t sum = n, k;

	for (uint32_t i = 0; i < p->n_drawn; i++)
		sum += p->groups[p->shared[i]].n_points;
	k = vtb_rng_below(&p->rng, sum);
	for (uint32_t i = 0; k >= n && i < p->n_drawn; i++) {
		const struct vtb_pctvb_group *g = &p->groups[p->shared[i]];

		if (k - n < g->n_points)
			return g->points[k - n];
		k -= g->n_points;
	}
	return (struct vtb_pct_point){ (uint32_t)k, 0 };
}

static void offer(struct vtb_pctvb *p, struct vtb_plan *plan)
{
	if (!p->epoch || vtb_past_is_empty(&p->past))
		return;
	plan->past = &p->past;
	plan->n_vars = p->proto.n_vars;
	memcpy(plan->vars, p->proto.vars, sizeof(plan->vars));
}

static int draw(void *state, struct vtb_plan *plan)
{
	struct vtb_pctvb *p = state;

	if (!p->epoch)
		draw_variables(p);
	p->valid++;
	offer(p, plan);
	return vtb_pct_plan(&p->rng, p->space->coverage->n_threads, p->d - 1, p->order, draw_point, p, plan);
}

/* What the plans of the epoch say: the variables of the groups drawn, if there is room for all. */
static bool name_variables(struct vtb_pctvb *p)
{
	const struct vtb_symtab *tab = p->space->tab;

	p->proto.n_vars = 0;
	for (uint32_t var = 0; var < tab->n_variables; var++)
		for (uint32_t i = 0; i < p->n_drawn; i++) {
			if (p->groups[p->shared[i]].key != key_of(tab, var))
				continue;
			if (p->proto.n_vars == VTB_PLAN_VARS)
				return false;
			p->proto.vars[p->proto.n_vars++] = var;
		}
	return true;
}

/* True if a new epoch begins with a run of its own. */
static bool begin_epoch(struct vtb_pctvb *p)
{
	if (p->epoch || !p->space->stay || !p->n_shared)
		return false;
	p->epoch = p->space->stay;
	draw_variables(p);
	vtb_past_clear(&p->past);
	p->profiling = name_variables(p);
	p->epoch = p->profiling ? p->epoch : 0;
	return p->profiling;
}

int64_t vtb_pctvb_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct vtb_pctvb *p = state;
	int64_t n;

	if (!p->space->coverage->n_threads)
		return vtb_pct_first(&p->chances, &plans[0]);
	max = begin_epoch(p) ? 1 : max;
	n = vtb_chance_draw_batch(&p->chances, plans, max, draw, p);
	for (int64_t i = 0; (p->epoch || p->profiling) && i < n; i++)
		plans[i].schedule.brief = false; /* other runs are made from it, or without some accesses */
	p->epoch -= n < 0 || p->epoch < n ? p->epoch : (uint32_t)n;
	return n;
}

/* ---- what claims count */

/* Accesses to the v most accessed shared variables. */
static uint64_t most_accesses(const struct vtb_pctvb *p, uint32_t v)
{
	uint64_t best[VTB_PCTVB_V_MAX] = { 0 }, sum = 0;

	for (size_t i = 0; i < p->n_shared; i++) {
		uint64_t k = p->groups[p->shared[i]].most;

		for (uint32_t j = 0; j < v; j++)
			if (k > best[j]) {
				const uint64_t x = best[j];

				best[j] = k;
				k = x;
			}
	}
	for (uint32_t j = 0; j < v; j++)
		sum += best[j];
	return sum;
}

struct vtb_pctvb_counts vtb_pctvb_count(const struct vtb_pctvb *p)
{
	const uint32_t n = p->space->coverage->n_threads, v = p->v < p->n_shared ? p->v : (uint32_t)p->n_shared;
	struct vtb_pctvb_counts c = { .n = n, .v = v, .k = most_accesses(p, v), .chosen = 1, .hit = 1 };

	if (c.k + n)
		c.hit /= (double)(c.k + n);
	for (uint32_t i = 0; i < v; i++)
		c.chosen *= (double)(i + 1) / (double)(p->n_shared - i);
	return c;
}

void vtb_pctvb_end(void *state)
{
	struct vtb_pctvb *p = state;

	for (size_t i = 0; i < p->n_groups; i++)
		free(p->groups[i].points);
	free(p->groups);
	free(p->shared);
	free(p->done);
	vtb_past_fini(&p->past);
	vtb_bounded_map_fini(&p->numbers);
	vtb_chance_draw_fini(&p->chances);
	free(p);
}
