/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of bytes: a map from granules of memory to which bytes of each. */
#include <errno.h>

#include "predicate_priv.h"

#define GRANULE 8u

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

int vtb_predicate_note_bytes(struct vtb_map64 *map, const struct vtb_event *e)
{
	const struct span s = span_of(e);

	for (uint64_t g = s.first; g <= s.last; g++) {
		uint64_t *bytes = vtb_map64_put(map, g, 0);

		if (!bytes)
			return -ENOMEM;
		*bytes |= bytes_in(&s, g);
	}
	return 0;
}

bool vtb_predicate_has_bytes(const struct vtb_map64 *map, const struct vtb_event *e)
{
	const struct span s = span_of(e);

	for (uint64_t g = s.first; g <= s.last; g++) {
		const uint64_t *bytes = vtb_map64_at(map, g);

		if (bytes && *bytes & bytes_in(&s, g))
			return true;
	}
	return false;
}
