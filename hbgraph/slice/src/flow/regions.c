/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define SPAN (1 << 16) /* bounds further apart are no help */
#define FRAME_MAX 65536

int regions_init(struct regions *m, const struct program *p, struct values *v)
{
	int r = 0;

	m->p = p;
	m->values = v;
	for (size_t i = 0; r >= 0 && i < p->image.n_sections; i++)
		if (!p->image.sections[i].code)
			r = objects_find(m, &p->image.sections[i]);
	for (size_t i = 0; r >= 0 && i < m->n_objects; i++)
		if (m->objects[i].shared || m->objects[i].foreign)
			regions_lose(m, REGION(REGION_GLOBAL, i));
	return m->failed ? -ENOMEM : r;
}

void regions_fini(struct regions *m)
{
	for (size_t i = 0; i < m->n_rows; i++)
		free(m->rows[i].readers);
	free(m->rows);
	free(m->objects);
	vtb_map64_fini(&m->known);
	vtb_map64_fini(&m->cells);
	vtb_map64_fini(&m->reading);
}

uint32_t regions_index(struct regions *m, uint64_t id)
{
	uint64_t row;

	if (vtb_map64_get(&m->known, id, &row))
		return (uint32_t)row;
	if (vtb_array_room(m, rows) < 0 || vtb_map64_set(&m->known, id, m->n_rows) < 0) {
		m->failed = true;
		return 0;
	}
	m->rows[m->n_rows] = (struct region){ .id = id, .sum = VALUE_NONE, .all = VALUE_NONE };
	return (uint32_t)m->n_rows++;
}

bool regions_fixed(const struct regions *m, uint32_t region)
{
	const uint64_t id = m->rows[region].id;

	return id >> 32 == REGION_TABLES || (id >> 32 == REGION_GLOBAL && m->objects[(uint32_t)id].fixed);
}

static void tell(struct regions *m, uint32_t region)
{
	for (size_t i = 0; i < m->rows[region].n_readers; i++)
		m->changed(m->arg, m->rows[region].readers[i]);
}

/* ---- places */

static int add_place(struct regions *m, struct place *ret, int n, uint64_t id, int64_t lo, int64_t hi, bool exact)
{
	if (n < 0 || n >= PLACES)
		return -1;
	ret[n] = (struct place){ .region = regions_index(m, id), .lo = lo, .hi = hi, .exact = exact };
	return n + 1;
}

static struct steps place_steps(const struct place *p)
{
	return p->exact ? steps_of(p->lo, p->lo, 0, 0) : (struct steps){ p->step ? p->step : 1, p->rem, 0 };
}

bool places_meet(const struct place *a, const struct place *b)
{
	const uint64_t a_size = a->exact ? (uint64_t)(a->hi - a->lo) : a->size;
	const uint64_t b_size = b->exact ? (uint64_t)(b->hi - b->lo) : b->size;

	return a->region == b->region && a->lo < b->hi && b->lo < a->hi &&
	       !steps_apart(place_steps(a), a_size, place_steps(b), b_size);
}

static int add_objects(struct regions *m, struct place *ret, int n, int64_t lo, int64_t hi, bool exact)
{
	uint32_t o = objects_at(m, (uint64_t)lo);

	if (o == NONE)
		return n;
	if (m->objects[o].hi == (uint64_t)lo)
		o++;
	for (; o < m->n_objects && (int64_t)m->objects[o].lo < hi; o++) {
		const int64_t from = (int64_t)m->objects[o].lo, to = (int64_t)m->objects[o].hi;

		n = add_place(m, ret, n, REGION(REGION_GLOBAL, o), lo > from ? lo : from, hi < to ? hi : to,
		              exact && hi <= to);
	}
	return n;
}

static int in_object(struct regions *m, const struct value_pair *p, unsigned size, struct place *ret, int n)
{
	const uint32_t o = (uint32_t)p->region;
	const int64_t from = (int64_t)m->objects[o].lo, to = (int64_t)m->objects[o].hi;
	int64_t lo = p->lo < from ? from : p->lo, hi = to;

	if (size && p->hi < VALUE_INF && p->hi + size < hi && p->hi + size > from)
		hi = p->hi + size;
	if (p->lo == -VALUE_INF && p->hi <= from && o > 0) /* down from its end */
		n = add_place(m, ret, n, REGION(REGION_GLOBAL, o - 1), (int64_t)m->objects[o - 1].lo,
		              (int64_t)m->objects[o - 1].hi, false);
	if (lo >= hi)
		lo = from;
	return add_place(m, ret, n, p->region, lo, hi, false);
}

/* Does nothing between its bounds lie in its object? */
static bool is_apart(const struct regions *m, const struct value_pair *p, unsigned size)
{
	const struct object *o = &m->objects[(uint32_t)p->region];

	return p->hi + size <= (int64_t)o->lo || p->lo >= (int64_t)o->hi;
}

int regions_places(struct regions *m, uint32_t address, unsigned size, struct place *ret)
{
	const struct value x = *value_at(m->values, address);
	int n = x.any ? -1 : 0;

	for (uint32_t i = 0; n >= 0 && i < x.n; i++) {
		const struct value_pair *p = &x.pair[i];
		const bool near = size && p->lo > -VALUE_INF && p->hi < VALUE_INF && p->hi - p->lo <= SPAN;
		const bool exact = near && p->lo == p->hi;
		const int first = n;

		if (p->region >> 32 == REGION_CODE)
			continue;
		if (p->region >> 32 != REGION_GLOBAL)
			n = add_place(m, ret, n, p->region, p->lo, size && p->hi < VALUE_INF ? p->hi + size : VALUE_INF,
			              exact);
		else if (exact || (near && is_apart(m, p, size)))
			n = add_objects(m, ret, n, p->lo, p->hi + size, exact);
		else
			n = in_object(m, p, size, ret, n);
		for (int k = first; k < n && size && !exact && p->step >= size; k++) {
			ret[k].step = p->step;
			ret[k].rem = p->rem;
			ret[k].size = size;
		}
	}
	return n;
}

bool regions_safe(const struct regions *m, const struct value_pair *p, unsigned size, bool writes)
{
	const struct image *im = &m->p->image;
	const uint64_t kind = p->region >> 32;
	const int64_t end = p->hi + size;

	if (p->lo <= -VALUE_INF || p->hi >= VALUE_INF)
		return false;
	if (kind == REGION_FRAME || kind == REGION_TLS || kind == REGION_ERRNO)
		return p->lo >= -FRAME_MAX && end <= FRAME_MAX;
	if (kind != REGION_GLOBAL || end - p->lo > SPAN)
		return false;
	for (int64_t at = p->lo; at < end; at = at + 4096 < end || at == end - 1 ? at + 4096 : end - 1) {
		const struct image_section *s = image_at(im, (uint64_t)at);

		if (!s || (writes && (!s->writable || ((uint64_t)at >= im->relro_lo && (uint64_t)at < im->relro_hi))))
			return false;
	}
	return true;
}

/* ---- contents */

/* How a word of 4 bytes was written: as all of a store, as the beginning or the rest of a longer one. */
enum { CELL_WORD = 1, CELL_BEGIN = 2, CELL_REST = 4, CELL_MIXED = 8 };

static uint64_t cell_key(uint32_t region, int64_t offset)
{
	return (uint64_t)region << 44 | ((uint64_t)(offset >> 2) & 0xfffffffffffull);
}

static bool add_to_cell(struct regions *m, uint32_t region, int64_t offset, uint32_t value, unsigned how)
{
	uint64_t *cell = vtb_map64_put(&m->cells, cell_key(region, offset), VALUE_NONE);
	uint64_t old, joined;

	if (!cell)
		return m->failed = true;
	old = *cell;
	joined = value_join(m->values, (uint32_t)old, value) | (old >> 32 | how) << 32;
	*cell = joined;
	return joined != old;
}

static bool store_cells(struct regions *m, const struct place *place, unsigned size, uint32_t value)
{
	const int64_t at = place->lo;
	const uint32_t blurred = value_blur(m->values, value);
	bool changed = false;

	if (!(at & 3) && size == 4)
		return add_to_cell(m, place->region, at, value_low(m->values, value), CELL_WORD);
	if (!(at & 3) && size == 8) {
		changed = add_to_cell(m, place->region, at, value, CELL_BEGIN);
		return add_to_cell(m, place->region, at + 4, value_join(m->values, blurred, VALUE_NUMBER), CELL_REST) ||
		       changed;
	}
	for (int64_t w = at & ~3ll; w < at + size; w += 4)
		changed |= add_to_cell(m, place->region, w, value_join(m->values, blurred, VALUE_NUMBER), CELL_MIXED);
	return changed;
}

/* Only addresses keep their meaning where it is not known who reads how many bytes of it. */
static uint32_t loose(struct regions *m, uint32_t value)
{
	const struct value *x = value_at(m->values, value);

	return x->n && !x->number ? value : value_blur(m->values, value_join(m->values, value, VALUE_NUMBER));
}

void regions_store(struct regions *m, const struct place *place, unsigned size, uint32_t value)
{
	const uint32_t r = place->region;
	bool changed = false;
	uint32_t all;

	if (value == VALUE_NONE || regions_fixed(m, r))
		return;
	if (m->rows[r].lost) {
		value_lose(m->values, value);
		return;
	}
	if (place->exact && size && size <= 64)
		changed = store_cells(m, place, size, value);
	else {
		const uint32_t sum = value_join(m->values, m->rows[r].sum, loose(m, value));

		changed = sum != m->rows[r].sum;
		m->rows[r].sum = sum;
	}
	all = value_join(m->values, m->rows[r].all, loose(m, value));
	changed |= all != m->rows[r].all;
	m->rows[r].all = all;
	if (changed)
		tell(m, r);
}

static uint32_t load_cells(struct regions *m, const struct place *place, unsigned size)
{
	const int64_t at = place->lo;
	uint64_t cell[2] = { VALUE_NONE, VALUE_NONE };
	uint32_t v = VALUE_NONE;

	vtb_map64_get(&m->cells, cell_key(place->region, at), &cell[0]);
	vtb_map64_get(&m->cells, cell_key(place->region, at + 4), &cell[1]);
	if (!(at & 3) && size == 8 && !(cell[0] >> 32 & ~(uint64_t)CELL_BEGIN) &&
	    !(cell[1] >> 32 & ~(uint64_t)CELL_REST))
		return (uint32_t)cell[0];
	if (!(at & 3) && size == 4 && !(cell[0] >> 32 & (CELL_REST | CELL_MIXED)))
		return value_low(m->values, (uint32_t)cell[0]);
	for (int64_t w = at & ~3ll; w < at + size; w += 4) {
		uint64_t x = VALUE_NONE;

		vtb_map64_get(&m->cells, cell_key(place->region, w), &x);
		if (size == 8 && value_at(m->values, (uint32_t)x)->part)
			return VALUE_ANY;
		if ((uint32_t)x != VALUE_NONE)
			v = value_join(m->values, v,
			               value_join(m->values, value_blur(m->values, (uint32_t)x), VALUE_NUMBER));
	}
	return v;
}

static void add_reader(struct regions *m, uint32_t region, uint32_t node)
{
	struct region *r = &m->rows[region];
	const uint64_t key = (uint64_t)region << 32 | node;
	uint64_t known;

	if (vtb_map64_get(&m->reading, key, &known))
		return;
	if (vtb_map64_set(&m->reading, key, 1) < 0 || vtb_array_room(r, readers) < 0)
		m->failed = true;
	else
		r->readers[r->n_readers++] = node;
}

uint32_t regions_load(struct regions *m, const struct place *place, unsigned size, uint32_t node)
{
	const struct region *r = &m->rows[place->region];
	uint32_t v;

	if (r->lost)
		return size == 4 ? VALUE_PART : size && size < 8 ? VALUE_NUMBER : VALUE_ANY;
	if (place->exact && size && size <= 64) {
		const uint32_t sum = size == 8 ? r->sum : value_blur(m->values, r->sum);

		v = value_join(m->values, load_cells(m, place, size), sum);
	} else {
		v = r->all;
	}
	add_reader(m, place->region, node);
	return value_join(m->values, v, objects_initial(m, place, size));
}

/* What it held from the beginning is known outside. */
static void lose_initial(struct regions *m, uint32_t r)
{
	const struct object *o;
	struct place whole = { .region = r };

	if (m->rows[r].id >> 32 != REGION_GLOBAL) /* other numbers are not of objects */
		return;
	o = &m->objects[(uint32_t)m->rows[r].id];
	whole.lo = (int64_t)o->lo;
	whole.hi = (int64_t)o->hi;
	value_lose(m->values, objects_initial(m, &whole, 0));
}

void regions_lose(struct regions *m, uint64_t id)
{
	const uint32_t r = regions_index(m, id);

	if (m->failed || m->rows[r].handed)
		return;
	m->rows[r].handed = true;
	m->rows[r].lost = !regions_fixed(m, r);
	value_lose(m->values, m->rows[r].all);
	lose_initial(m, r);
	if (m->lost)
		m->lost(m->arg, id);
	tell(m, r);
}
