/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shadow.h: from byte ranges to cells. A cell stands for one exact range that was accessed; its user keeps what it
 * wants to know about that range in an array of its own, under the cell's number.
 *
 *   page (512 bytes of addresses)      granule (8 bytes)         cell: bytes of the granule as a mask
 *   ┌────────────────────────────┐     ┌───────────────┐
 *   │ 64 granules ───────────────┼───► │ list of cells ┼──► 00001111 ──► 00000011
 *   │ ranges: lo, hi, cell       │     └───────────────┘
 *   └────────────────────────────┘     accesses of up to 64 bytes: one cell a granule
 *
 * Larger accesses (free of a block, most of all) have one cell for the whole range, which is entered in each page that
 * it meets; beyond 4 KiB only in those pages that exist, and pages that are made later look it up. So the cost of an
 * access depends on what lies around it, not on how many blocks were freed elsewhere.
 *
 * A run touches what the run before has touched. So it begins with the cells of small accesses that there are, under
 * their numbers, in pages that are there again as soon as they are accessed. Its user has to know that they are empty.
 */
#ifndef VTB_HBGRAPH_SHADOW_H
#define VTB_HBGRAPH_SHADOW_H

#include <stddef.h>
#include <stdint.h>

#include "vtb/map64.h"

#define SHADOW_NONE UINT32_MAX
#define SHADOW_PAGE_BITS 9
#define SHADOW_GRANULES 64u
#define SHADOW_SMALL 64u /* bytes; larger accesses are ranges */
#define SHADOW_RECENT 64u
#define SHADOW_HUGE 4096u /* bytes; larger ranges are not entered in every page */

struct shadow_cell {
	uint32_t next; /* of the same granule, or SHADOW_NONE */
	uint32_t mark; /* number of the access that met it last */
	uint8_t mask;  /* bytes of the granule; 0: a range */
};

struct shadow_range {
	uint64_t lo, hi; /* [lo, hi), whole range */
	uint32_t cell;
	uint32_t next; /* of the same page, or SHADOW_NONE */
};

struct shadow_page {
	uint64_t base;                   /* first address */
	uint64_t used;                   /* bit i: granule i has cells */
	uint32_t ranges;                 /* first, or SHADOW_NONE */
	uint32_t run;                    /* that accessed it last; to all others it does not exist */
	uint32_t cells[SHADOW_GRANULES]; /* first of each granule in use */
};

struct shadow_huge {
	uint64_t lo, hi;
	uint64_t reach; /* largest `hi` of this one and those before it */
	uint32_t cell;
};

/* `= {0}` is an empty shadow. */
struct shadow {
	struct vtb_map64 by_page;
	struct shadow_page *pages;
	size_t n_pages, cap_pages;
	struct shadow_cell *cells;
	size_t n_cells, cap_cells;
	struct shadow_range *ranges;
	size_t n_ranges, cap_ranges;
	struct shadow_huge *huge; /* by lo */
	size_t n_huge, cap_huge;
	uint32_t *own; /* result of the last access: cells of exactly this range, granule by granule */
	size_t n_own, cap_own;
	uint32_t *met; /* and all other cells that share a byte with it; each once */
	size_t n_met, cap_met;
	uint32_t accesses;
	uint32_t run;
	size_t enough;                  /* cells; a run that begins with more begins with none */
	uint32_t recent[SHADOW_RECENT]; /* pages of the last accesses, by the end of their number */
};

void shadow_fini(struct shadow *s);
/* Another run begins: nobody has accessed anything. Cells keep their numbers, or there are none (s->n_cells is 0).
 * O(1), now and then O(cells). */
void shadow_clear(struct shadow *s);

/* Find or make the cells of [addr, addr + size) and those that overlap it: s->own, s->met. Size 0 counts as 1.
 * 0 or -ENOMEM. */
int shadow_access(struct shadow *s, uint64_t addr, uint64_t size);

/* The cells that share a byte with the range, in s->met; makes none. O(smaller of pages in the range, pages there are).
 */
int shadow_find(struct shadow *s, uint64_t addr, uint64_t size);

#endif /* VTB_HBGRAPH_SHADOW_H */
