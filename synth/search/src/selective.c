/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "selective.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

#define PLAIN_MAX 16u /* bytes: more are ranges */
#define SAVES 250     /* accesses a run; docs/decisions/0045 */
#define SAVED 1000000 /* accesses, by fewer schedules than SELECTIVE_BATCH */

void vtb_selective_init(struct vtb_selective *s, struct vtb_runner *runner, enum vtb_search_selective mode)
{
	*s = (struct vtb_selective){ .runner = runner, .mode = runner->ops->quiet ? mode : VTB_SELECTIVE_OFF };
}

void vtb_selective_fini(struct vtb_selective *s)
{
	vtb_bounded_map_fini(&s->met);
	vtb_bounded_map_fini(&s->freed);
	free(s->sites);
	free(s->pairs);
	free(s->first);
	free(s->out);
	free(s->quiet);
	free(s->needed);
	*s = (struct vtb_selective){ 0 };
}

bool vtb_selective_wants(const struct vtb_selective *s)
{
	return s->mode != VTB_SELECTIVE_OFF && !s->why_not;
}

bool vtb_selective_pays(const struct vtb_selective *s)
{
	return vtb_selective_wants(s) && (s->mode == VTB_SELECTIVE_ON || s->plain >= SAVES);
}

/* ---- what a run has shown */

static bool is_plain(const struct vtb_event *e)
{
	return (e->kind == VTB_E_READ || e->kind == VTB_E_WRITE) && e->size && e->size <= PLAIN_MAX &&
	       e->var != VTB_NONE;
}

static void pin(struct vtb_selective *s, uint32_t site)
{
	s->sites[site].pinned = true;
	s->stale |= site < s->n_quiet && s->quiet[site];
}

static uint64_t type_of(const struct vtb_selective *s, uint32_t var)
{
	const struct vtb_symtab *tab = s->runner->tab;
	const uint32_t object = var < tab->n_variables ? tab->variables[var].object : VTB_NONE;

	if (object >= tab->n_objects || tab->objects[object].kind != VTB_OBJ_HEAP)
		return 0;
	return tab->objects[object].site != VTB_NONE ? 1 + (uint64_t)tab->objects[object].site : 1ull << 40 | object;
}

static bool is_freed(const struct vtb_selective *s, uint32_t var)
{
	const uint64_t type = type_of(s, var);

	return type && vtb_bounded_map_has(&s->freed, type);
}

/* A block is freed while others live: where blocks of its type are touched, use after free must show. 1: that is new.
 */
static int note_free(struct vtb_selective *s, uint32_t var)
{
	const uint64_t type = type_of(s, var);
	uint64_t *met;
	int r = type ? vtb_bounded_map_add(&s->freed, type, 1, &met) : 0;

	if (!type || r < 0 || met)
		return r;
	for (size_t i = 0; i < s->n_pairs; i++)
		if (type_of(s, s->pairs[i].var) == type)
			pin(s, s->pairs[i].site);
	return 1;
}

static int add_pair(struct vtb_selective *s, uint32_t site, uint32_t var)
{
	uint64_t *met;
	int r = vtb_bounded_map_add(&s->met, ((uint64_t)site << 32 | var) + 1, 1, &met);

	if (r < 0 || met)
		return r;
	if (vtb_array_extend(s, first, (size_t)var + 1, VTB_NONE) < 0 || vtb_array_room(s, pairs) < 0)
		return -ENOMEM;
	s->pairs[s->n_pairs] = (struct vtb_selective_pair){ .site = site, .var = var, .next = s->first[var] };
	s->first[var] = (uint32_t)s->n_pairs++;
	if (s->met.not_kept)
		s->why_not = "there was no room to remember which places touch what";
	if (is_freed(s, var))
		pin(s, site);
	return 0;
}

static int learn_access(struct vtb_selective *s, const struct vtb_event *e)
{
	struct vtb_selective_site *site;
	const bool first = s->out[e->thread];

	if (e->kind == VTB_E_FAIL || e->kind == VTB_E_LOST)
		return 0;
	s->out[e->thread] = !is_plain(e);
	if (e->site == VTB_NONE)
		return 0;
	if (vtb_array_extend(s, sites, (size_t)e->site + 1, (struct vtb_selective_site){ .last_var = VTB_NONE }) < 0)
		return -ENOMEM;
	site = &s->sites[e->site];
	if (first || !is_plain(e))
		pin(s, e->site);
	if (!is_plain(e))
		return 0;
	s->plain++;
	site->plain = true;
	site->accesses = site->run == s->runs ? site->accesses + 1 : 1;
	site->run = s->runs;
	if (site->last_var == e->var)
		return 0;
	site->last_var = e->var;
	return add_pair(s, e->site, e->var);
}

/* Kinds of operations at which accesses decide who goes on, or what is done between them. */
static const char *rules_out(const struct vtb_event *e)
{
	switch (e->kind) {
	case VTB_E_YIELD:
		return "threads yield";
	case VTB_E_SIGNAL_SEND:
	case VTB_E_SIGNAL_HANDLE:
	case VTB_E_SIGNAL_OPEN:
		return "there are signals";
	case VTB_E_THREAD_CANCEL:
		return "threads are cancelled";
	default:
		return NULL;
	}
}

/* A thread that stood at a plain access and could not go on was held back: it spins. */
static bool was_held_back(struct vtb_selective *s, const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *e = &x->events[i];

	if (i && x->events[i - 1].thread != e->thread)
		s->out[x->events[i - 1].thread] = !vtb_exec_enabled(x, i, x->events[i - 1].thread);
	return is_plain(e) && s->out[e->thread];
}

static int begin(struct vtb_selective *s, const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (vtb_array_extend(s, out, x->events[i].thread + 1u, 0) < 0)
			return -ENOMEM;
	if (s->n_out)
		memset(s->out, 0, s->n_out);
	return 0;
}

/* What both kinds of runs are looked at for. 1: something new. */
static int look(struct vtb_selective *s, const struct vtb_exec *x)
{
	uint32_t alive = 1;
	int r = begin(s, x);
	bool new = false;

	for (size_t i = 0; r >= 0 && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const char *why = was_held_back(s, x, i) ? "threads spin" : rules_out(e);

		s->out[e->thread] = 0;
		alive += e->kind == VTB_E_THREAD_CREATE;
		alive -= e->kind == VTB_E_THREAD_END;
		if (e->kind == VTB_E_FREE && alive > 1)
			r = note_free(s, e->var);
		new |= r > 0 || e->thread >= s->threads;
		s->threads = e->thread >= s->threads ? e->thread + 1u : s->threads;
		if (why && !s->why_not)
			s->why_not = why;
	}
	if (x->outcome.flags & VTB_OUT_HELD_BACK && !s->why_not)
		s->why_not = "threads spin";
	return r < 0 ? r : new;
}

int vtb_selective_learn(struct vtb_selective *s, const struct vtb_exec *x)
{
	int r = vtb_selective_wants(s) && !x->owned ? look(s, x) : 0;

	if (!vtb_selective_wants(s) || x->owned)
		return r < 0 ? r : 0;
	s->runs++;
	s->plain = 0;
	memset(s->out, 1, s->n_out);
	for (size_t i = 0; r >= 0 && i < x->n_events; i++)
		r = learn_access(s, &x->events[i]);
	return r < 0 ? r : 0;
}

/* ---- which sites a batch can do without */

static int need(struct vtb_selective *s, uint32_t site)
{
	if (vtb_array_room(s, needed) < 0)
		return -ENOMEM;
	s->needed[s->n_needed++] = site;
	return 1;
}

/* The site of operation `index` of the thread, from 0. 1; 0: the past does not show it; -ENOMEM. */
static int need_operation(struct vtb_selective *s, const struct vtb_past *past, uint32_t thread, uint32_t index)
{
	uint32_t site;

	if (!vtb_past_site(past, thread, index, &site))
		return 0;
	return site != VTB_NONE ? need(s, site) : 1;
}

/* The sites of the operations that the plan deviates after, and of those before which it then stops. 1; 0: what it was
 * made from does not show all of them; -ENOMEM. */
static int need_points(struct vtb_selective *s, const struct vtb_plan *plan)
{
	const struct vtb_schedule *sch = &plan->schedule;
	int r = 1;

	s->n_needed = 0;
	for (size_t k = 0; r > 0 && k < sch->n_deviations; k++) {
		const struct vtb_op *after = &sch->deviations[k].after;

		if (after->index)
			r = need_operation(s, plan->past, after->thread, after->index - 1);
		if (r > 0)
			r = need_operation(s, plan->past, after->thread, after->index);
	}
	return r;
}

/* Take away from `quiet` what the plan needs, or (`only_look`) say whether it has it: 1, else 0. -ENOMEM. */
static int provide(struct vtb_selective *s, const struct vtb_plan *plan, bool only_look)
{
	int r = need_points(s, plan);

	for (uint32_t k = 0; r > 0 && k < plan->n_vars; k++)
		for (uint32_t i = plan->vars[k] < s->n_first ? s->first[plan->vars[k]] : VTB_NONE;
		     r > 0 && i != VTB_NONE; i = s->pairs[i].next)
			r = need(s, s->pairs[i].site);
	for (size_t i = 0; r > 0 && i < s->n_needed; i++) {
		if (s->needed[i] >= s->n_quiet)
			continue;
		r = !only_look || !s->quiet[s->needed[i]];
		s->quiet[s->needed[i]] &= only_look;
	}
	return r;
}

static int all_have(struct vtb_selective *s, const struct vtb_plan *plans, size_t n)
{
	int r = 1;

	for (size_t i = 0; r > 0 && i < n; i++)
		r = plans[i].past ? provide(s, &plans[i], true) : 1;
	return r;
}

static int begin_quiet(struct vtb_selective *s)
{
	if (vtb_array_extend(s, quiet, s->n_sites, 0) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_sites; i++)
		s->quiet[i] = s->sites[i].plain && !s->sites[i].pinned;
	s->stale = false;
	return 0;
}

/* Everything but may-touch(V) becomes quiet. Returns how many accesses of a run that saves. */
static int64_t choose_sites(struct vtb_selective *s, const struct vtb_plan *plans, size_t n)
{
	int64_t saved = 0;

	if (begin_quiet(s) < 0)
		return -ENOMEM;
	for (size_t p = 0; p < n; p++)
		if (plans[p].past && provide(s, &plans[p], false) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < s->n_sites; i++)
		saved += s->quiet[i] ? s->sites[i].accesses : 0;
	return saved;
}

/* To change the program pays for many schedules, or for a few that are spared very much: what quiet runs do not tell is
 * missed where classes are pruned. */
static bool are_enough(size_t able, uint64_t saved)
{
	return able >= SELECTIVE_BATCH || (able > 1 && able * saved >= SAVED);
}

int vtb_selective_choose(struct vtb_selective *s, const struct vtb_plan *plans, size_t n, uint8_t *how)
{
	const int64_t least = s->mode == VTB_SELECTIVE_ON ? 1 : SAVES;
	size_t able = 0, first = n;
	int64_t saved;
	bool chosen;
	int r;

	for (size_t i = 0; i < n; i++) {
		how[i] = vtb_selective_wants(s) && plans[i].past ? VTB_RUN_QUIET : VTB_RUN_WHOLE;
		first = how[i] == VTB_RUN_QUIET && first == n ? i : first;
		able += how[i] == VTB_RUN_QUIET;
	}
	if (able && s->is_on && !s->stale && s->epoch + able <= SELECTIVE_PERIOD && (r = all_have(s, plans, n)) != 0)
		return r < 0 ? r : 0;
	chosen = are_enough(able, s->plain);
	saved = chosen ? choose_sites(s, plans, n) : 0;
	s->is_on &= !chosen; /* else `quiet` is not what the program has now */
	if (saved < least || !are_enough(able, (uint64_t)saved)) {
		memset(how, VTB_RUN_WHOLE, n);
		return saved < 0 ? -ENOMEM : 0;
	}
	how[first] = VTB_RUN_WHOLE; /* the first run of each V keeps all sites on */
	return 0;
}

int vtb_selective_begin(struct vtb_selective *s, const struct vtb_plan *plans, size_t n)
{
	int64_t saved;

	if (s->is_on)
		return 0;
	saved = choose_sites(s, plans, n); /* again: the first run of this V may have shown more */
	if (saved < 0)
		return -ENOMEM;
	s->is_on = saved > 0 && !s->why_not && vtb_runner_quiet(s->runner, s->quiet, s->n_quiet) > 0;
	s->changed |= s->is_on;
	s->epoch = 0;
	s->changes++;
	if (!s->is_on && saved > 0 && !s->why_not)
		s->why_not = "accesses cannot be left out of this program";
	return 0;
}

void vtb_selective_end(struct vtb_selective *s)
{
	if (s->changed)
		vtb_runner_quiet(s->runner, NULL, 0);
	s->changed = s->is_on = false;
	s->epoch = 0;
}

uint64_t vtb_selective_salt(const struct vtb_selective *s)
{
	return vtb_mix64(s->changes + 1);
}

/* ---- one schedule */

int vtb_selective_schedule(struct vtb_selective *s, const struct vtb_plan *plan, struct vtb_schedule *ret)
{
	int r = plan->schedule.n_constraints ? 0 : provide(s, plan, true);

	if (r <= 0)
		return r;
	r = vtb_schedule_copy(&plan->schedule, ret);
	for (size_t k = 0; r >= 0 && k < ret->n_deviations; k++) {
		struct vtb_op *after = &ret->deviations[k].after;
		const int64_t seen =
		    vtb_past_loud(plan->past, after->thread, after->index, s->quiet, s->n_quiet, s->changes);

		if (seen < 0) {
			vtb_schedule_fini(ret);
			return -ENOMEM;
		}
		after->index = (uint32_t)seen;
	}
	return r < 0 ? r : 1;
}

/* ---- its run */

/* A quiet site has shown itself: the program is not as it was asked to be. */
static bool disobeys(const struct vtb_selective *s, const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (is_plain(&x->events[i]) && x->events[i].site < s->n_quiet && s->quiet[x->events[i].site])
			return true;
	return false;
}

int vtb_selective_again(struct vtb_selective *s, const struct vtb_plan *plan, const struct vtb_exec *x)
{
	const uint32_t lost =
	    VTB_OUT_TRUNCATED | VTB_OUT_CRASHED | VTB_OUT_HELD_BACK | (plan->loose ? 0 : VTB_OUT_DIVERGED);
	const bool disobeyed = disobeys(s, x), ruled_out = s->why_not;
	int r;

	if (disobeyed && !s->why_not)
		s->why_not = "accesses came from places that were to be quiet";
	r = look(s, x);
	s->epoch++;
	s->partial++;
	if (r < 0)
		return r;
	r = r > 0 || disobeyed || (s->why_not && !ruled_out) || x->outcome.verdict != VTB_V_NONE ||
	    x->outcome.flags & lost;
	s->redone += (uint64_t)r;
	return r;
}

#define ENOUGH 64u

void vtb_selective_compare(struct vtb_selective *s, const struct vtb_exec *quiet, const struct vtb_exec *whole)
{
	if (s->why_not)
		return;
	if (vtb_verdict_exit_code(quiet->outcome.verdict) == 1 && vtb_verdict_exit_code(whole->outcome.verdict) != 1)
		s->why_not = "a run failed only with some accesses not looked at";
	else if (s->redone >= ENOUGH && 4 * s->redone > s->partial)
		s->why_not = "too many runs had to be made again";
}
