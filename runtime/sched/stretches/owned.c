/* SPDX-License-Identifier: BSD-2-Clause */
#include "owned.h"

#include "base.h"
#include "owned_cells.h"
#include "owned_sites.h"
#include "scheduler.h"

static bool begun; /* there is memory for cells */

/* Of the run: is there one thread, all others having been joined? */
static bool alone VTB_RUN;
static uint32_t created VTB_RUN, joined VTB_RUN;

void vtb_owned_begin(void)
{
	begun = vtb_owned_cells_begin() && vtb_order_begin();
}

/* ---- epochs */

static void next_epoch(void)
{
	const bool counts_on = vtb_order_epoch();

	vtb_owned_cells_epoch(vtb_order_first(), !counts_on);
}

void vtb_owned_begin_run(void)
{
	created = joined = 0;
	alone = true;
	if (!begun)
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

/* ---- operations that are told */

static bool is_sync_in_memory(unsigned kind)
{
	return kind >= VTB_E_LOCK && kind < VTB_E_SLEEP;
}

/* An access. What a compare-exchange comes to is not known before. */
static bool writes_at(unsigned kind)
{
	return kind != VTB_E_READ && kind != VTB_E_ATOMIC_LOAD;
}

static inline void touch(const struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes)
{
	if (!vtb_owned_is_shared(addr, size)) /* most are: that is why they are told */
		vtb_owned_touch_told(t, addr, size, writes);
}

static void touch_call(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const uint64_t addr = (uint64_t)call->obj,
	               size = call->size_log2 == VTB_REC_SIZE_IN_ARG ? call->arg : 1ull << call->size_log2;

	if (call->kind <= VTB_E_ATOMIC_CAS_FAIL)
		touch(t, addr, size, writes_at(call->kind));
	else if (is_sync_in_memory(call->kind))
		touch(t, addr, 1, true);
	if (call->kind == VTB_E_COND_WAIT || call->kind == VTB_E_COND_WAKE)
		touch(t, call->arg, 1, true);
}

void vtb_owned_told(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	if (!begun || t->base.slot >= VTB_OWNED_SLOTS)
		return;
	if (call->kind == VTB_E_THREAD_CREATE || call->kind == VTB_E_THREAD_JOIN)
		note_life(call);
	else if (call->kind == VTB_E_FREE)
		vtb_owned_touch_freed(t, (uint64_t)call->obj, call->arg, 0);
	else if (!alone)
		touch_call(t, call);
	vtb_order_told(t, call);
}

/* ---- operations that are passed over */

/* Is some of it memory that was freed? A range that begins below the heap ends there. */
static bool some_dead(uint64_t addr, uint64_t size)
{
	const uint64_t from = (addr - vtb_heap.lo) / VTB_HEAP_GRAIN,
	               end = (addr + size - 1 - vtb_heap.lo) / VTB_HEAP_GRAIN,
	               last = end < VTB_HEAP_SPAN / VTB_HEAP_GRAIN ? end : VTB_HEAP_SPAN / VTB_HEAP_GRAIN - 1;

	if (addr - vtb_heap.lo >= vtb_heap.size)
		return false;
	for (uint64_t i = from; i <= last; i = (i | 7) + 1) {
		const uint32_t below = (1u << i % 8) - 1, above = i / 8 == last / 8 ? 0xfeu << last % 8 : 0;

		if (vtb_heap.dead[i / 8] & ~(below | above))
			return true;
	}
	return false;
}

/* One more. What a write that was told has left behind is known now. */
static void count(struct vtb_rt_thread *t, bool writes)
{
	if (t->base.written_word) {
		vtb_note_written(t);
		t->base.wrote = 1;
	}
	if (writes) {
		t->base.wrote = 1;
		t->base.spins = 0;
	}
	t->base.owned_left--;
}

/* By far the most: nothing changes, nor was it freed since. If the site is one that is told, another one that is not
 * has passed over the place before; where that was wrong, the run says so. */
static inline bool pass_mine(struct vtb_rt_thread *t, uint64_t addr, uint64_t size, bool writes)
{
	if (!vtb_owned_is_mine(t, addr, size, writes))
		return false;
	count(t, writes);
	return true;
}

bool vtb_owned_pass(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, uint64_t size, uint64_t pc)
{
	const bool writes = writes_at(kind);
	uint32_t site;

	if (kind > VTB_E_WRITE && !created) /* a stem (vtb/exec_stem.h) tells atomic operations */
		return false;
	if (pass_mine(t, addr, size, writes))
		return true;
	site = alone ? 0 : vtb_owned_site(pc);
	if (!(alone || site) || some_dead(addr, size))
		return false;
	count(t, writes);
	if (alone)
		vtb_owned_touch_alone(t, addr);
	else
		vtb_owned_touch(t, addr, size, writes, site);
	return true;
}

bool vtb_owned_pass_free(struct vtb_rt_thread *t, uint64_t addr, uint64_t size, uint64_t pc)
{
	const struct vtb_call call = { .kind = VTB_E_FREE, .obj = (const void *)addr, .arg = size };
	const uint32_t site = alone ? 0 : vtb_owned_site(pc);

	if (!t->base.owned_left || !(alone || site))
		return false;
	count(t, true);
	vtb_owned_touch_freed(t, addr, size, site);
	vtb_order_told(t, &call);
	return true;
}

/* Nothing but accesses decides who goes on, and nothing comes in between? As for other stretches (stretch.c), but where
 * others could go on, too. */
static bool may(const struct vtb_rt_thread *t)
{
	return !(vtb_sched.held | vtb_sched.laps.on | vtb_sched.rounds_write | vtb_sched.watched) &&
	       !((t->base.again > 0) | t->sched.reading.kept | t->sched.writing.slowly | t->sched.cancelled |
	         t->sched.interrupted) &&
	       vtb_owned_has_sites() && t->base.slot < VTB_OWNED_SLOTS;
}

void vtb_owned_arm(struct vtb_rt_thread *t)
{
	const struct vtb_wire_schedule *s = vtb_sched.schedule;
	uint64_t n = (uint64_t)VTB_OWNED_STRETCH << t->base.owned_long;

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
	t->base.owned_tag = vtb_owned_cells_tag(t);
	t->base.owned_left = t->base.owned_armed = (uint32_t)n;
	vtb_order_tell(t, &t->base.knows);
	t->base.knows.heap_lo = vtb_heap.lo;
	t->base.knows.heap_size = vtb_heap.size;
	t->base.knows.dead = vtb_heap.dead;
	t->base.stream.from = t->base.stream.next = vtb_sched.stream.next;
	vtb_sched.stretch = t;
}

void vtb_owned_put(struct vtb_rt_thread *t, const struct vtb_rec *rec)
{
	vtb_sched.stretch = NULL;
	vtb_rt_put(t, rec);
	t->base.stream.from = t->base.stream.next = vtb_sched.stream.next;
	vtb_sched.stretch = t;
}

void vtb_owned_settle(struct vtb_rt_thread *t)
{
	const uint32_t n = t->base.owned_armed - t->base.owned_left;

	if (n == VTB_OWNED_STRETCH << t->base.owned_long && n < VTB_OWNED_STRETCH_MOST)
		t->base.owned_long++;
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
