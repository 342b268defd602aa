/* SPDX-License-Identifier: BSD-2-Clause */
#include "owned_cells.h"

#include "owned.h"
#include "owned_cell.h"
#include "owned_sites.h"

uint64_t *vtb_owned_cells;

static struct {
	struct vtb_owned_others *others; /* of each cell; not rolled back, like the cells */
	uint64_t *bytes;                 /* cells of single bytes, NULL: none; theirs */
	struct vtb_owned_others *byte_others;
} owned;

#define MINE_MOST 64u     /* bytes: of more, all cells are gone through once */
#define BYTES (1u << 25)  /* that have cells of their own */
#define SCATTER 0x9e3778u /* about BYTES * 0.31, a multiple of 8 */

/* NULL, too, where the program's memory is limited, and cells would take more than a third of it with these. */
static void *cells_of(uint64_t n, uint64_t size)
{
	static uint64_t taken;
	uint64_t limit[2] = { UINT64_MAX, 0 };

	sys6(SYS_prlimit64, 0, 9 /* RLIMIT_AS */, 0, (long)limit, 0, 0);
	taken += n * size;
	return taken > limit[0] / 3
	           ? NULL
	           : vtb_own_pages(n * size, 3 /* read, write */, 0x4021 /* shared, anonymous, no reserve */, -1);
}

/* Both, or *ret is NULL. */
static void begin_cells(uint64_t n, uint64_t **ret, struct vtb_owned_others **ret_others)
{
	uint64_t *cells = cells_of(n, sizeof(**ret));

	*ret_others = cells ? cells_of(n, sizeof(**ret_others)) : NULL;
	*ret = *ret_others ? cells : NULL;
}

bool vtb_owned_cells_begin(void)
{
	begin_cells(VTB_OWNED_CELLS, &vtb_owned_cells, &owned.others);
	begin_cells(BYTES, &owned.bytes, &owned.byte_others);
	vtb_owned_has_bytes = owned.bytes != NULL;
	return vtb_owned_cells != NULL;
}

struct vtb_owned_others *vtb_owned_others(void)
{
	return owned.others;
}

static void forget(void *cells, uint64_t n, uint64_t size)
{
	if (cells)
		sys3(SYS_madvise, (long)cells, (long)(n * size), 9 /* MADV_REMOVE */);
}

void vtb_owned_cells_epoch(uint32_t now_first, bool again)
{
	vtb_owned_first = now_first;
	if (!again)
		return;
	forget(vtb_owned_cells, VTB_OWNED_CELLS, sizeof(*vtb_owned_cells));
	forget(owned.others, VTB_OWNED_CELLS, sizeof(*owned.others));
	forget(owned.bytes, BYTES, sizeof(*owned.bytes));
	forget(owned.byte_others, BYTES, sizeof(*owned.byte_others));
}

uint32_t vtb_owned_cells_tag(const struct vtb_rt_thread *t)
{
	return vtb_owned_tag(vtb_order_now(t)) | VTB_OWNED_WROTE | VTB_OWNED_PASSED;
}

/* ---- cells of single bytes */

/* What lies a multiple of BYTES apart does not: memory of threads does, piece by piece. */
static uint64_t byte_index(uint64_t addr)
{
	return (addr + addr / BYTES * SCATTER) & (BYTES - 1);
}

static uint64_t *byte_cell(uint64_t addr)
{
	return &owned.bytes[byte_index(addr)];
}

/* The byte is as its cell was; where it shares a cell with another one that was touched, both are shared. */
static void inherit(uint64_t addr, uint64_t cell, const struct vtb_owned_others *others)
{
	uint64_t *to = byte_cell(addr);

	if (vtb_owned_cell_is_fresh(*to))
		*to = cell;
	else
		vtb_owned_collide(to, cell);
	owned.byte_others[byte_index(addr)] = *others;
}

static void split(uint64_t addr)
{
	const uint64_t i = vtb_owned_index(addr), was = vtb_owned_cells[i];

	vtb_owned_cells[i] = (uint64_t)vtb_owned_tag(vtb_owned_first + VTB_OWNED_SPLIT) << 32;
	for (uint64_t at = addr & ~7ull; !vtb_owned_cell_is_fresh(was) && at <= (addr | 7); at++)
		inherit(at, was, &owned.others[i]);
}

/* Does an access to less than a cell split it? Those that are told do: they are where threads meet. */
static bool splits(uint32_t site)
{
	return vtb_owned_has_bytes && (!site || vtb_owned_is_fine(site));
}

/* Bytes of one variable are alike. */
static void touch_bytes(const struct vtb_owned_access *a, uint64_t lo, uint64_t hi)
{
	struct vtb_owned_others others_were = { 0, 0 }, others_are = { 0, 0 };
	uint64_t was = 0, is = 0;

	for (uint64_t at = lo; at < hi; at++) {
		struct vtb_owned_others *others = &owned.byte_others[byte_index(at)];
		uint64_t *cell = byte_cell(at);

		if (at > lo && *cell == was && others->write == others_were.write &&
		    others->reader == others_were.reader) {
			*cell = is;
			*others = others_are;
			continue;
		}
		was = *cell;
		others_were = *others;
		vtb_owned_touch_cell(cell, others, a);
		is = *cell;
		others_are = *others;
	}
}

/* [lo, hi) lies in one cell. */
static void touch(const struct vtb_rt_thread *t, uint64_t lo, uint64_t hi, bool writes, uint32_t site)
{
	const struct vtb_owned_access a = { t, writes, site, ((1u << (hi - lo)) - 1) << (lo & 7) };
	const uint64_t i = vtb_owned_index(lo);
	uint64_t *cell = &vtb_owned_cells[i];

	if (a.bytes != VTB_OWNED_ALL && splits(site) && !vtb_owned_cell_is(*cell, VTB_OWNED_SPLIT) &&
	    !vtb_owned_cell_is(*cell, VTB_OWNED_SHARED))
		split(lo);
	if (vtb_owned_cell_is(*cell, VTB_OWNED_SPLIT))
		touch_bytes(&a, lo, hi);
	else
		vtb_owned_touch_cell(cell, &owned.others[i], &a);
}

/* ---- ranges: their cells are alike, most of the time, and what touch() does to one is known of the next */

struct range {
	uint32_t mine;  /* the upper half that cells are to have, as far as this access goes */
	uint32_t any;   /* where this bit is set besides, it stays */
	uint64_t fresh; /* a cell that nobody has touched in this epoch becomes this */
	uint32_t was;   /* a written cell of this upper half could be taken */
	uint64_t taken; /* and becomes this, */
	uint64_t keeps; /* with these bits of what it was */
	uint32_t write; /* by reading: in which interval it was written */
	bool writes;
};

/* A site that touches all bytes of a cell. */
static inline uint32_t all_of(uint32_t site)
{
	return site ? site | VTB_OWNED_ALL << VTB_OWNED_BYTES : 0;
}

static inline struct range begin_range(const struct vtb_rt_thread *t, bool writes, uint32_t site)
{
	const uint32_t bits = (writes ? VTB_OWNED_WROTE : 0) | (site ? VTB_OWNED_PASSED : 0);
	const uint32_t mine = vtb_owned_tag(vtb_order_now(t)) | bits;

	return (struct range){ .mine = mine,
		               .any = (writes ? 0 : VTB_OWNED_WROTE) | (site ? 0 : VTB_OWNED_PASSED),
		               .fresh = (uint64_t)mine << 32 | all_of(site),
		               .keeps = site ? 0 : (uint64_t)VTB_OWNED_PASSED << 32 | UINT32_MAX,
		               .writes = writes };
}

/* touch() has made of a cell whose upper half was `was` what it is now: has it taken the cell? */
static void learn_range(struct range *r, uint32_t was, uint64_t cell)
{
	const uint32_t now = (uint32_t)(cell >> 32);

	if (!(was & VTB_OWNED_WROTE) || (now | VTB_OWNED_PASSED) != (r->mine | VTB_OWNED_PASSED))
		return;
	r->was = was;
	r->taken = r->fresh & ~r->keeps;
	r->write = was >> VTB_OWNED_SHIFT;
}

/* [lo, hi) lies in one cell. */
static inline void touch_next(const struct vtb_rt_thread *t, struct range *r, uint64_t lo, uint64_t hi, uint32_t site)
{
	const uint64_t i = vtb_owned_index(lo);
	uint64_t *cell = &vtb_owned_cells[i];
	const uint32_t was = (uint32_t)(*cell >> 32);

	if ((was | r->any) == (r->mine | r->any))
		return;
	if (hi - lo < 8) {
		touch(t, lo, hi, r->writes, site);
	} else if (was < vtb_owned_tag(vtb_owned_first)) {
		*cell = r->fresh;
	} else if (was == r->was) {
		*cell = r->taken | (*cell & r->keeps);
		if (!r->writes)
			owned.others[i] = (struct vtb_owned_others){ .write = r->write };
	} else {
		touch(t, lo, hi, r->writes, site);
		learn_range(r, was, *cell);
	}
}

static bool bytes_are(uint64_t lo, uint64_t hi, uint32_t any, uint32_t tag)
{
	for (uint64_t at = lo; at < hi; at++)
		if (((uint32_t)(*byte_cell(at) >> 32) | any) != tag)
			return false;
	return true;
}

static uint64_t end_in_cell(uint64_t lo, uint64_t end)
{
	return (lo | 7) < end ? (lo | 7) + 1 : end;
}

bool vtb_owned_is_shared(uint64_t addr, uint64_t size)
{
	const uint64_t cell = vtb_owned_cells[vtb_owned_index(addr)];

	if (addr % 8 + size > 8)
		return false;
	return vtb_owned_cell_is(cell, VTB_OWNED_SHARED) ||
	       (vtb_owned_cell_is(cell, VTB_OWNED_SPLIT) &&
	        bytes_are(addr, addr + size, 0, vtb_owned_tag(vtb_owned_first + VTB_OWNED_SHARED)));
}

bool vtb_owned_is_mine(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes)
{
	const uint32_t any = writes ? 0 : VTB_OWNED_WROTE;

	if (size > MINE_MOST)
		return false;
	for (uint64_t lo = addr, hi; lo < addr + size; lo = hi) {
		const uint64_t cell = vtb_owned_cells[vtb_owned_index(lo)];

		hi = end_in_cell(lo, addr + size);
		if (((uint32_t)(cell >> 32) | any) != t->base.owned_tag &&
		    !(vtb_owned_cell_is(cell, VTB_OWNED_SPLIT) && bytes_are(lo, hi, any, t->base.owned_tag)))
			return false;
	}
	return true;
}

void vtb_owned_touch_told(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes)
{
	if (VTB_LIKELY(addr % 8 + size <= 8))
		touch(t, addr, addr + size, writes, 0);
	else
		vtb_owned_touch(t, addr, size, writes, 0);
}

void vtb_owned_touch(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes, uint32_t site)
{
	struct range r = begin_range(t, writes, site);

	for (uint64_t lo = addr, hi; lo < addr + size; lo = hi) {
		hi = end_in_cell(lo, addr + size);
		touch_next(t, &r, lo, hi, site);
	}
}

/* What a thread has taken by freeing it is nobody's to pass over without a look. */
static void let_go(uint64_t *cell, uint32_t mine, uint32_t site)
{
	if (*cell >> (32 + VTB_OWNED_SHIFT) == mine >> VTB_OWNED_SHIFT)
		*cell = (uint64_t)mine << 32 | all_of(site);
}

/* A block's cells are alike: where one could be taken that was written in some interval, so can the next one. */
void vtb_owned_touch_freed(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, uint32_t site)
{
	const uint32_t mine = vtb_owned_tag(vtb_order_now(t)) | VTB_OWNED_WROTE;
	uint32_t known = mine;

	for (uint64_t at = addr & ~7ull; size && at < addr + size; at += 8) {
		uint64_t *cell = &vtb_owned_cells[vtb_owned_index(at)];
		const uint32_t was = (uint32_t)(*cell >> 32) & ~VTB_OWNED_PASSED;

		if (was == known || was >> VTB_OWNED_SHIFT < vtb_owned_first) {
			*cell = (uint64_t)mine << 32 | all_of(site);
			continue;
		}
		touch(t, at, at + 8, true, site);
		let_go(cell, mine, site);
		for (uint64_t byte = at; vtb_owned_cell_is(*cell, VTB_OWNED_SPLIT) && byte < at + 8; byte++)
			let_go(byte_cell(byte), mine, site);
		if (was & VTB_OWNED_WROTE && *cell >> 32 == mine)
			known = was;
	}
}

void vtb_owned_touch_alone(const struct vtb_rt_thread *t, uint64_t addr)
{
	vtb_owned_cells[vtb_owned_index(addr)] = (uint64_t)t->base.owned_tag << 32;
}
