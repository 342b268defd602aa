/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "selective.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

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
		if (vtb_selective_is_plain(&x->events[i]) && x->events[i].site < s->n_quiet &&
		    s->quiet[x->events[i].site])
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
	r = vtb_selective_look(s, x);
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
