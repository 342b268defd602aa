/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of bytes: a map from granules of memory to which bytes of each, and a list of what is large. */
#include <errno.h>
#include <stdlib.h>

#include "predicate_priv.h"
#include "vtb/array.h"

#define GRANULE 8u
#define FEW 64u /* granules that are noted one by one */

struct span {
	uint64_t first, last; /* granules */
	uint64_t addr, end;
};

static struct span span_of(const struct vtb_event *e)
{
	const uint64_t size = e->size ? e->size : 1;
	struct span s = { .addr = e->addr, .end = e->addr + size };

	if (e->flags & VTB_EVF_ADDR_SYMBOLIC) { /* all of the variable */
		s.addr = (UINT64_C(1) << 62) + (uint64_t)e->var * GRANULE;
		s.end = s.addr + GRANULE;
	}
	s.first = s.addr / GRANULE;
	s.last = (s.end - 1) / GRANULE;
	return s;
}

/* Which bytes of the granule, a bit each. */
static uint64_t bytes_in(const struct span *s, uint64_t granule)
{
	const uint64_t base = granule * GRANULE;
	uint64_t bits = 0;

	for (uint64_t i = 0; i < GRANULE; i++)
		bits |= (uint64_t)(base + i >= s->addr && base + i < s->end) << i;
	return bits;
}

static bool is_wide(const struct span *s)
{
	return s->last - s->first >= FEW;
}

void vtb_predicate_bytes_fini(struct byte_set *set)
{
	vtb_map64_fini(&set->granules);
	free(set->spans);
	*set = (struct byte_set){ 0 };
}

void vtb_predicate_bytes_clear(struct byte_set *set)
{
	vtb_map64_clear(&set->granules);
	set->n_spans = 0;
}

static int note_span(struct byte_set *set, const struct span *s)
{
	for (size_t i = 0; i < set->n_spans; i++) /* the same block or table again and again */
		if (set->spans[i].addr <= s->addr && s->end <= set->spans[i].end)
			return 0;
	if (vtb_array_room(set, spans) < 0)
		return -ENOMEM;
	set->spans[set->n_spans++] = (struct byte_span){ s->addr, s->end };
	return 0;
}

int vtb_predicate_note_bytes(struct byte_set *set, const struct vtb_event *e)
{
	const struct span s = span_of(e);

	if (is_wide(&s))
		return note_span(set, &s);
	for (uint64_t g = s.first; g <= s.last; g++) {
		uint64_t *bytes = vtb_map64_put(&set->granules, g, 0);

		if (!bytes)
			return -ENOMEM;
		*bytes |= bytes_in(&s, g);
	}
	return 0;
}

/* Of what is large, all that the set has is looked at instead. */
static bool has_any_granule(const struct vtb_map64 *map, const struct span *s)
{
	for (size_t i = 0; map->cells && i <= map->mask; i++)
		if (map->cells[i].key && map->cells[i].value & bytes_in(s, map->cells[i].key))
			return true;
	return map->has_zero && map->zero & bytes_in(s, 0);
}

static bool has_granule(const struct vtb_map64 *map, const struct span *s)
{
	if (is_wide(s))
		return has_any_granule(map, s);
	for (uint64_t g = s->first; g <= s->last; g++) {
		const uint64_t *bytes = vtb_map64_at(map, g);

		if (bytes && *bytes & bytes_in(s, g))
			return true;
	}
	return false;
}

bool vtb_predicate_has_bytes(const struct byte_set *set, const struct vtb_event *e)
{
	const struct span s = span_of(e);

	for (size_t i = 0; i < set->n_spans; i++)
		if (set->spans[i].addr < s.end && s.addr < set->spans[i].end)
			return true;
	return has_granule(&set->granules, &s);
}
