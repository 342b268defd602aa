/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "objects.h"

#include <errno.h>
#include <string.h>

#include "vtb/array.h"

#define NEAR 256u      /* how far before an object its address may be computed from */
#define SPAN (1 << 20) /* longer ones are not looked through for addresses */

/* ---- objects of the file */

static bool is_fixed(const struct image *im, uint64_t lo, uint64_t hi)
{
	const struct image_section *s = image_at(im, lo);

	return s && (!s->writable || (lo >= im->relro_lo && hi <= im->relro_hi));
}

static int add_object(struct regions *m, uint64_t lo, uint64_t hi, bool shared)
{
	uint64_t found;

	if (lo >= hi)
		return 0;
	if (vtb_array_room(m, objects) < 0)
		return -ENOMEM;
	m->objects[m->n_objects] = (struct object){
		.lo = lo, .hi = hi, .shared = shared, .foreign = vtb_map64_get(&m->p->image.foreign, lo, &found)
	};
	m->objects[m->n_objects].fixed = !m->objects[m->n_objects].foreign && is_fixed(&m->p->image, lo, hi);
	m->n_objects++;
	return 0;
}

int objects_find(struct regions *m, const struct image_section *s)
{
	const struct image *im = &m->p->image;
	uint64_t at = s->addr;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < im->n_symbols; i++) {
		const struct image_symbol *x = &im->symbols[i];
		const uint64_t end = x->addr + x->size;

		if (x->function || !x->size || x->addr < s->addr || end > s->addr + s->size)
			continue;
		if (x->addr < at) { /* another name, or a part, of the last one */
			if (m->n_objects && m->objects[m->n_objects - 1].hi == at) {
				m->objects[m->n_objects - 1].shared |= x->shared;
				m->objects[m->n_objects - 1].hi = end > at ? end : at;
			}
			at = end > at ? end : at;
			continue;
		}
		r = add_object(m, at, x->addr, false);
		if (r >= 0)
			r = add_object(m, x->addr, end, x->shared);
		at = end;
	}
	return r < 0 ? r : add_object(m, at, s->addr + s->size, false);
}

/* The object that holds addr, or ends there if none does. */
uint32_t objects_at(const struct regions *m, uint64_t addr)
{
	size_t lo = 0, hi = m->n_objects;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (m->objects[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr <= m->objects[lo - 1].hi ? (uint32_t)lo - 1 : NONE;
}

/* ---- what the file itself holds */

/* The compiler's own tables of classes: nobody counts down from one to what lies before it. */
static bool is_class_table(const struct image *im, const struct object *o)
{
	const struct image_symbol *s = image_symbol(im, o->lo);

	return s && s->addr == o->lo && !strncmp(s->name, "_ZT", 3);
}

static uint32_t address_in(struct regions *m, uint64_t addr)
{
	const uint32_t o = objects_at(m, addr);
	uint32_t v;

	if (o == NONE)
		return value_const(m->values, (int64_t)addr);
	v = value_address(m->values, REGION(REGION_GLOBAL, o), (int64_t)addr, (int64_t)addr);
	if (m->objects[o].lo == addr)
		return v;
	for (uint32_t k = o + 1; k < m->n_objects && m->objects[k].lo <= addr + NEAR; k++)
		if (!is_class_table(&m->p->image, &m->objects[k]))
			v = value_join(
			    m->values, v,
			    value_address(m->values, REGION(REGION_GLOBAL, k), (int64_t)addr, (int64_t)addr));
	return v;
}

uint32_t regions_constant(struct regions *m, uint64_t number)
{
	const struct image *im = &m->p->image;
	const struct image_section *s = number >= im->lo && number <= im->hi ? image_at(im, number) : NULL;
	uint64_t f;

	if (number < im->lo || number > im->hi)
		return value_const(m->values, (int64_t)number);
	if (s && s->code)
		return vtb_map64_get(&m->p->starts, number, &f) ? value_address(m->values, REGION(REGION_CODE, f), 0, 0)
		                                                : value_const(m->values, (int64_t)number);
	return address_in(m, number);
}

uint32_t regions_at(struct regions *m, uint64_t addr)
{
	const uint32_t o = objects_at(m, addr);

	return o == NONE || m->objects[o].hi == addr
	           ? regions_constant(m, addr)
	           : value_address(m->values, REGION(REGION_GLOBAL, o), (int64_t)addr, (int64_t)addr);
}

static uint32_t word_in(struct regions *m, uint64_t addr)
{
	const struct image *im = &m->p->image;
	uint64_t to, number = 0;
	size_t n;
	const uint8_t *b;

	if (vtb_map64_get(&im->pointers, addr, &to))
		return regions_constant(m, to);
	if (image_slot(im, addr))
		return VALUE_ANY;
	b = image_bytes(im, addr, &n);
	if (b && n >= 8)
		memcpy(&number, b, 8);
	return im->movable ? value_const(m->values, (int64_t)number) : regions_constant(m, number);
}

/* Of pointers into itself. */
static bool is_vector(const struct regions *m, const struct place *place)
{
	const uint64_t kind = m->rows[place->region].id >> 32;

	return kind == REGION_TABLES || kind == REGION_ARGUMENTS;
}

/* Before anything is stored. */
uint32_t objects_initial(struct regions *m, const struct place *place, unsigned size)
{
	const struct image *im = &m->p->image;
	uint32_t v = VALUE_NUMBER;
	int32_t half = 0;
	uint64_t to;
	size_t n;
	const uint8_t *b;

	if (is_vector(m, place) && (!size || size == 8))
		return value_join(m->values, v,
		                  value_address(m->values, m->rows[place->region].id, -VALUE_INF, VALUE_INF));
	if (m->rows[place->region].id >> 32 != REGION_GLOBAL)
		return m->rows[place->region].id >> 32 == REGION_FRAME ? VALUE_NONE : VALUE_NUMBER;
	if (place->exact && size == 8)
		return word_in(m, (uint64_t)place->lo);
	if (place->exact && size == 4) {
		b = image_bytes(im, (uint64_t)place->lo, &n);
		if (b && n >= 4)
			memcpy(&half, b, 4);
		v = value_range(m->values, half, half, true);
		return vtb_map64_get(&im->pointers, (uint64_t)place->lo & ~7ull, &to)
		           ? value_join(m->values, v, value_blur(m->values, regions_constant(m, to)))
		           : v; /* half of an address */
	}
	if (size && size < 8) /* no address fits */
		return VALUE_NUMBER;
	if (place->hi - place->lo > SPAN)
		return VALUE_ANY;
	for (int64_t at = (place->lo + 7) & ~7ll; at + 8 <= place->hi; at += 8)
		v = value_join(m->values, v, value_blur(m->values, word_in(m, (uint64_t)at)));
	return v;
}
