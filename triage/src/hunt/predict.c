/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "predict.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/lockorder.h"
#include "vtb/races.h"
#include "vtb/story.h"
#include "vtb/words.h"

/* ---- names that are the same in every run */

/* "slots[3] (thread 0.1, 2nd)" becomes "slots[]": elements of one array, blocks of one allocation are one suspicion. */
static void put_stable(FILE *to, const char *name)
{
	while (*name) {
		const char *close = *name == '['                         ? strchr(name, ']')
		                    : strncmp(name, " (thread ", 9) == 0 ? strchr(name, ')')
		                                                         : NULL;

		if (close && *name == '[' && strspn(name + 1, "0123456789") == (size_t)(close - name - 1))
			fputs("[]", to);
		else if (!close || *name == '[')
			fputc(*name, to), close = name;
		name = close + 1;
	}
}

static void put_variable(FILE *to, const struct vtb_symtab *tab, uint32_t var)
{
	char name[160];

	put_stable(to, var < tab->n_variables ? vtb_words_variable(tab, var, name, sizeof(name)) : "an unnamed place");
}

static void put_site(FILE *to, const struct vtb_symtab *tab, uint32_t site)
{
	char place[160];

	fprintf(to, ":%s", vtb_words_place(tab, site, place, sizeof(place)));
}

static int close_text(FILE *to, char **text)
{
	if (fclose(to) == 0 && *text)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

static int add_place(struct vtb_suspicion *s, const struct vtb_symtab *tab, const struct vtb_event *e, const char *what)
{
	const struct vtb_site *site = e->site < tab->n_sites ? &tab->sites[e->site] : NULL;
	struct vtb_suspicion_place *place = &s->places[s->n_places++];

	place->file = strdup(site ? site->file : "");
	place->line = site ? site->line : 0;
	if (asprintf(&place->words, "%s %s", vtb_thread_path(tab, e->thread), what) < 0)
		place->words = NULL;
	return place->file && place->words ? 0 : -ENOMEM;
}

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
	put_variable(to, tab, race->var);
	fprintf(to, ":%s:%s", strcmp(a, b) <= 0 ? a : b, strcmp(a, b) <= 0 ? b : a);
	return close_text(to, ret);
}

static int race_text(const struct vtb_trace *trace, const struct vtb_race *race, char **ret)
{
	const struct vtb_symtab *tab = &trace->tab;
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	put_variable(to, tab, race->var);
	for (int i = 0; i < 2; i++) {
		const struct vtb_event *e = &trace->events[race->events[i]];
		char place[160];

		vtb_words_place(tab, e->site, place, sizeof(place));
		fprintf(to, "%s %s %s%s%s%s", i ? " and" : ":", vtb_thread_path(tab, e->thread),
		        vtb_words_verb(e, false), i ? " it" : "", *place ? " at " : "", place);
	}
	fputs(", and nothing orders the two", to);
	return close_text(to, ret);
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
	put_variable(to, &trace->tab, race->var);
	if (close_text(to, &s->variable) < 0 || race_text(trace, race, &s->text) < 0)
		return -ENOMEM;
	for (int i = 0; i < 2; i++) {
		const struct vtb_event *e = &trace->events[race->events[i]];

		if (add_place(s, &trace->tab, e, vtb_words_verb(e, false)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int take_race(struct vtb_predictions *p, const struct vtb_trace *trace, const struct vtb_race *race)
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
			if (r == 0)
				r = vtb_suspicions_add(&p->races, &s);
		}
	}
	vtb_suspicion_fini(&s);
	return r;
}

static int take_races(struct vtb_predictions *p, const struct vtb_trace *trace)
{
	struct vtb_races races;
	int r = vtb_races_of(trace, &races);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < races.n_races; i++)
		r = take_race(p, trace, &races.races[i]);
	vtb_races_fini(&races);
	return r;
}

/* ---- circles of locks */

/* From the lock with the least name on, so that it does not matter where the search for circles began. */
static size_t start_of(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c)
{
	size_t best = 0;

	for (size_t i = 1; i < c->n_edges; i++) {
		const struct vtb_lock_edge *e = &lo->edges[c->edges[i]], *least = &lo->edges[c->edges[best]];

		if (strcmp(vtb_variable_name(&trace->tab, e->held), vtb_variable_name(&trace->tab, least->held)) < 0)
			best = i;
	}
	return best;
}

static const struct vtb_lock_edge *edge_of(const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c, size_t i)
{
	return &lo->edges[c->edges[i % c->n_edges]];
}

static int cycle_key(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c,
                     char **ret)
{
	const size_t start = start_of(trace, lo, c);
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	fputs("lock-cycle", to);
	for (size_t i = 0; i < c->n_edges; i++) {
		const struct vtb_lock_edge *e = edge_of(lo, c, start + i);

		fputc(i ? ',' : ':', to);
		put_variable(to, &trace->tab, e->held);
		put_site(to, &trace->tab, e->held_site);
		put_site(to, &trace->tab, e->wanted_site);
	}
	return close_text(to, ret);
}

static int cycle_text(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c,
                      char **ret)
{
	const size_t start = start_of(trace, lo, c);
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_edges; i++) {
		const struct vtb_lock_edge *e = edge_of(lo, c, start + i);
		char name[160], place[160];

		fprintf(to, "%s%s takes %s", i ? "; " : "locks in a circle: ", vtb_thread_path(&trace->tab, e->thread),
		        vtb_words_variable(&trace->tab, e->wanted, name, sizeof(name)));
		fprintf(to, " at %s", vtb_words_place(&trace->tab, e->wanted_site, place, sizeof(place)));
		fprintf(to, " while it holds %s", vtb_words_variable(&trace->tab, e->held, name, sizeof(name)));
		fprintf(to, " since %s", vtb_words_place(&trace->tab, e->held_site, place, sizeof(place)));
	}
	return close_text(to, ret);
}

static int fill_cycle(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c,
                      struct vtb_suspicion *s)
{
	const size_t start = start_of(trace, lo, c);

	s->variable = strdup(vtb_variable_name(&trace->tab, edge_of(lo, c, start)->held));
	if (!s->variable || cycle_text(trace, lo, c, &s->text) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_edges; i++) {
		const struct vtb_lock_edge *e = edge_of(lo, c, start + i);
		char what[200], name[160];

		snprintf(what, sizeof(what), "takes %s", vtb_words_variable(&trace->tab, e->held, name, sizeof(name)));
		if (add_place(s, &trace->tab, &trace->events[e->held_event], what) < 0)
			return -ENOMEM;
		snprintf(what, sizeof(what), "asks for %s",
		         vtb_words_variable(&trace->tab, e->wanted, name, sizeof(name)));
		if (add_place(s, &trace->tab, &trace->events[e->wanted_event], what) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Which operation of its thread event `at` is. */
static struct vtb_op operation(const struct vtb_trace *trace, size_t at)
{
	struct vtb_op op = { .thread = trace->events[at].thread, .name.site = VTB_NONE };

	for (size_t i = 0; i <= at; i++)
		op.index += trace->events[i].thread == op.thread && trace->events[i].kind != VTB_E_LOST;
	return op;
}

static int make_schedule(const struct vtb_trace *trace, const struct vtb_lockorder *lo, const struct vtb_lock_cycle *c,
                         struct vtb_schedule *ret)
{
	struct vtb_schedule s = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_edges; i++) {
		const struct vtb_lock_edge *wants = edge_of(lo, c, i), *holds = edge_of(lo, c, i + 1);

		r = vtb_schedule_constrain(&s, operation(trace, holds->held_event),
		                           operation(trace, wants->wanted_event));
	}
	if (r < 0)
		vtb_schedule_fini(&s);
	else
		*ret = s;
	return r;
}

static bool known_cycle(const struct vtb_predictions *p, const char *key)
{
	for (size_t i = 0; i < p->n_cycles; i++)
		if (strcmp(p->cycles[i].suspicion.key, key) == 0)
			return true;
	return false;
}

static void cycle_fini(struct vtb_predicted_cycle *c)
{
	vtb_suspicion_fini(&c->suspicion);
	vtb_schedule_fini(&c->schedule);
}

static int take_cycle(struct vtb_predictions *p, const struct vtb_trace *trace, const struct vtb_lockorder *lo,
                      const struct vtb_lock_cycle *c)
{
	struct vtb_predicted_cycle fresh = { .suspicion.kind = VTB_SUSPECT_LOCK_CYCLE };
	int r = cycle_key(trace, lo, c, &fresh.suspicion.key);

	if (r == 0 && p->n_cycles >= VTB_PREDICT_CYCLES)
		p->full = true;
	if (r < 0 || p->full || known_cycle(p, fresh.suspicion.key)) {
		cycle_fini(&fresh);
		return r;
	}
	r = fill_cycle(trace, lo, c, &fresh.suspicion);
	if (r == 0)
		r = make_schedule(trace, lo, c, &fresh.schedule);
	if (r == 0)
		r = vtb_array_room(p, cycles);
	if (r < 0)
		cycle_fini(&fresh);
	else
		p->cycles[p->n_cycles++] = fresh;
	return r;
}

static int take_cycles(struct vtb_predictions *p, const struct vtb_trace *trace)
{
	struct vtb_lockorder lo;
	int r = vtb_lockorder_of(trace, &lo);

	if (r < 0)
		return r;
	p->full |= lo.truncated;
	for (size_t i = 0; r == 0 && i < lo.n_cycles; i++)
		if (lo.cycles[i].state == VTB_CYCLE_POSSIBLE &&
		    lo.cycles[i].n_edges > 1) /* alone: a deadlock that needs no prediction */
			r = take_cycle(p, trace, &lo, &lo.cycles[i]);
	vtb_lockorder_fini(&lo);
	return r;
}

/* ---- runs */

bool vtb_predict_wants(const struct vtb_predictions *p, const struct vtb_exec *x)
{
	return p->runs < VTB_PREDICT_RUNS && (p->runs == 0 || p->events + x->n_events <= VTB_PREDICT_EVENTS);
}

int vtb_predict(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	/* borrows the run's events and the runner's names: ids in what comes out are the runner's */
	const struct vtb_trace trace = {
		.tab = *tab, .order = VTB_ORDER_TOTAL, .events = x->events, .n_events = x->n_events
	};
	int r;

	p->runs++;
	p->events += x->n_events;
	r = take_races(p, &trace);
	return r < 0 ? r : take_cycles(p, &trace);
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
		put_variable(to, tab, var);
		if (close_text(to, &name) < 0)
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

int vtb_predictions_suspects(const struct vtb_predictions *p, struct vtb_suspicions *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->n_cycles; i++)
		if (!p->cycles[i].confirmed)
			r = vtb_suspicions_add(ret, &p->cycles[i].suspicion);
	for (size_t i = 0; r == 0 && i < p->races.n_suspicions; i++)
		r = vtb_suspicions_add(ret, &p->races.suspicions[i]);
	if (ret->n_suspicions > 1)
		qsort(ret->suspicions, ret->n_suspicions, sizeof(*ret->suspicions), by_name);
	return r;
}

void vtb_predictions_fini(struct vtb_predictions *p)
{
	vtb_suspicions_fini(&p->races);
	for (size_t i = 0; i < p->n_cycles; i++)
		cycle_fini(&p->cycles[i]);
	free(p->cycles);
	*p = (struct vtb_predictions){ 0 };
}
