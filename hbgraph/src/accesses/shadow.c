/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shadow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

void shadow_fini(struct shadow *s)
{
	vtb_map64_fini(&s->by_page);
	free(s->pages);
	free(s->cells);
	free(s->ranges);
	free(s->huge);
	free(s->own);
	free(s->met);
	*s = (struct shadow){ 0 };
}

static void forget(struct shadow *s)
{
	vtb_map64_clear(&s->by_page);
	s->n_pages = s->n_cells = 0;
	s->accesses = 0;
	s->enough = 0;
}

#define FEW_CELLS 1024u

/* Ranges leave a cell behind, and so do places that no run touches again: up to twice what the first one needed. */
void shadow_clear(struct shadow *s)
{
	if (!s->enough)
		s->enough = 2 * s->n_cells + FEW_CELLS;
	s->run++;
	if (s->n_cells > s->enough || s->run == 0) /* wrapped: old pages would look new */
		forget(s);
	s->n_ranges = s->n_huge = s->n_own = s->n_met = 0;
}

static int add_cell(struct shadow *s, uint8_t mask, uint32_t next, uint32_t *ret)
{
	if (vtb_array_room(s, cells) < 0)
		return -ENOMEM;
	*ret = (uint32_t)s->n_cells;
	s->cells[s->n_cells++] = (struct shadow_cell){ .next = next, .mask = mask };
	return 0;
}

static int add_range(struct shadow *s, struct shadow_page *page, uint64_t lo, uint64_t hi, uint32_t cell)
{
	if (vtb_array_room(s, ranges) < 0)
		return -ENOMEM;
	s->ranges[s->n_ranges] = (struct shadow_range){ .lo = lo, .hi = hi, .cell = cell, .next = page->ranges };
	page->ranges = (uint32_t)s->n_ranges++;
	return 0;
}

/* A page that is made after a huge range must know it. */
static int inherit_huge(struct shadow *s, struct shadow_page *page)
{
	const uint64_t lo = page->base, last = lo + (UINT64_C(1) << SHADOW_PAGE_BITS) - 1;
	size_t i = 0, above = s->n_huge;

	while (i < above) { /* first range that begins after the page */
		const size_t middle = (i + above) / 2;

		if (s->huge[middle].lo <= last)
			i = middle + 1;
		else
			above = middle;
	}
	while (i-- > 0 && s->huge[i].reach > lo)
		if (s->huge[i].hi > lo && add_range(s, page, s->huge[i].lo, s->huge[i].hi, s->huge[i].cell) < 0)
			return -ENOMEM;
	return 0;
}

/* The first access of this run to it. */
static int begin_page(struct shadow *s, struct shadow_page *page)
{
	page->ranges = SHADOW_NONE;
	if (s->n_huge && inherit_huge(s, page) < 0)
		return -ENOMEM;
	page->run = s->run;
	return 0;
}

static struct shadow_page *new_page(struct shadow *s, uint64_t number)
{
	struct shadow_page *page;

	if (vtb_array_room(s, pages) < 0)
		return NULL;
	page = &s->pages[s->n_pages];
	page->base = number << SHADOW_PAGE_BITS;
	page->used = 0;
	if (begin_page(s, page) < 0)
		return NULL;
	s->n_pages++;
	return page;
}

/* The page, if it was accessed lately: most accesses stay near others. */
static inline struct shadow_page *recent_page(const struct shadow *s, uint64_t addr)
{
	const uint64_t number = addr >> SHADOW_PAGE_BITS;
	const uint32_t at = s->recent[number % SHADOW_RECENT];

	return at < s->n_pages && s->pages[at].base == number << SHADOW_PAGE_BITS && s->pages[at].run == s->run
	           ? &s->pages[at]
	           : NULL;
}

static struct shadow_page *page_of(struct shadow *s, uint64_t addr)
{
	const uint64_t number = addr >> SHADOW_PAGE_BITS;
	const uint32_t fresh = (uint32_t)s->n_pages;
	struct shadow_page *page = recent_page(s, addr);
	uint64_t *at;

	if (page)
		return page;
	at = vtb_map64_put(&s->by_page, number, fresh);
	if (!at || (*at == fresh && !new_page(s, number)))
		return NULL;
	if (s->pages[*at].run != s->run && begin_page(s, &s->pages[*at]) < 0)
		return NULL;
	s->recent[number % SHADOW_RECENT] = (uint32_t)*at;
	return &s->pages[*at];
}

static int met(struct shadow *s, uint32_t cell)
{
	if (s->cells[cell].mark == s->accesses)
		return 0;
	s->cells[cell].mark = s->accesses;
	if (vtb_array_room(s, met) < 0)
		return -ENOMEM;
	s->met[s->n_met++] = cell;
	return 0;
}

static int own(struct shadow *s, uint32_t cell)
{
	s->cells[cell].mark = s->accesses; /* never in met */
	if (vtb_array_room(s, own) < 0)
		return -ENOMEM;
	s->own[s->n_own++] = cell;
	return 0;
}

/* Ranges of the page that share a byte with [lo, last]. */
static int meet_ranges(struct shadow *s, const struct shadow_page *page, uint64_t lo, uint64_t last)
{
	for (uint32_t i = page->ranges; i != SHADOW_NONE; i = s->ranges[i].next)
		if (s->ranges[i].lo <= last && s->ranges[i].hi > lo && met(s, s->ranges[i].cell) < 0)
			return -ENOMEM;
	return 0;
}

/* Cells of one granule that share a byte with `mask`. */
static int meet_granule(struct shadow *s, const struct shadow_page *page, uint32_t granule, uint8_t mask)
{
	if (!(page->used >> granule & 1))
		return 0;
	for (uint32_t c = page->cells[granule]; c != SHADOW_NONE; c = s->cells[c].next)
		if (s->cells[c].mask & mask && met(s, c) < 0)
			return -ENOMEM;
	return 0;
}

/* Bytes of the granule at `base` that lie in [lo, last]. */
static uint8_t mask_of(uint64_t base, uint64_t lo, uint64_t last)
{
	const unsigned from = lo > base ? (unsigned)(lo - base) : 0;
	const unsigned to = last < base + 7 ? (unsigned)(last - base) : 7;

	return (uint8_t)(0xffu << from & 0xffu >> (7 - to));
}

/* The cell with exactly this mask, put at the front of its granule's list if it is new. */
static int own_granule(struct shadow *s, struct shadow_page *page, uint32_t granule, uint8_t mask)
{
	const uint32_t head = page->used >> granule & 1 ? page->cells[granule] : SHADOW_NONE;
	uint32_t c = head;

	while (c != SHADOW_NONE && s->cells[c].mask != mask)
		c = s->cells[c].next;
	if (c == SHADOW_NONE) {
		if (add_cell(s, mask, head, &c) < 0)
			return -ENOMEM;
		page->cells[granule] = c;
		page->used |= UINT64_C(1) << granule;
	}
	if (own(s, c) < 0)
		return -ENOMEM;
	return meet_granule(s, page, granule, mask);
}

static int access_granule(struct shadow *s, uint64_t base, uint64_t lo, uint64_t last)
{
	struct shadow_page *page = page_of(s, base);
	const uint32_t granule = base >> 3 & (SHADOW_GRANULES - 1);

	if (!page)
		return -ENOMEM;
	if (own_granule(s, page, granule, mask_of(base, lo, last)) < 0)
		return -ENOMEM;
	return page->ranges == SHADOW_NONE ? 0 : meet_ranges(s, page, lo, last);
}

static int access_small(struct shadow *s, uint64_t lo, uint64_t last)
{
	for (uint64_t base = lo & ~UINT64_C(7);; base += 8) {
		if (access_granule(s, base, lo, last) < 0)
			return -ENOMEM;
		if (last - base < 8)
			return 0;
	}
}

/* Everything in a page that shares a byte with [lo, last]. */
static int meet_page(struct shadow *s, const struct shadow_page *page, uint64_t lo, uint64_t last)
{
	for (uint64_t rest = page->used; rest; rest &= rest - 1) {
		const uint32_t granule = (uint32_t)__builtin_ctzll(rest);
		const uint64_t base = page->base + 8u * granule;

		if (base > last || base + 7 < lo)
			continue;
		if (meet_granule(s, page, granule, mask_of(base, lo, last)) < 0)
			return -ENOMEM;
	}
	return meet_ranges(s, page, lo, last);
}

/* Visit the pages that exist and meet [lo, last]: those of the range or all, whichever are fewer. `cell`: enter it too.
 */
static int visit_pages(struct shadow *s, uint64_t lo, uint64_t last, uint32_t cell)
{
	const uint64_t first = lo >> SHADOW_PAGE_BITS, end = (last >> SHADOW_PAGE_BITS) + 1;
	const bool all = end - first > s->n_pages;
	const uint64_t n = all ? s->n_pages : end - first;

	for (uint64_t i = 0; i < n; i++) {
		const uint64_t *at = all ? NULL : vtb_map64_at(&s->by_page, first + i);
		struct shadow_page *page = all ? &s->pages[i] : at ? &s->pages[*at] : NULL;

		if (!page || page->run != s->run || page->base >> SHADOW_PAGE_BITS < first ||
		    page->base >> SHADOW_PAGE_BITS >= end)
			continue;
		if (meet_page(s, page, lo, last) < 0)
			return -ENOMEM;
		if (cell != SHADOW_NONE && add_range(s, page, lo, last + 1, cell) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int enter_huge(struct shadow *s, uint64_t lo, uint64_t hi, uint32_t cell)
{
	size_t i;

	if (vtb_array_room(s, huge) < 0)
		return -ENOMEM;
	for (i = s->n_huge; i > 0 && s->huge[i - 1].lo > lo; i--)
		s->huge[i] = s->huge[i - 1];
	s->huge[i] = (struct shadow_huge){ .lo = lo, .hi = hi, .cell = cell };
	s->n_huge++;
	for (; i < s->n_huge; i++) {
		const uint64_t before = i ? s->huge[i - 1].reach : 0;

		s->huge[i].reach = s->huge[i].hi > before ? s->huge[i].hi : before;
	}
	return 0;
}

static uint32_t known_huge(const struct shadow *s, uint64_t lo, uint64_t hi)
{
	size_t i = 0, above = s->n_huge;

	while (i < above) {
		const size_t middle = (i + above) / 2;

		if (s->huge[middle].lo < lo)
			i = middle + 1;
		else
			above = middle;
	}
	for (; i < s->n_huge && s->huge[i].lo == lo; i++)
		if (s->huge[i].hi == hi)
			return s->huge[i].cell;
	return SHADOW_NONE;
}

static uint32_t known_range(const struct shadow *s, uint64_t lo, uint64_t hi)
{
	const uint64_t *at = vtb_map64_at(&s->by_page, lo >> SHADOW_PAGE_BITS);
	const bool any = at && s->pages[*at].run == s->run;

	if (hi - lo > SHADOW_HUGE)
		return known_huge(s, lo, hi);
	for (uint32_t i = any ? s->pages[*at].ranges : SHADOW_NONE; i != SHADOW_NONE; i = s->ranges[i].next)
		if (s->ranges[i].lo == lo && s->ranges[i].hi == hi)
			return s->ranges[i].cell;
	return SHADOW_NONE;
}

static int access_range(struct shadow *s, uint64_t lo, uint64_t last)
{
	uint32_t cell = known_range(s, lo, last + 1);
	const bool fresh = cell == SHADOW_NONE, is_huge = last - lo >= SHADOW_HUGE;

	if (fresh && add_cell(s, 0, SHADOW_NONE, &cell) < 0)
		return -ENOMEM;
	if (own(s, cell) < 0)
		return -ENOMEM;
	for (uint64_t page = lo >> SHADOW_PAGE_BITS; fresh && !is_huge && page <= last >> SHADOW_PAGE_BITS; page++)
		if (!page_of(s, page << SHADOW_PAGE_BITS))
			return -ENOMEM;
	if (visit_pages(s, lo, last, fresh ? cell : SHADOW_NONE) < 0)
		return -ENOMEM;
	if (is_huge) /* other huge ranges may meet it where there is no page */
		for (size_t i = 0; i < s->n_huge && s->huge[i].lo <= last; i++)
			if (s->huge[i].hi > lo && met(s, s->huge[i].cell) < 0)
				return -ENOMEM;
	return fresh && is_huge ? enter_huge(s, lo, last + 1, cell) : 0;
}

static uint64_t last_of(uint64_t addr, uint64_t size)
{
	const uint64_t room = UINT64_MAX - 1 - addr; /* a range ends before 2^64 - 1, so that last + 1 does not wrap */

	size = size ? size : 1;
	return addr >= UINT64_MAX - 1 ? addr : size - 1 > room ? addr + room : addr + size - 1;
}

static void begin(struct shadow *s)
{
	s->n_own = s->n_met = 0;
	if (++s->accesses == 0) { /* wrapped: old marks would look new */
		for (size_t i = 0; i < s->n_cells; i++)
			s->cells[i].mark = 0;
		s->accesses = 1;
	}
}

/* One cell, which shares no byte with others of its granule, where no range lies: most accesses. */
static inline bool is_apart(struct shadow *s, uint64_t addr, uint64_t size)
{
	const struct shadow_page *page = recent_page(s, addr);
	const uint32_t granule = addr >> 3 & (SHADOW_GRANULES - 1);
	const uint8_t mask = (uint8_t)(((1u << size) - 1) << (addr & 7));
	uint32_t own = SHADOW_NONE;

	if (!page || page->ranges != SHADOW_NONE || !(page->used >> granule & 1) || !s->cap_own)
		return false;
	for (uint32_t c = page->cells[granule]; c != SHADOW_NONE; c = s->cells[c].next)
		if (s->cells[c].mask == mask)
			own = c;
		else if (s->cells[c].mask & mask)
			return false;
	if (own == SHADOW_NONE)
		return false;
	s->own[0] = own;
	s->n_own = 1;
	s->n_met = 0;
	return true;
}

__attribute__((noinline)) static int access_slow(struct shadow *s, uint64_t addr, uint64_t size)
{
	const uint64_t last = last_of(addr, size);

	begin(s);
	return last - addr < SHADOW_SMALL ? access_small(s, addr, last) : access_range(s, addr, last);
}

int shadow_access(struct shadow *s, uint64_t addr, uint64_t size)
{
	if ((addr & 7) + size - 1 < 8 && is_apart(s, addr, size)) /* size 0 wraps */
		return 0;
	return access_slow(s, addr, size);
}

int shadow_find(struct shadow *s, uint64_t addr, uint64_t size)
{
	const uint64_t last = last_of(addr, size);

	begin(s);
	if (visit_pages(s, addr, last, SHADOW_NONE) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_huge && s->huge[i].lo <= last; i++)
		if (s->huge[i].hi > addr && met(s, s->huge[i].cell) < 0)
			return -ENOMEM;
	return 0;
}
