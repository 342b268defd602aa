/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "predict_unlocked.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "predict_words.h"
#include "vtb/discipline.h"
#include "vtb/words.h"

#define LINES_SAID 3u /* that hold the lock; the others are places */

/* One that copies a whole object may meet one that writes a member: that is what both are about. */
static uint32_t about(const struct vtb_trace *trace, const struct vtb_unlocked *u)
{
	const struct vtb_event *ends[] = { &trace->events[u->event], &trace->events[u->other] };
	uint32_t var = u->var;

	for (size_t i = 0; i < 2; i++)
		if (ends[i]->var < trace->tab.n_variables && var < trace->tab.n_variables &&
		    trace->tab.variables[ends[i]->var].size < ends[!i]->size && ends[i]->size < ends[!i]->size)
			var = ends[i]->var;
	return var;
}

static int put_key(const struct vtb_trace *trace, const struct vtb_unlocked *u, char **ret)
{
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	fputs("unlocked:", to);
	vtb_predict_put_variable(to, &trace->tab, about(trace, u));
	fputc(':', to);
	vtb_predict_put_variable(to, &trace->tab, u->lock);
	vtb_predict_put_site(to, &trace->tab, trace->events[u->event].site);
	return vtb_predict_close_text(to, ret);
}

static int put_name(const struct vtb_trace *trace, uint32_t var, char **ret)
{
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	vtb_predict_put_variable(to, &trace->tab, var);
	return vtb_predict_close_text(to, ret);
}

static void put_access(FILE *to, const struct vtb_trace *trace, size_t event)
{
	const struct vtb_event *e = &trace->events[event];
	char place[160], via[160];

	vtb_words_place(&trace->tab, e->site, place, sizeof(place));
	vtb_words_via(&trace->tab, e->site, via, sizeof(via));
	fprintf(to, "%s %s it%s%s%s%s%s", vtb_thread_path(&trace->tab, e->thread), vtb_words_verb(e, false),
	        *via ? " (" : "", via, *via ? ")" : "", *place ? " at " : "", place);
}

/* Why it is the variable's lock. */
static void put_lines(FILE *to, const struct vtb_trace *trace, const struct vtb_discipline *d,
                      const struct vtb_unlocked *u, const char *lock)
{
	char place[160];

	if (u->n_sites < 2 || about(trace, u) != u->var)
		return;
	fprintf(to, "; %s is held for it at", lock);
	for (size_t i = 0; i < u->n_sites && i < LINES_SAID; i++)
		fprintf(to, "%s %s", i ? "," : "",
		        vtb_words_place(&trace->tab, d->sites[u->first_site + i], place, sizeof(place)));
	if (u->n_sites > LINES_SAID)
		fprintf(to, " and %zu more", u->n_sites - LINES_SAID);
}

static int put_text(const struct vtb_trace *trace, const struct vtb_discipline *d, const struct vtb_unlocked *u,
                    const struct vtb_suspicion *s, char **ret)
{
	size_t size;
	FILE *to = open_memstream(ret, &size);

	if (!to)
		return -ENOMEM;
	fprintf(to, "%s: ", s->variable);
	put_access(to, trace, u->event);
	fprintf(to, u->reading ? " while it holds %s for reading only; " : " without %s; ", s->lock);
	put_access(to, trace, u->other);
	fprintf(to, " with %s, and nothing orders the two", u->reading ? "it" : s->lock);
	put_lines(to, trace, d, u, s->lock);
	return vtb_predict_close_text(to, ret);
}

static bool is_place(const struct vtb_suspicion *s, const struct vtb_site *site)
{
	for (size_t i = 0; i < s->n_places; i++)
		if (s->places[i].line == site->line && strcmp(s->places[i].file, site->file) == 0)
			return true;
	return false;
}

/* Further lines that hold the lock, as far as there is room. */
static int add_lines(const struct vtb_trace *trace, const struct vtb_discipline *d, const struct vtb_unlocked *u,
                     struct vtb_suspicion *s)
{
	char words[200];
	int r = 0;

	snprintf(words, sizeof(words), "with %s", s->lock);
	for (size_t i = 0; i < u->n_sites && s->n_places < VTB_SUSPICION_PLACES && r == 0; i++) {
		const uint32_t site = d->sites[u->first_site + i];

		if (site < trace->tab.n_sites && !is_place(s, &trace->tab.sites[site]))
			r = vtb_predict_add_site(s, &trace->tab, site, words);
	}
	return r;
}

static int add_places(const struct vtb_trace *trace, const struct vtb_discipline *d, const struct vtb_unlocked *u,
                      struct vtb_suspicion *s)
{
	const struct vtb_event *event = &trace->events[u->event], *other = &trace->events[u->other];
	char words[200];
	int r;

	snprintf(words, sizeof(words), u->reading ? "%s while it holds %s for reading only" : "%s without %s",
	         vtb_words_verb(event, false), s->lock);
	r = vtb_predict_add_place(s, &trace->tab, event, words);
	snprintf(words, sizeof(words), "%s with %s", vtb_words_verb(other, false), s->lock);
	if (r == 0)
		r = vtb_predict_add_place(s, &trace->tab, other, words);
	return r < 0 ? r : add_lines(trace, d, u, s);
}

static bool is_known(const struct vtb_suspicions *all, const char *key)
{
	for (size_t i = 0; i < all->n_suspicions; i++)
		if (strcmp(all->suspicions[i].key, key) == 0)
			return true;
	return false;
}

/* A variable and a line must be known: nobody is warned of an unnamed place. */
static bool is_telling(const struct vtb_trace *trace, const struct vtb_unlocked *u)
{
	const uint32_t site = trace->events[u->event].site;

	return site < trace->tab.n_sites && trace->tab.sites[site].line && *vtb_variable_name(&trace->tab, u->var) &&
	       *vtb_variable_name(&trace->tab, u->lock);
}

static int fill(const struct vtb_trace *trace, const struct vtb_discipline *d, const struct vtb_unlocked *u,
                struct vtb_suspicion *s)
{
	if (put_name(trace, about(trace, u), &s->variable) < 0 || put_name(trace, u->lock, &s->lock) < 0 ||
	    put_text(trace, d, u, s, &s->text) < 0)
		return -ENOMEM;
	return add_places(trace, d, u, s);
}

static int take(struct vtb_predictions *p, const struct vtb_trace *trace, const struct vtb_discipline *d,
                const struct vtb_unlocked *u, uint32_t nth)
{
	struct vtb_suspicion s = { .kind = VTB_SUSPECT_UNLOCKED };
	int r = is_telling(trace, u) ? put_key(trace, u, &s.key) : 0;

	if (r == 0 && s.key && !is_known(&p->warnings, s.key)) {
		p->full |= p->warnings.n_suspicions >= VTB_PREDICT_WARNINGS;
		if (p->warnings.n_suspicions < VTB_PREDICT_WARNINGS) {
			r = fill(trace, d, u, &s);
			if (r == 0)
				p->warned_by[p->warnings.n_suspicions] = nth;
			if (r == 0)
				r = vtb_suspicions_add(&p->warnings, &s);
		}
	}
	vtb_suspicion_fini(&s);
	return r;
}

static int take_all(struct vtb_predictions *p, const struct vtb_trace *trace, const struct vtb_races *races,
                    uint32_t nth)
{
	struct vtb_discipline d;
	int r = vtb_discipline_of(trace, races, &d);

	if (r < 0)
		return r;
	for (size_t i = 0; i < d.n_unlocked && r == 0; i++)
		r = take(p, trace, &d, &d.unlocked[i], nth);
	vtb_discipline_fini(&d);
	return r;
}

int vtb_predict_unlocked(struct vtb_predictions *p, const struct vtb_exec *x, const struct vtb_trace *trace,
                         const struct vtb_races *races)
{
	const uint32_t nth = x && p->n_warned < VTB_PREDICT_SHOWN ? p->n_warned : VTB_NONE;
	const size_t before = p->warnings.n_suspicions;
	int r = take_all(p, trace, races, nth);

	if (r < 0 || p->warnings.n_suspicions == before || nth == VTB_NONE)
		return r;
	r = vtb_exec_schedule(x, &p->warned[p->n_warned++]);
	if (r >= 0 && p->stem)
		vtb_stem_lengthen(p->stem, &p->warned[nth]);
	return r;
}

/* ---- at the user's own lines */

static void forget_run(struct vtb_predictions *p, uint32_t nth)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->warnings.n_suspicions; i++) {
		if (p->warned_by[i] == nth) {
			vtb_suspicion_fini(&p->warnings.suspicions[i]);
			continue;
		}
		p->warned_by[kept] = p->warned_by[i];
		p->warnings.suspicions[kept++] = p->warnings.suspicions[i];
	}
	p->warnings.n_suspicions = kept;
}

int vtb_predict_reword(struct vtb_predictions *p, uint32_t nth, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	const struct vtb_trace trace = {
		.tab = *tab, .order = VTB_ORDER_TOTAL, .events = x->events, .n_events = x->n_events
	};
	struct vtb_predictions fresh = { 0 };
	struct vtb_races races;
	int r = vtb_races_of(&trace, &races);

	if (r < 0)
		return r;
	r = take_all(&fresh, &trace, &races, nth);
	if (r == 0 && fresh.warnings.n_suspicions) {
		forget_run(p, nth);
		r = take_all(p, &trace, &races, nth);
	}
	vtb_races_fini(&races);
	vtb_predictions_fini(&fresh);
	return r;
}
