/* SPDX-License-Identifier: BSD-2-Clause */
#include "owned_cells.h"

#include "owned.h"
#include "owned_sites.h"

uint64_t *vtb_owned_cells;

static struct {
	struct vtb_owned_others *others; /* of each cell; not rolled back, like the cells */
} owned;

#define MINE_MOST 64u /* bytes: of more, all cells are gone through once */

static uint32_t first VTB_RUN; /* vtb_order_first() */

static void *cells_of(uint64_t size)
{
	const long r = sys6(SYS_mmap, 0, (long)(VTB_OWNED_CELLS * size), 3 /* read, write */,
	                    0x4021 /* shared, anonymous, no reserve */, -1, 0);

	return r < 0 && r > -4096 ? NULL : (void *)r;
}

bool vtb_owned_cells_begin(void)
{
	vtb_owned_cells = cells_of(sizeof(*vtb_owned_cells));
	owned.others = cells_of(sizeof(*owned.others));
	if (!owned.others)
		vtb_owned_cells = NULL;
	return vtb_owned_cells != NULL;
}

struct vtb_owned_others *vtb_owned_others(void)
{
	return owned.others;
}

void vtb_owned_cells_epoch(uint32_t now_first, bool again)
{
	first = now_first;
	if (!again)
		return;
	sys3(SYS_madvise, (long)vtb_owned_cells, (long)(VTB_OWNED_CELLS * sizeof(*vtb_owned_cells)),
	     9 /* MADV_REMOVE */);
	sys3(SYS_madvise, (long)owned.others, (long)(VTB_OWNED_CELLS * sizeof(*owned.others)), 9);
}

static uint32_t tag_of(uint32_t interval)
{
	return interval << VTB_OWNED_SHIFT;
}

uint32_t vtb_owned_cells_tag(const struct vtb_rt_thread *t)
{
	return tag_of(vtb_order_now(t)) | VTB_OWNED_WROTE | VTB_OWNED_PASSED;
}

/* ---- one cell */

/* One access: of which cell, and what the cell says. */
struct touch {
	const struct vtb_rt_thread *t;
	uint64_t *cell;
	struct vtb_owned_others *others;
	uint32_t tag, known; /* of the cell: its upper half, its site */
	uint32_t now, bits;  /* of the access */
	uint32_t site;       /* 0: it is told */
};

static void set(const struct touch *x, uint32_t tag)
{
	*x->cell = (uint64_t)(tag | x->bits | (x->tag & VTB_OWNED_PASSED)) << 32 | (x->site ? x->site : x->known);
}

static bool knows(const struct touch *x, uint32_t interval)
{
	return interval < first || interval == x->now || vtb_order_knows(x->t, interval);
}

/* The reader of whom who knows the cell's interval need not know. Writes know of all before. */
static uint32_t other_reader(const struct touch *x)
{
	return x->tag & VTB_OWNED_WROTE ? 0 : x->others->reader;
}

/* False: there is an access of which it does not know. */
static bool take_by_write(const struct touch *x)
{
	if (!knows(x, x->tag >> VTB_OWNED_SHIFT) || !knows(x, other_reader(x)))
		return false;
	x->others->reader = 0;
	set(x, tag_of(x->now));
	return true;
}

/* False: there is a write of which it does not know. Of two readers that do not know of each other both are kept. */
static bool take_by_read(const struct touch *x)
{
	const uint32_t last = x->tag >> VTB_OWNED_SHIFT, other = other_reader(x),
	               write = x->tag & VTB_OWNED_WROTE ? last : x->others->write;

	if (!knows(x, write))
		return false;
	x->others->write = write;
	if (last == first + VTB_OWNED_READERS || !(knows(x, last) || knows(x, other))) {
		set(x, tag_of(first + VTB_OWNED_READERS));
		return true;
	}
	x->others->reader = !knows(x, last) ? last : knows(x, other) ? 0 : other;
	set(x, tag_of(x->now));
	return true;
}

/* Once it is shared, it stays so: the cell may be more than one variable, and what was touched last says nothing of the
 * others. */
static void share(const struct touch *x)
{
	if (x->known)
		vtb_owned_met(x->known);
	if (x->site)
		vtb_owned_met(x->site);
	*x->cell = (uint64_t)tag_of(first + VTB_OWNED_SHARED) << 32;
}

static void touch(const struct vtb_rt_thread *t, uint64_t addr, bool writes, uint32_t site)
{
	const uint64_t i = vtb_owned_index(addr);
	const uint32_t bits = (writes ? VTB_OWNED_WROTE : 0) | (site ? VTB_OWNED_PASSED : 0);
	struct touch x = { t,
		           &vtb_owned_cells[i],
		           &owned.others[i],
		           (uint32_t)(vtb_owned_cells[i] >> 32),
		           (uint32_t)vtb_owned_cells[i],
		           vtb_order_now(t),
		           bits,
		           site };
	const uint32_t last = x.tag >> VTB_OWNED_SHIFT;

	if (last < first) {
		x.tag = x.known = 0;
		set(&x, tag_of(x.now));
	} else if (last == x.now && (!writes || x.tag & VTB_OWNED_WROTE)) {
		set(&x, x.tag);
	} else if (last == first + VTB_OWNED_SHARED || (last == first + VTB_OWNED_READERS && writes) ||
	           !(writes ? take_by_write(&x) : take_by_read(&x))) {
		share(&x);
	}
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

static inline struct range begin_range(const struct vtb_rt_thread *t, bool writes, uint32_t site)
{
	const uint32_t bits = (writes ? VTB_OWNED_WROTE : 0) | (site ? VTB_OWNED_PASSED : 0);
	const uint32_t mine = tag_of(vtb_order_now(t)) | bits;

	return (struct range){ .mine = mine,
		               .any = (writes ? 0 : VTB_OWNED_WROTE) | (site ? 0 : VTB_OWNED_PASSED),
		               .fresh = (uint64_t)mine << 32 | site,
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

static inline void touch_next(const struct vtb_rt_thread *t, struct range *r, uint64_t addr, uint32_t site)
{
	const uint64_t i = vtb_owned_index(addr);
	uint64_t *cell = &vtb_owned_cells[i];
	const uint32_t was = (uint32_t)(*cell >> 32);

	if ((was | r->any) == (r->mine | r->any))
		return;
	if (was < tag_of(first)) {
		*cell = r->fresh;
	} else if (was == r->was) {
		*cell = r->taken | (*cell & r->keeps);
		if (!r->writes)
			owned.others[i] = (struct vtb_owned_others){ .write = r->write };
	} else {
		touch(t, addr, r->writes, site);
		learn_range(r, was, *cell);
	}
}

bool vtb_owned_is_shared(uint64_t addr, uint64_t size)
{
	return addr % 8 + size <= 8 && vtb_owned_cells[vtb_owned_index(addr)] >> 32 == tag_of(first + VTB_OWNED_SHARED);
}

bool vtb_owned_is_mine(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes)
{
	const uint32_t any = writes ? 0 : VTB_OWNED_WROTE;

	if (size > MINE_MOST)
		return false;
	for (uint64_t i = addr >> 3; i <= (addr + size - 1) >> 3; i++)
		if (((uint32_t)(vtb_owned_cells[i & (VTB_OWNED_CELLS - 1)] >> 32) | any) != t->base.owned_tag)
			return false;
	return true;
}

void vtb_owned_touch(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes, uint32_t site)
{
	struct range r = begin_range(t, writes, site);

	for (uint64_t at = addr & ~7ull; at < addr + size; at += 8)
		touch_next(t, &r, at, site);
}

/* A block's cells are alike: where one could be taken that was written in some interval, so can the next one. */
void vtb_owned_touch_freed(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, uint32_t site)
{
	const uint32_t mine = tag_of(vtb_order_now(t)) | VTB_OWNED_WROTE;
	uint32_t known = mine;

	for (uint64_t at = addr & ~7ull; size && at < addr + size; at += 8) {
		uint64_t *cell = &vtb_owned_cells[vtb_owned_index(at)];
		const uint32_t was = (uint32_t)(*cell >> 32) & ~VTB_OWNED_PASSED;

		if (was == known || was >> VTB_OWNED_SHIFT < first) {
			*cell = (uint64_t)mine << 32 | site;
			continue;
		}
		touch(t, at, true, site);
		if (*cell >> (32 + VTB_OWNED_SHIFT) != mine >> VTB_OWNED_SHIFT)
			continue;
		*cell = (uint64_t)mine << 32 | site;
		if (was & VTB_OWNED_WROTE)
			known = was;
	}
}

void vtb_owned_touch_alone(const struct vtb_rt_thread *t, uint64_t addr)
{
	vtb_owned_cells[vtb_owned_index(addr)] = (uint64_t)t->base.owned_tag << 32;
}
