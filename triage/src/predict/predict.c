/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "predict.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict_cycles.h"
#include "predict_unlocked.h"
#include "predict_words.h"
#include "vtb/array.h"
#include "vtb/races.h"
#include "vtb/story.h"
#include "vtb/short_name.h"
#include "vtb/words.h"

/* ---- races */

static int race_key(const struct vtb_trace *trace, const struct vtb_race *race, char **ret)
{
	const struct vtb_symtab *tab = &trace->tab;
	char a[160], b[160];
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	vtb_words_place(tab, race->sites[0], a, sizeof(a));
	vtb_words_place(tab, race->sites[1], b, sizeof(b));
	fputs("race:", to);
	vtb_predict_put_variable(to, tab, race->var);
	fprintf(to, ":%s:%s", strcmp(a, b) <= 0 ? a : b, strcmp(a, b) <= 0 ? b : a);
	return vtb_predict_close_text(to, ret);
}

static int race_text(const struct vtb_trace *trace, const struct vtb_race *race, char **ret)
{
	const struct vtb_symtab *tab = &trace->tab;
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	vtb_predict_put_told(to, tab, race->var);
	for (int i = 0; i < 2; i++) {
		const struct vtb_event *e = &trace->events[race->events[i]];
		char place[160];

		vtb_words_place(tab, e->site, place, sizeof(place));
		fprintf(to, "%s %s %s%s%s%s", i ? " and" : ":", vtb_thread_path(tab, e->thread),
		        vtb_words_verb(e, false), i ? " it" : "", *place ? " at " : "", place);
	}
	fputs(", and nothing orders the two", to);
	return vtb_predict_close_text(to, ret);
}

static bool known_race(const struct vtb_predictions *p, const char *key)
{
	for (size_t i = 0; i < p->races.n_suspicions; i++)
		if (strcmp(p->races.suspicions[i].key, key) == 0)
			return true;
	return false;
}

/* An access without a name and without a line tells nobody anything. */
static bool telling(const struct vtb_trace *trace, const struct vtb_race *race)
{
	const struct vtb_symtab *tab = &trace->tab;

	for (int i = 0; i < 2; i++)
		if (race->sites[i] < tab->n_sites && tab->sites[race->sites[i]].line)
			return true;
	return race->var < tab->n_variables && *vtb_variable_name(tab, race->var);
}

static int fill_race(const struct vtb_trace *trace, const struct vtb_race *race, struct vtb_suspicion *s)
{
	size_t size;
	FILE *to = open_memstream(&s->variable, &size);

	if (!to)
		return -ENOMEM;
	vtb_predict_put_variable(to, &trace->tab, race->var);
	if (vtb_predict_close_text(to, &s->variable) < 0 || race_text(trace, race, &s->text) < 0)
		return -ENOMEM;
	for (int i = 0; i < 2; i++) {
		const struct vtb_event *e = &trace->events[race->events[i]];

		if (vtb_predict_add_place(s, &trace->tab, e, vtb_words_verb(e, false)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int take_race(struct vtb_predictions *p, const struct vtb_trace *trace, const struct vtb_race *race,
                     uint32_t nth)
{
	struct vtb_suspicion s = { .kind = VTB_SUSPECT_RACE };
	int r;

	if (!telling(trace, race))
		return 0;
	r = race_key(trace, race, &s.key);
	if (r == 0 && !known_race(p, s.key)) {
		if (p->races.n_suspicions >= VTB_PREDICT_RACES) {
			p->full = true;
		} else {
			r = fill_race(trace, race, &s);
			p->raced_by[p->races.n_suspicions] = nth;
			if (r == 0)
				r = vtb_suspicions_add(&p->races, &s);
		}
	}
	vtb_suspicion_fini(&s);
	return r;
}

/* The number of its run if it is to be told at the user's lines, for which that is made again; else VTB_NONE. */
static uint32_t told_again(const struct vtb_predictions *p, const struct vtb_trace *trace, const struct vtb_race *race)
{
	for (int i = 0; i < 2; i++)
		if (race->sites[i] < trace->tab.n_sites && vtb_site_is_library(&trace->tab.sites[race->sites[i]]))
			return p->n_warned < VTB_PREDICT_SHOWN ? p->n_warned : VTB_NONE;
	return VTB_NONE;
}

static int remember_run(struct vtb_predictions *p, const struct vtb_exec *x)
{
	const int r = vtb_exec_schedule(x, &p->warned[p->n_warned++]);

	if (r >= 0 && p->stem)
		vtb_stem_lengthen(p->stem, &p->warned[p->n_warned - 1]);
	return r < 0 ? r : 0;
}

static int take_races(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_trace *trace)
{
	const uint32_t nth = p->n_warned;
	struct vtb_races races;
	bool again = false;
	int r = vtb_races_of(trace, &races);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < races.n_races; i++) {
		const size_t before = p->races.n_suspicions;

		r = take_race(p, trace, &races.races[i], told_again(p, trace, &races.races[i]));
		again |= p->races.n_suspicions > before && p->raced_by[before] != VTB_NONE;
	}
	if (r == 0)
		r = vtb_predict_unlocked(p, x, trace, &races);
	if (r == 0 && again && p->n_warned == nth) /* else it is kept for a warning */
		r = remember_run(p, x);
	vtb_races_fini(&races);
	return r;
}

static void forget_races(struct vtb_predictions *p, uint32_t nth)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->races.n_suspicions; i++) {
		if (p->raced_by[i] == nth) {
			vtb_suspicion_fini(&p->races.suspicions[i]);
			continue;
		}
		p->raced_by[kept] = p->raced_by[i];
		p->races.suspicions[kept++] = p->races.suspicions[i];
	}
	p->races.n_suspicions = kept;
}

/* ---- runs */

bool vtb_predict_wants(const struct vtb_predictions *p, const struct vtb_exec *x)
{
	return p->runs < VTB_PREDICT_RUNS && (p->runs == 0 || p->events + x->n_events <= VTB_PREDICT_EVENTS);
}

/* Borrows the run's events and the runner's names: ids in what comes out are the runner's. */
static struct vtb_trace trace_of(const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	return (
	    struct vtb_trace){ .tab = *tab, .order = VTB_ORDER_TOTAL, .events = x->events, .n_events = x->n_events };
}

int vtb_predict_reword_races(struct vtb_predictions *p, uint32_t nth, const struct vtb_exec *x,
                             const struct vtb_symtab *tab)
{
	const struct vtb_trace trace = trace_of(x, tab);
	struct vtb_races races;
	int r = vtb_races_of(&trace, &races);

	if (r < 0)
		return r;
	if (races.n_races)
		forget_races(p, nth);
	for (size_t i = 0; r == 0 && i < races.n_races; i++)
		r = take_race(p, &trace, &races.races[i], VTB_NONE);
	vtb_races_fini(&races);
	return r;
}

int vtb_predict_failing(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	const struct vtb_trace trace = trace_of(x, tab);
	struct vtb_races races;
	int r;

	if (x->partial || x->owned)
		return 0;
	r = vtb_races_of(&trace, &races);
	if (r < 0)
		return r;
	r = vtb_predict_unlocked(p, NULL, &trace, &races);
	vtb_races_fini(&races);
	return r;
}

int vtb_predict(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	const struct vtb_trace trace = trace_of(x, tab);
	int r;

	p->runs++;
	p->events += x->n_events;
	r = take_races(p, x, &trace);
	return r < 0 ? r : vtb_predict_cycles(p, &trace);
}

/* Is it a place of the suspicion? */
static bool is_at(const struct vtb_suspicion_place *place, const struct vtb_symtab *tab, uint32_t site)
{
	return place->line && site < tab->n_sites && tab->sites[site].line == place->line &&
	       strcmp(tab->sites[site].file, place->file) == 0;
}

static bool has_place(const struct vtb_suspicion *s, const struct vtb_symtab *tab, uint32_t site)
{
	for (size_t i = 0; i < s->n_places; i++)
		if (is_at(&s->places[i], tab, site))
			return true;
	return false;
}

static bool in_story(const struct vtb_suspicion_place *place, const struct vtb_symtab *tab,
                     const struct vtb_story *story)
{
	for (size_t k = 0; k < story->n_steps; k++)
		if (is_at(place, tab, story->steps[k].event.site))
			return true;
	return false;
}

/* Blocks of one kind and elements of one array have names of their own, so places count as well. 1 or 0, or -ENOMEM. */
static int race_explained(const struct vtb_suspicion *s, const struct vtb_symtab *tab, const struct vtb_story *story)
{
	bool places = s->n_places > 0, named = false;

	for (size_t i = 0; i < s->n_places; i++)
		places &= in_story(&s->places[i], tab, story);
	for (size_t k = 0; k < story->n_steps && !places && !named; k++) {
		const uint32_t var = story->steps[k].event.var;
		char *name = NULL;
		size_t size;
		FILE *to = open_memstream(&name, &size);

		if (!to)
			return -ENOMEM;
		vtb_predict_put_variable(to, tab, var);
		if (vtb_predict_close_text(to, &name) < 0)
			return -ENOMEM;
		named = var < tab->n_variables && strcmp(s->variable, name) == 0;
		free(name);
	}
	return places || named;
}

static bool cycle_explained(const struct vtb_suspicion *s, const struct vtb_symtab *tab, const struct vtb_story *story)
{
	bool all = story->n_cycle > 0;

	for (size_t k = 0; k < story->n_cycle; k++)
		all &= has_place(s, tab, story->cycle[k].wanted.site);
	return all;
}

int vtb_predictions_explained(struct vtb_predictions *p, const struct vtb_symtab *tab, const struct vtb_story *story)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < p->n_cycles; i++)
		p->cycles[i].confirmed |= cycle_explained(&p->cycles[i].suspicion, tab, story);
	for (size_t i = 0; i < p->races.n_suspicions; i++) {
		r = r < 0 ? r : race_explained(&p->races.suspicions[i], tab, story);
		if (r > 0)
			vtb_suspicion_fini(&p->races.suspicions[i]);
		else
			p->races.suspicions[n++] = p->races.suspicions[i];
	}
	p->races.n_suspicions = n;
	return r < 0 ? r : 0;
}

static int by_name(const void *a, const void *b)
{
	const struct vtb_suspicion *l = a, *r = b;

	return l->kind != r->kind ? (l->kind == VTB_SUSPECT_LOCK_CYCLE ? -1 : 1) : strcmp(l->key, r->key);
}

/* What is told as a warning is not told as a race as well. */
static bool is_warned(const struct vtb_predictions *p, const struct vtb_suspicion *race)
{
	for (size_t i = 0; i < p->warnings.n_suspicions; i++) {
		const struct vtb_suspicion *w = &p->warnings.suspicions[i];

		for (size_t k = 0; k < race->n_places && strcmp(w->variable, race->variable) == 0; k++)
			if (race->places[k].line == w->places[0].line &&
			    strcmp(race->places[k].file, w->places[0].file) == 0)
				return true;
	}
	return false;
}

static void sort(struct vtb_suspicions *all)
{
	if (all->n_suspicions > 1)
		qsort(all->suspicions, all->n_suspicions, sizeof(*all->suspicions), by_name);
}

int vtb_predictions_warnings(const struct vtb_predictions *p, struct vtb_suspicions *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->warnings.n_suspicions; i++)
		r = vtb_suspicions_add(ret, &p->warnings.suspicions[i]);
	sort(ret);
	return r;
}

int vtb_predictions_suspects(const struct vtb_predictions *p, struct vtb_suspicions *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->n_cycles; i++)
		if (!p->cycles[i].confirmed)
			r = vtb_suspicions_add(ret, &p->cycles[i].suspicion);
	for (size_t i = 0; r == 0 && i < p->races.n_suspicions; i++)
		if (!is_warned(p, &p->races.suspicions[i]))
			r = vtb_suspicions_add(ret, &p->races.suspicions[i]);
	sort(ret);
	return r;
}

void vtb_predictions_fini(struct vtb_predictions *p)
{
	vtb_suspicions_fini(&p->races);
	vtb_suspicions_fini(&p->warnings);
	for (size_t i = 0; i < VTB_PREDICT_SHOWN; i++)
		vtb_schedule_fini(&p->warned[i]);
	vtb_schedule_fini(&p->weak_run);
	vtb_map64_fini(&p->beyond_classes);
	for (size_t i = 0; i < p->n_cycles; i++)
		vtb_predicted_cycle_fini(&p->cycles[i]);
	free(p->cycles);
	*p = (struct vtb_predictions){ 0 };
}
