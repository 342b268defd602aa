/* SPDX-License-Identifier: BSD-2-Clause */
#include "owned.h"

#include "base.h"
#include "scheduler.h"

static struct {
	uint64_t *cells;
	struct vtb_owned_others *others; /* of each cell; not rolled back, like the cells */
	struct vtb_wire_site *sites;
	uint64_t n_sites;
	uint32_t *by_pc; /* open addressing by where the call ends: site + 1, 0: none */
	uint32_t bits;
	uint64_t bias;
} owned;

/* Of the run: is there one thread, all others having been joined? */
static bool alone VTB_RUN;
static uint32_t created VTB_RUN, joined VTB_RUN;
static uint32_t first VTB_RUN; /* vtb_order_first() */

static void *cells_of(uint64_t size)
{
	const long r = sys6(SYS_mmap, 0, (long)(VTB_OWNED_CELLS * size), 3 /* read, write */,
	                    0x4021 /* shared, anonymous, no reserve */, -1, 0);

	return r < 0 && r > -4096 ? NULL : (void *)r;
}

void vtb_owned_begin(void)
{
	owned.cells = cells_of(sizeof(*owned.cells));
	owned.others = cells_of(sizeof(*owned.others));
	if (!owned.others || !vtb_order_begin())
		owned.cells = NULL;
}

uint64_t *vtb_owned_cells(void)
{
	return owned.cells;
}

struct vtb_owned_others *vtb_owned_others(void)
{
	return owned.others;
}

/* ---- sites */

static uint64_t end_of(uint64_t i)
{
	return owned.bias + owned.sites[i].addr + owned.sites[i].length;
}

static uint32_t *place_of(uint64_t pc)
{
	const uint32_t mask = (1u << owned.bits) - 1;
	uint32_t at = (uint32_t)(pc * VTB_SEEN_FACTOR >> (64 - owned.bits));

	while (owned.by_pc[at] && end_of(owned.by_pc[at] - 1) != pc)
		at = (at + 1) & mask;
	return &owned.by_pc[at];
}

void vtb_owned_take_sites(struct vtb_wire_site *sites, uint64_t n, uint64_t bias)
{
	uint32_t bits = 4;

	while (1ull << bits < 2 * n)
		bits++;
	owned.by_pc = owned.cells ? sys_pages(sizeof(*owned.by_pc) << bits) : NULL;
	if (!owned.by_pc)
		return;
	owned.sites = sites;
	owned.n_sites = n;
	owned.bits = bits;
	owned.bias = bias;
	for (uint64_t i = 0; i < n; i++)
		if (sites[i].hook != UINT16_MAX && (sites[i].call || sites[i].hook == VTB_SITE_PAD))
			*place_of(end_of(i)) = (uint32_t)i + 1;
}

/* + 1; 0: its accesses are not passed over. */
static uint32_t owned_site(uint64_t pc)
{
	const uint32_t i = owned.by_pc ? *place_of(pc) : 0;

	return i && owned.sites[i - 1].on & VTB_SITE_OWNED ? i : 0;
}

/* ---- epochs */

static void next_epoch(void)
{
	const bool counts_on = vtb_order_epoch();

	first = vtb_order_first();
	if (counts_on)
		return;
	sys3(SYS_madvise, (long)owned.cells, (long)(VTB_OWNED_CELLS * sizeof(*owned.cells)), 9 /* MADV_REMOVE */);
	sys3(SYS_madvise, (long)owned.others, (long)(VTB_OWNED_CELLS * sizeof(*owned.others)), 9);
}

void vtb_owned_begin_run(void)
{
	created = joined = 0;
	alone = true;
	if (!owned.cells)
		return;
	vtb_order_begin_run();
	next_epoch();
}

static bool is_alone(void)
{
	return created == joined && vtb_rt.n_threads == created + 1;
}

static void note_life(const struct vtb_call *call)
{
	const bool was = alone;

	created += call->kind == VTB_E_THREAD_CREATE;
	joined += call->kind == VTB_E_THREAD_JOIN && !call->value;
	alone = is_alone();
	if (alone != was)
		next_epoch();
}

/* ---- cells */

static uint32_t tag_of(uint32_t interval)
{
	return interval << VTB_OWNED_SHIFT;
}

static void met(uint32_t site)
{
	owned.sites[site - 1].is_on |= VTB_SITE_MET;
	vtb_sched.slot->outcome.flags |= VTB_OUT_SHARED;
}

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
	if (x->tag & VTB_OWNED_PASSED)
		met(x->known);
	if (x->site)
		met(x->site);
	*x->cell = (uint64_t)tag_of(first + VTB_OWNED_SHARED) << 32;
}

/* site 0: it is told. */
static void touch(const struct vtb_rt_thread *t, uint64_t addr, bool writes, uint32_t site)
{
	const uint64_t i = vtb_owned_index(addr);
	const uint32_t bits = (writes ? VTB_OWNED_WROTE : 0) | (site ? VTB_OWNED_PASSED : 0);
	struct touch x = { t,
		           &owned.cells[i],
		           &owned.others[i],
		           (uint32_t)(owned.cells[i] >> 32),
		           (uint32_t)owned.cells[i],
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

static void touch_all(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes)
{
	for (uint64_t at = addr & ~7ull; size && at < addr + size; at += 8)
		touch(t, at, writes, 0);
}

/* What is freed is looked at in full by whoever touches it next. A block's cells are alike: where one could be taken
 * that was written in some interval, so can the next one. */
static void touch_freed(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size)
{
	const uint32_t mine = tag_of(vtb_order_now(t)) | VTB_OWNED_WROTE;
	uint32_t known = mine;

	for (uint64_t at = addr & ~7ull; size && at < addr + size; at += 8) {
		uint64_t *cell = &owned.cells[vtb_owned_index(at)];
		const uint32_t was = (uint32_t)(*cell >> 32) & ~VTB_OWNED_PASSED;

		if (was == known || was >> VTB_OWNED_SHIFT < first) {
			*cell = (uint64_t)mine << 32;
			continue;
		}
		touch(t, at, true, 0);
		*cell &= ~((uint64_t)VTB_OWNED_PASSED << 32 | UINT32_MAX);
		if (was & VTB_OWNED_WROTE && *cell >> 32 == mine)
			known = was;
	}
}

/* ---- operations that are told */

static bool is_sync_in_memory(unsigned kind)
{
	return kind >= VTB_E_LOCK && kind < VTB_E_SLEEP;
}

static void touch_call(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const uint64_t addr = (uint64_t)call->obj,
	               size = call->size_log2 == VTB_REC_SIZE_IN_ARG ? call->arg : 1ull << call->size_log2;

	if (call->kind <= VTB_E_ATOMIC_CAS_FAIL)
		touch_all(t, addr, size, call->kind != VTB_E_READ && call->kind != VTB_E_ATOMIC_LOAD);
	else if (is_sync_in_memory(call->kind))
		touch(t, addr, true, 0);
	if (call->kind == VTB_E_COND_WAIT || call->kind == VTB_E_COND_WAKE)
		touch(t, call->arg, true, 0);
}

void vtb_owned_told(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (!owned.cells || t->base.slot >= VTB_OWNED_SLOTS)
		return;
	if (call->kind == VTB_E_THREAD_CREATE || call->kind == VTB_E_THREAD_JOIN)
		note_life(call);
	else if (call->kind == VTB_E_FREE)
		touch_freed(t, (uint64_t)call->obj, call->arg);
	else if (!alone)
		touch_call(t, call);
	vtb_order_told(t, call);
}

/* ---- accesses that are passed over */

static bool one_cell(uint64_t addr, unsigned size_log2)
{
	return size_log2 <= 3 && (addr & 7) + (1ull << size_log2) <= 8;
}

bool vtb_owned_pass(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, unsigned size_log2, uint64_t pc)
{
	const bool writes = kind == VTB_E_WRITE;
	uint32_t site = 0;

	if (vtb_heap_is_dead(addr))
		return false;
	if (!alone) {
		site = one_cell(addr, size_log2) ? owned_site(pc) : 0;
		if (!site)
			return false;
	} else { /* no other one comes in this epoch: from here on it is for the code near the program */
		owned.cells[vtb_owned_index(addr)] = (uint64_t)t->base.owned_tag << 32;
	}
	if (t->base.written_word) {
		vtb_note_written(t);
		t->base.wrote = 1;
	}
	if (site)
		touch(t, addr, writes, site);
	if (writes) {
		t->base.wrote = 1;
		t->base.spins = 0;
	}
	t->base.owned_left--;
	return true;
}

/* Nothing but accesses decides who goes on, and nothing comes in between? As for other stretches (stretch.c), but where
 * others could go on, too. */
static bool may(const struct vtb_rt_thread *t)
{
	const struct vtb_wire_schedule *s = vtb_sched.schedule;

	return owned.by_pc && !vtb_sched.held && !vtb_sched.laps.on && !vtb_sched.rounds_write &&
	       !vtb_progress_reads(t) && !t->sched.writing.slowly && !s->constraints && !vtb_sched.by_site &&
	       !(s->flags & (VTB_SCHED_STACKS | VTB_SCHED_STATES)) && !t->sched.cancelled && !t->sched.interrupted &&
	       t->base.slot < VTB_OWNED_SLOTS;
}

void vtb_owned_arm(struct vtb_rt_thread *t)
{
	const struct vtb_wire_schedule *s = vtb_sched.schedule;
	uint64_t n = VTB_OWNED_STRETCH;

	if (!may(t))
		return;
	if (alone && !is_alone()) { /* a thread that nobody has created by pthread_create() */
		alone = false;
		next_epoch();
	}
	if (s->max_points && s->max_points - vtb_sched.points < n)
		n = s->max_points - vtb_sched.points;
	n = vtb_schedule_distance(t, n);
	if (!n)
		return;
	t->base.owned_tag = tag_of(vtb_order_now(t)) | VTB_OWNED_WROTE | VTB_OWNED_PASSED;
	t->base.owned_left = t->base.owned_armed = (uint32_t)n;
	vtb_order_tell(t, &t->base.knows);
	t->base.knows.heap_lo = vtb_heap.lo;
	t->base.knows.heap_size = vtb_heap.size;
	t->base.knows.dead = vtb_heap.dead;
	t->base.stream.from = t->base.stream.next = vtb_sched.stream.next;
	vtb_sched.stretch = t;
}

void vtb_owned_settle(struct vtb_rt_thread *t)
{
	const uint32_t n = t->base.owned_armed - t->base.owned_left;

	t->base.owned_armed = t->base.owned_left = 0;
	if (!n)
		return;
	vtb_sched_fact(VTB_E_OWNED, t, 0, 0, n, 0);
	t->sched.ops += n;
	t->base.accesses += n;
	vtb_sched.points += n;
	vtb_progress_unseen(t, n);
	if (t->base.wrote) {
		vtb_fair_wrote(t);
		vtb_progress_changed(t);
	}
	t->base.wrote = 0;
}
