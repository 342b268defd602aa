/* SPDX-License-Identifier: BSD-2-Clause */
#include "owned_cell.h"

#include "owned_sites.h"

uint32_t vtb_owned_first VTB_RUN;
bool vtb_owned_has_bytes;

/* One access: of which cell, and what the cell says. */
struct touch {
	const struct vtb_rt_thread *t;
	uint64_t *cell;
	struct vtb_owned_others *others;
	uint32_t tag, known; /* of the cell: its upper half, its site */
	uint32_t now, bits;  /* of the access */
	uint32_t site;       /* 0: it is told; else with its bytes, as cells have it */
	uint32_t bytes;      /* it touches, a bit each */
};

static void set(const struct touch *x, uint32_t tag)
{
	*x->cell = (uint64_t)(tag | x->bits | (x->tag & VTB_OWNED_PASSED)) << 32 | (x->site ? x->site : x->known);
}

static bool knows(const struct touch *x, uint32_t interval)
{
	return interval < vtb_owned_first || interval == x->now || vtb_order_knows(x->t, interval);
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
	set(x, vtb_owned_tag(x->now));
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
	if (last == vtb_owned_first + VTB_OWNED_READERS || !(knows(x, last) || knows(x, other))) {
		set(x, vtb_owned_tag(vtb_owned_first + VTB_OWNED_READERS));
		return true;
	}
	x->others->reader = !knows(x, last) ? last : knows(x, other) ? 0 : other;
	set(x, vtb_owned_tag(x->now));
	return true;
}

static uint32_t site_in(uint32_t word)
{
	return word & ((1u << VTB_OWNED_BYTES) - 1);
}

/* Has it more than one reader? The site is that of the last one. */
static bool has_readers(const struct touch *x)
{
	return x->tag >> VTB_OWNED_SHIFT == vtb_owned_first + VTB_OWNED_READERS || other_reader(x) >= vtb_owned_first;
}

/* May others have touched only other bytes? Of a cell that is shared nothing is known of who came first, and what a
 * byte's cell says it may have inherited. */
static bool is_beside(const struct touch *x)
{
	if (!vtb_owned_has_bytes)
		return false;
	return x->known && !has_readers(x) ? !(x->known >> VTB_OWNED_BYTES & x->bytes) : x->bytes != VTB_OWNED_ALL;
}

/* Once it is shared, it stays so: the cell may be more than one variable, and what was touched last says nothing of the
 * others. */
static void share(const struct touch *x)
{
	const bool part = is_beside(x);

	if (x->known)
		vtb_owned_met(site_in(x->known), part);
	if (x->site)
		vtb_owned_met(site_in(x->site), part);
	*x->cell = (uint64_t)vtb_owned_tag(vtb_owned_first + VTB_OWNED_SHARED) << 32;
}

void vtb_owned_touch_cell(uint64_t *cell, struct vtb_owned_others *others, const struct vtb_owned_access *a)
{
	struct touch x = { .t = a->t,
		           .cell = cell,
		           .others = others,
		           .tag = (uint32_t)(*cell >> 32),
		           .known = (uint32_t)*cell,
		           .now = vtb_order_now(a->t),
		           .bits = (a->writes ? VTB_OWNED_WROTE : 0) | (a->site ? VTB_OWNED_PASSED : 0),
		           .site = a->site ? a->site | a->bytes << VTB_OWNED_BYTES : 0,
		           .bytes = a->bytes };
	const uint32_t last = x.tag >> VTB_OWNED_SHIFT;

	if (last < vtb_owned_first) {
		x.tag = x.known = 0;
		set(&x, vtb_owned_tag(x.now));
	} else if (last == x.now && (!a->writes || x.tag & VTB_OWNED_WROTE)) {
		set(&x, x.tag);
	} else if (last == vtb_owned_first + VTB_OWNED_SHARED ||
	           (last == vtb_owned_first + VTB_OWNED_READERS && a->writes) ||
	           !(a->writes ? take_by_write(&x) : take_by_read(&x))) {
		share(&x);
	}
}

void vtb_owned_collide(uint64_t *cell, uint64_t other)
{
	struct vtb_owned_others none = { 0, 0 };

	share(&(struct touch){
	    .cell = cell, .others = &none, .known = (uint32_t)*cell, .site = (uint32_t)other, .bytes = VTB_OWNED_ALL });
}
