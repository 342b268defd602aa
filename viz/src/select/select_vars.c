/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which variables it is about, most important first: what the failing operation looked at, what was touched on both
 * sides of a deviation and in between, what the deviations were charged to. In a run without a schedule: what races,
 * then what several threads touch.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "select_priv.h"
#include "vtb/profile.h"
#include "vtb/races.h"

#define NEAR_FAILURE 6 /* accesses of the failing thread looked at, back from the failure */
#define NEAR_TURN 8    /* operations of the interrupted thread on each side of a deviation */

static void add_var(struct selection *s, uint32_t var)
{
	if (var == VTB_NONE || s->n_vars >= SELECT_VARS_MAX || selection_var(s, var) >= 0)
		return;
	s->vars[s->n_vars++] = var;
}

static bool is_thread_handle(const struct vtb_symtab *tab, uint32_t var)
{
	return var < tab->n_variables && tab->variables[var].object < tab->n_objects &&
	       tab->objects[tab->variables[var].object].kind == VTB_OBJ_THREAD;
}

/* Was another thread about to touch it when the run ended? */
static bool is_pending(const struct vtb_trace *trace, uint32_t var)
{
	for (size_t i = trace->n_events; i-- > 0;)
		if (trace->events[i].kind == VTB_E_PENDING && trace->events[i].var == var)
			return true;
	return false;
}

/* Does any other thread touch it, one of the two writing? */
static bool is_contended(const struct vtb_profile *profile, uint32_t var)
{
	const struct vtb_profile_var *v = vtb_profile_find(profile, var);

	return v && v->shared && v->writes;
}

static bool same_function(const struct vtb_trace *trace, const struct vtb_event *a, const struct vtb_event *b)
{
	const struct vtb_symtab *tab = &trace->tab;

	if (a->site >= tab->n_sites || b->site >= tab->n_sites)
		return true; /* cannot be told */
	return !strcmp(tab->sites[a->site].function, tab->sites[b->site].function);
}

/* What the failing thread looked at last, in the function that failed. */
static void vars_of_failure(struct selecting *c, const struct vtb_profile *profile)
{
	const struct vtb_event *events = c->trace->events;

	for (size_t k = 0; k < c->s->n_failing; k++) {
		const struct vtb_event *fail = &events[c->s->failing[k]];
		int left = NEAR_FAILURE;

		if (!is_thread_handle(&c->trace->tab, fail->var))
			add_var(c->s, fail->var);
		for (size_t i = c->s->failing[k] + 1; i-- > 0 && left;) {
			if (events[i].thread != fail->thread || !is_access(&events[i]))
				continue;
			left--;
			if (same_function(c->trace, &events[i], fail) &&
			    (is_contended(profile, events[i].var) || is_pending(c->trace, events[i].var)))
				add_var(c->s, events[i].var);
		}
	}
}

/* Does an event of another thread in [from, to) conflict with e? */
static bool conflicts_within(const struct vtb_trace *trace, const struct vtb_event *e, size_t from, size_t to)
{
	for (size_t i = from; i < to && i < trace->n_events; i++)
		if (is_access(&trace->events[i]) && vtb_event_conflict(e, &trace->events[i]))
			return true;
	return false;
}

/* What the interrupted thread touches around the interruption and others touch meanwhile, into `found`. */
static void vars_of_turn(const struct selecting *c, const struct turn *turn, struct selection *found)
{
	const struct vtb_trace *trace = c->trace;
	const size_t to = turn->back == SELECT_NO_EVENT ? trace->n_events : turn->back;
	size_t before = turn->from, after = turn->back;

	for (int n = 0; n < NEAR_TURN && turn->to != SELECT_NO_EVENT; n++) {
		if (before != SELECT_NO_EVENT) {
			if (is_access(&trace->events[before]) &&
			    conflicts_within(trace, &trace->events[before], turn->to, to))
				add_var(found, trace->events[before].var);
			before = select_previous_of(trace, turn->thread, before);
		}
		if (after != SELECT_NO_EVENT) {
			if (is_access(&trace->events[after]) &&
			    conflicts_within(trace, &trace->events[after], turn->to, to))
				add_var(found, trace->events[after].var);
			after = select_next_of(trace, turn->thread, after);
		}
	}
}

/* If a deviation split accesses to something that the failing operation looked at, that is the story; what else
 * happened to be split is not. If it split other things only, they are how the failure came about. */
static void vars_of_turns(struct selecting *c)
{
	struct selection found = { 0 };
	bool told = false;

	for (size_t i = 0; i < c->s->n_turns; i++)
		vars_of_turn(c, &c->s->turns[i], &found);
	for (size_t i = 0; i < found.n_vars; i++)
		told |= selection_var(c->s, found.vars[i]) >= 0;
	for (size_t i = 0; i < found.n_vars && !told; i++)
		add_var(c->s, found.vars[i]);
}

static int vars_of_races(struct selecting *c)
{
	struct vtb_races races;
	const int r = vtb_races_of(c->trace, &races);

	if (r < 0)
		return r;
	for (size_t i = 0; i < races.n_races; i++)
		add_var(c->s, races.races[i].var);
	vtb_races_fini(&races);
	return 0;
}

static void vars_of_profile(struct selecting *c, const struct vtb_profile *profile)
{
	for (size_t i = 0; i < profile->n_vars; i++)
		if (profile->vars[i].contended && !profile->vars[i].sync)
			add_var(c->s, profile->vars[i].var);
	for (size_t i = 0; i < profile->n_vars && !c->s->n_vars; i++)
		if (profile->vars[i].shared)
			add_var(c->s, profile->vars[i].var);
}

/* What is told is shown, and is about these. */
static void vars_of_told(struct selecting *c)
{
	for (size_t i = 0; c->told && i < c->trace->n_events; i++)
		if (c->told[i] && is_access(&c->trace->events[i]))
			add_var(c->s, c->trace->events[i].var);
}

int select_vars(struct selecting *c)
{
	struct vtb_profile profile;
	int r = vtb_profile_of(c->trace, &profile);

	if (r < 0)
		return r;
	if (!is_thread_handle(&c->trace->tab, c->trace->outcome.var))
		add_var(c->s, c->trace->outcome.var);
	vars_of_failure(c, &profile);
	vars_of_turns(c);
	for (size_t i = 0; i < c->s->n_turns; i++)
		if (c->s->turns[i].number && !is_thread_handle(&c->trace->tab, c->s->turns[i].var))
			add_var(c->s, c->s->turns[i].var);
	vars_of_told(c);
	if (!c->s->n_vars)
		r = vars_of_races(c);
	if (r >= 0 && !c->s->n_vars)
		vars_of_profile(c, &profile);
	vtb_profile_fini(&profile);
	return r;
}
