/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per cell (exact byte range, shadow.h) two lists, writes and reads: the latest access of each (thread, site, kind). If
 * that one is before a new access, so are all earlier ones of its row: so a row tells whether the two sites race.
 *
 * `chain` is true while every access to the cell came after the one before it; then knowing the last one is enough.
 */
#include "vtb/races.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "location.h"
#include "shadow.h"
#include "vtb/array.h"
#include "vtb/hash.h"
#include "vtb/syncorder.h"

#define NO_ROW UINT32_MAX

struct row {
	size_t event;    /* latest */
	uint32_t number; /* of that event in its thread */
	uint32_t next;
	uint32_t cell;
	uint32_t site;
	uint16_t thread;
	uint8_t kind;
	bool atomic;
};

struct cell {
	uint32_t writes, reads; /* first rows */
	uint32_t latest;        /* row used last */
	uint32_t last_thread, last_number;
	bool used, chain;
};

struct search {
	const struct vtb_trace *trace;
	struct vtb_races *races;
	struct vtb_syncorder *order;
	struct places places;
	struct shadow shadow;
	struct vtb_map64 groups; /* hash of (variable, site, site) -> race */
	struct cell *cells;
	size_t n_cells, cap_cells;
	struct row *rows;
	size_t n_rows, cap_rows;
	struct vtb_map64 by_row; /* hash of (cell, thread, site, kind) -> row */
};

/* The access being looked at. */
struct access {
	const struct vtb_event *e;
	size_t event;
	uint32_t number;
	bool write, atomic;
};

static bool is_write_kind(unsigned kind)
{
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info && info->flags & VTB_EV_WRITES && !is_sync_in_memory(info);
}

/* ---- groups */

static uint32_t object_of(const struct search *s, uint32_t var)
{
	return var < s->trace->tab.n_variables ? s->trace->tab.variables[var].object : VTB_NONE;
}

static bool is_block(const struct search *s, uint32_t object)
{
	return s->trace->tab.objects[object].kind == VTB_OBJ_HEAP;
}

/* One address, two objects: memory that was given back and handed out again. A lock is an object of its own in the
 * block that it lies in; of two blocks it is known also where one of the two is given back. */
static bool other_life(const struct search *s, const struct vtb_event *a, const struct vtb_event *b)
{
	const uint32_t x = object_of(s, a->var), y = object_of(s, b->var);

	if (x == y || x == VTB_NONE || y == VTB_NONE)
		return false;
	if (a->kind <= VTB_E_FENCE && b->kind <= VTB_E_FENCE)
		return true;
	return (a->kind <= VTB_E_FENCE || a->kind == VTB_E_FREE) && (b->kind <= VTB_E_FENCE || b->kind == VTB_E_FREE) &&
	       is_block(s, x) && is_block(s, y);
}

static bool same_group(const struct vtb_race *race, uint32_t var, uint32_t a, uint32_t b)
{
	return race->var == var &&
	       ((race->sites[0] == a && race->sites[1] == b) || (race->sites[0] == b && race->sites[1] == a));
}

static int count_race(struct search *s, size_t earlier, size_t later)
{
	const struct vtb_event *a = &s->trace->events[earlier], *b = &s->trace->events[later];
	const uint32_t var = a->var != VTB_NONE && a->kind <= VTB_E_FENCE ? a->var
	                     : b->var != VTB_NONE                         ? b->var
	                                                                  : a->var;
	const uint32_t low = a->site < b->site ? a->site : b->site, high = a->site < b->site ? b->site : a->site;
	const uint32_t fresh = (uint32_t)s->races->n_races;
	const uint32_t content[3] = { var, low, high };

	if (other_life(s, a, b))
		return 0;
	for (uint64_t key = vtb_hash(content, sizeof(content));; key++) {
		const uint64_t *at = vtb_map64_put(&s->groups, key, fresh);

		if (!at)
			return -ENOMEM;
		if (*at == fresh)
			break;
		if (same_group(&s->races->races[*at], var, low, high)) {
			s->races->races[*at].count++;
			return 0;
		}
	}
	if (vtb_array_room(s->races, races) < 0)
		return -ENOMEM;
	s->races->races[s->races->n_races++] =
	    (struct vtb_race){ .var = var, .sites = { a->site, b->site }, .count = 1, .events = { earlier, later } };
	return 0;
}

/* ---- cells */

static bool before(const struct search *s, const struct access *a, uint32_t thread, uint32_t number)
{
	return thread == a->e->thread || vtb_syncorder_knows(s->order, a->e->thread, thread) >= number;
}

/* Report the unordered rows of a list that conflict. Returns whether all rows were ordered before the access. */
static int check_list(struct search *s, uint32_t first, const struct access *a, bool conflicts, bool *ordered)
{
	for (uint32_t i = first; i != NO_ROW; i = s->rows[i].next) {
		const struct row *row = &s->rows[i];

		if (before(s, a, row->thread, row->number))
			continue;
		*ordered = false;
		if (conflicts && !(row->atomic && a->atomic) && count_race(s, row->event, a->event) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Check the access against everything the cell remembers; *ordered: all of it came before. */
static int check_cell(struct search *s, uint32_t cell, const struct access *a, bool *ordered)
{
	const struct cell *c = &s->cells[cell];

	*ordered = true;
	if (!c->used || (c->chain && before(s, a, c->last_thread, c->last_number)))
		return 0;
	if (check_list(s, c->writes, a, true, ordered) < 0)
		return -ENOMEM;
	if (!a->write && c->reads != NO_ROW) { /* reads do not conflict, and their order is not worth looking for */
		*ordered = false;
		return 0;
	}
	return check_list(s, c->reads, a, a->write, ordered);
}

static bool is_row_of(const struct row *row, uint32_t cell, const struct access *a)
{
	return row->cell == cell && row->thread == a->e->thread && row->site == a->e->site && row->kind == a->e->kind;
}

static int add_row(struct search *s, uint32_t cell, uint32_t *first, const struct access *a)
{
	if (vtb_array_room(s, rows) < 0)
		return -ENOMEM;
	s->rows[s->n_rows] = (struct row){ .next = *first,
		                           .cell = cell,
		                           .site = a->e->site,
		                           .thread = a->e->thread,
		                           .kind = a->e->kind,
		                           .atomic = a->atomic };
	*first = (uint32_t)s->n_rows++;
	return 0;
}

/* The row of this (cell, thread, site, kind), put at the front of its list if it is new. Keys that meet step on. */
static int find_row(struct search *s, uint32_t cell, uint32_t *first, const struct access *a, uint32_t *ret)
{
	const uint64_t site_kind = (uint64_t)a->e->site << 8 | a->e->kind,
	               cell_thread = (uint64_t)cell << 16 | a->e->thread;

	for (uint64_t key = cell_thread * 0x9e3779b97f4a7c15u ^ site_kind * 0xc2b2ae3d27d4eb4fu;; key++) {
		const uint32_t fresh = (uint32_t)s->n_rows;
		const uint64_t *at = vtb_map64_put(&s->by_row, key, fresh);

		if (!at || (*at == fresh && add_row(s, cell, first, a) < 0))
			return -ENOMEM;
		*ret = (uint32_t)*at;
		if (is_row_of(&s->rows[*at], cell, a))
			return 0;
	}
}

static int note(struct search *s, uint32_t cell, uint32_t *first, const struct access *a)
{
	uint32_t *latest = &s->cells[cell].latest;

	if (*latest == NO_ROW || !is_row_of(&s->rows[*latest], cell, a))
		if (find_row(s, cell, first, a, latest) < 0)
			return -ENOMEM;
	s->rows[*latest].event = a->event;
	s->rows[*latest].number = a->number;
	return 0;
}

static int enter(struct search *s, uint32_t cell, const struct access *a, bool ordered)
{
	struct cell *c = &s->cells[cell];

	c->chain = ordered;
	c->used = true;
	c->last_thread = a->e->thread;
	c->last_number = a->number;
	return note(s, cell, a->write ? &c->writes : &c->reads, a);
}

static int reach_cells(struct search *s, size_t n)
{
	while (s->n_cells < n) {
		if (vtb_array_room(s, cells) < 0)
			return -ENOMEM;
		s->cells[s->n_cells++] = (struct cell){ .writes = NO_ROW, .reads = NO_ROW, .latest = NO_ROW };
	}
	return 0;
}

static int check_access(struct search *s, const struct access *a, const struct location *at)
{
	bool ordered;

	if (shadow_access(&s->shadow, at->addr, at->size) < 0 || reach_cells(s, s->shadow.n_cells) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < s->shadow.n_met; i++)
		if (check_cell(s, s->shadow.met[i], a, &ordered) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < s->shadow.n_own; i++)
		if (check_cell(s, s->shadow.own[i], a, &ordered) < 0 || enter(s, s->shadow.own[i], a, ordered) < 0)
			return -ENOMEM;
	return 0;
}

static void forget_list(struct search *s, uint32_t first)
{
	for (uint32_t i = first; i != NO_ROW; i = s->rows[i].next)
		s->rows[i].number = 0;
}

/* Memory handed out anew: what was done to it before is another life. Rows stay; number 0 is before everything. */
static int forget(struct search *s, const struct location *at)
{
	if (shadow_find(&s->shadow, at->addr, at->size) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < s->shadow.n_met; i++) {
		if (s->shadow.met[i] >= s->n_cells)
			continue;
		struct cell *c = &s->cells[s->shadow.met[i]];

		forget_list(s, c->writes);
		forget_list(s, c->reads);
		c->used = false;
	}
	return 0;
}

static int look_at(struct search *s, size_t i)
{
	const struct vtb_event *e = &s->trace->events[i];
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	struct access a = { .e = e, .event = i };
	struct location at;

	if (!info || vtb_syncorder_feed(s->order, e) < 0)
		return info ? -ENOMEM : 0;
	s->races->unknown += is_data(info) && e->flags & VTB_EVF_ADDR_UNKNOWN;
	if (!location_of(e, info, &s->trace->tab, &s->places, &at))
		return 0;
	if (e->kind == VTB_E_ALLOC)
		return forget(s, &at);
	a.number = vtb_syncorder_count(s->order, e->thread);
	a.write = is_write_kind(e->kind);
	a.atomic = info->family == VTB_FAMILY_ATOMIC || is_sync_in_memory(info);
	return check_access(s, &a, &at);
}

/* ---- the result */

static int compare(const void *x, const void *y, void *tab)
{
	const struct vtb_race *a = x, *b = y;
	const int r = strcmp(vtb_variable_name(tab, a->var), vtb_variable_name(tab, b->var));

	if (r)
		return r;
	if (a->events[1] != b->events[1])
		return a->events[1] < b->events[1] ? -1 : 1;
	return a->events[0] < b->events[0] ? -1 : a->events[0] > b->events[0];
}

static int search(struct search *s)
{
	int r = places_learn(&s->places, s->trace);

	if (r >= 0)
		r = vtb_syncorder_new(&s->trace->tab, 0, &s->order);
	for (size_t i = 0; r >= 0 && i < s->trace->n_events; i++)
		r = look_at(s, i);
	if (r >= 0 && s->races->n_races)
		qsort_r(s->races->races, s->races->n_races, sizeof(*s->races->races), compare,
		        (void *)(uintptr_t)&s->trace->tab);
	return r < 0 ? r : 0;
}

int vtb_races_of(const struct vtb_trace *trace, struct vtb_races *ret)
{
	struct vtb_races races = { .lost = trace->lost, .order = trace->order };
	struct search s = { .trace = trace, .races = &races };
	const int r = search(&s);

	vtb_syncorder_free(s.order);
	places_fini(&s.places);
	shadow_fini(&s.shadow);
	vtb_map64_fini(&s.groups);
	vtb_map64_fini(&s.by_row);
	free(s.cells);
	free(s.rows);
	if (r < 0)
		vtb_races_fini(&races);
	else
		*ret = races;
	return r;
}

void vtb_races_fini(struct vtb_races *races)
{
	free(races->races);
	*races = (struct vtb_races){ 0 };
}
