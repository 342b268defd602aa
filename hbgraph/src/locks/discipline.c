/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/discipline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "held.h"
#include "vtb/array.h"
#include "vtb/hash.h"

#define NO_ROW UINT32_MAX

/* Accesses of one variable at one site under the same locks. */
struct row {
	uint32_t var, site;
	uint32_t locks; /* set: those that keep others away; for a write not those held for reading only */
	uint32_t next;  /* of the same variable, the newest first */
};

struct search {
	const struct vtb_trace *trace;
	const struct vtb_races *races;
	struct vtb_discipline *d;
	struct sets sets;
	struct held held;
	struct row *rows;
	size_t n_rows, cap_rows;
	struct vtb_map64 by_row;   /* hash of (variable, site, locks) -> row */
	uint32_t *newest;          /* by variable: its rows */
	uint32_t *latest, *before; /* by variable: its last race; by race: the one before of the same variable */
	struct vtb_map64 examples; /* event of a race -> the locks held there: those that keep others away, and all */
};

/* A candidate: side `side` of the race lacks `lock`. */
struct choice {
	uint32_t lock;
	int side;
	size_t with, without; /* lines */
};

static bool is_plain(const struct vtb_event *e)
{
	return e->kind == VTB_E_READ || e->kind == VTB_E_WRITE;
}

static const struct vtb_site *site_of(const struct vtb_symtab *tab, uint32_t site)
{
	return site < tab->n_sites ? &tab->sites[site] : NULL;
}

static bool same_line(const struct vtb_symtab *tab, uint32_t a, uint32_t b)
{
	const struct vtb_site *x = site_of(tab, a), *y = site_of(tab, b);

	return a == b || (x && y && x->line && x->line == y->line && strcmp(x->file, y->file) == 0);
}

/* ---- one pass: who accesses the variables of the races, under which locks */

static int add_row(struct search *s, const struct vtb_event *e, uint32_t locks)
{
	const uint32_t content[3] = { e->var, e->site, locks };

	for (uint64_t key = vtb_hash(content, sizeof(content));; key++) {
		const uint32_t fresh = (uint32_t)s->n_rows;
		const uint64_t *at = vtb_map64_put(&s->by_row, key, fresh);

		if (!at || (*at == fresh && vtb_array_room(s, rows) < 0))
			return -ENOMEM;
		if (*at == fresh)
			break;
		if (s->rows[*at].var == e->var && s->rows[*at].site == e->site && s->rows[*at].locks == locks)
			return 0;
	}
	s->rows[s->n_rows] = (struct row){ .var = e->var, .site = e->site, .locks = locks, .next = s->newest[e->var] };
	s->newest[e->var] = (uint32_t)s->n_rows++;
	return 0;
}

static int look_at(struct search *s, size_t i)
{
	const struct vtb_event *e = &s->trace->events[i];
	const struct held_thread *held = held_by(&s->held, e->thread);
	const uint32_t locks = e->kind == VTB_E_WRITE ? held->exclusive : held->all;
	uint64_t *example;

	if (!is_plain(e))
		return held_feed(&s->held, e, i);
	if (e->var >= s->trace->tab.n_variables || s->latest[e->var] == NO_ROW)
		return 0;
	example = vtb_map64_at(&s->examples, i);
	if (example)
		*example = (uint64_t)locks << 32 | held->all;
	return add_row(s, e, locks);
}

/* Races between others than plain accesses are left out all the way. */
static bool is_ours(const struct search *s, const struct vtb_race *race)
{
	const struct vtb_event *events = s->trace->events;

	return race->var < s->trace->tab.n_variables && is_plain(&events[race->events[0]]) &&
	       is_plain(&events[race->events[1]]);
}

static int mark(struct search *s)
{
	for (size_t i = 0; i < s->races->n_races; i++) {
		const struct vtb_race *race = &s->races->races[i];

		if (!is_ours(s, race))
			continue;
		s->before[i] = s->latest[race->var];
		s->latest[race->var] = (uint32_t)i;
		for (int side = 0; side < 2; side++)
			if (!vtb_map64_put(&s->examples, race->events[side], 0))
				return -ENOMEM;
	}
	return 0;
}

/* ---- which lock is whose */

static uint32_t locks_at(const struct search *s, size_t event)
{
	uint64_t sets = 0;

	vtb_map64_get(&s->examples, event, &sets);
	return (uint32_t)(sets >> 32);
}

static uint32_t all_at(const struct search *s, size_t event)
{
	uint64_t sets = 0;

	vtb_map64_get(&s->examples, event, &sets);
	return (uint32_t)sets;
}

static int note_line(const struct search *s, size_t first, uint32_t site)
{
	struct vtb_discipline *d = s->d;

	for (size_t i = first; i < d->n_sites; i++)
		if (same_line(&s->trace->tab, d->sites[i], site))
			return 0;
	if (vtb_array_room(d, sites) < 0)
		return -ENOMEM;
	d->sites[d->n_sites++] = site;
	return 0;
}

static int by_place(const void *a, const void *b, void *tab)
{
	const struct vtb_site *x = site_of(tab, *(const uint32_t *)a), *y = site_of(tab, *(const uint32_t *)b);
	const int r = x && y ? strcmp(x->file, y->file) : (x != NULL) - (y != NULL);

	return r || !x || !y ? r : x->line < y->line ? -1 : x->line > y->line;
}

/* Append the lines that access the variable under the lock. */
static int lines_with(const struct search *s, uint32_t var, uint32_t lock)
{
	const size_t first = s->d->n_sites;
	int r = 0;

	for (uint32_t i = s->newest[var]; i != NO_ROW && r == 0; i = s->rows[i].next)
		if (sets_has(&s->sets, s->rows[i].locks, lock))
			r = note_line(s, first, s->rows[i].site);
	if (s->d->n_sites > first)
		qsort_r(s->d->sites + first, s->d->n_sites - first, sizeof(*s->d->sites), by_place,
		        (void *)(uintptr_t)&s->trace->tab);
	return r;
}

/* Append the lines at which a race accesses it without. */
static int lines_without(const struct search *s, uint32_t var, uint32_t lock)
{
	const size_t first = s->d->n_sites;
	int r = 0;

	for (uint32_t i = s->latest[var]; i != NO_ROW; i = s->before[i])
		for (int side = 0; side < 2 && r == 0; side++) {
			const size_t event = s->races->races[i].events[side];

			if (!sets_has(&s->sets, locks_at(s, event), lock))
				r = note_line(s, first, s->trace->events[event].site);
		}
	return r;
}

/* Is the lock the variable's, and the more so than what was chosen before? 1, 0, or -ENOMEM. */
static int is_better(const struct search *s, const struct vtb_race *race, const struct choice *than, struct choice *c)
{
	const size_t first = s->d->n_sites;
	int r = lines_with(s, race->var, c->lock);

	c->with = s->d->n_sites - first;
	s->d->n_sites = first;
	if (r == 0)
		r = lines_without(s, race->var, c->lock);
	c->without = s->d->n_sites - first;
	s->d->n_sites = first;
	if (r < 0 || !c->with || c->with < c->without)
		return r;
	return than->lock == VTB_NONE || c->with + than->without > than->with + c->without;
}

static int choose(const struct search *s, const struct vtb_race *race, struct choice *best)
{
	for (int side = 0; side < 2; side++) {
		size_t n;
		const uint32_t *locks = sets_members(&s->sets, locks_at(s, race->events[!side]), &n);

		for (size_t i = 0; i < n; i++) {
			struct choice c = { .lock = locks[i], .side = side };
			int r;

			if (sets_has(&s->sets, locks_at(s, race->events[side]), c.lock))
				continue;
			r = is_better(s, race, best, &c);
			if (r < 0)
				return r;
			if (r)
				*best = c;
		}
	}
	return 0;
}

static bool is_known(const struct search *s, const struct vtb_race *race, const struct choice *c)
{
	const struct vtb_event *events = s->trace->events;

	for (size_t i = 0; i < s->d->n_unlocked; i++) {
		const struct vtb_unlocked *u = &s->d->unlocked[i];

		if (u->var == race->var && u->lock == c->lock &&
		    same_line(&s->trace->tab, events[u->event].site, events[race->events[c->side]].site))
			return true;
	}
	return false;
}

static int take_race(struct search *s, const struct vtb_race *race)
{
	struct vtb_discipline *d = s->d;
	struct choice c = { .lock = VTB_NONE };
	struct vtb_unlocked u = { .var = race->var, .first_site = d->n_sites };
	int r = choose(s, race, &c);

	if (r < 0 || c.lock == VTB_NONE || is_known(s, race, &c))
		return r;
	u.lock = c.lock;
	u.event = race->events[c.side];
	u.other = race->events[!c.side];
	u.reading = sets_has(&s->sets, all_at(s, u.event), u.lock);
	if (lines_with(s, u.var, u.lock) < 0 || vtb_array_room(d, unlocked) < 0)
		return -ENOMEM;
	u.n_sites = d->n_sites - u.first_site;
	d->unlocked[d->n_unlocked++] = u;
	return 0;
}

static uint32_t *rows_of(size_t n)
{
	uint32_t *rows = malloc((n + 1) * sizeof(*rows));

	if (rows)
		memset(rows, 0xff, (n + 1) * sizeof(*rows));
	return rows;
}

static int search(struct search *s)
{
	const size_t n = s->trace->tab.n_variables;
	int r = sets_init(&s->sets);

	s->held.sets = &s->sets;
	s->newest = rows_of(n);
	s->latest = rows_of(n);
	s->before = rows_of(s->races->n_races);
	if (r < 0 || !s->newest || !s->latest || !s->before)
		return -ENOMEM;
	r = mark(s);
	for (size_t i = 0; i < s->trace->n_events && r >= 0; i++)
		r = look_at(s, i);
	for (size_t i = 0; i < s->races->n_races && r >= 0; i++)
		if (is_ours(s, &s->races->races[i]))
			r = take_race(s, &s->races->races[i]);
	return r < 0 ? r : 0;
}

int vtb_discipline_of(const struct vtb_trace *trace, const struct vtb_races *races, struct vtb_discipline *ret)
{
	struct vtb_discipline d = { 0 };
	struct search s = { .trace = trace, .races = races, .d = &d };
	const int r = races->n_races ? search(&s) : 0;

	held_fini(&s.held);
	sets_fini(&s.sets);
	vtb_map64_fini(&s.by_row);
	vtb_map64_fini(&s.examples);
	free(s.rows);
	free(s.newest);
	free(s.latest);
	free(s.before);
	if (r < 0)
		vtb_discipline_fini(&d);
	else
		*ret = d;
	return r;
}

void vtb_discipline_fini(struct vtb_discipline *d)
{
	free(d->unlocked);
	free(d->sites);
	*d = (struct vtb_discipline){ 0 };
}
