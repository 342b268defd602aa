/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fingerprints of states, for a search that does not go on from a state it has met before (--match-states). Engine
 * snapshot only: there the process at a point differs from what it was before main by its dirty pages, and one kernel
 * thread is all there is.
 *
 *     memory     pieces of changed pages that are not what they were before main: place and content. Not those of the
 * stacks, of the runtime's own memory (arena, VTB_HISTORY), of blocks that were freed stacks     of threads that are
 * alive, from where each has entered the runtime, frames of the runtime on the way included: they hold what the program
 * has handed over. The program's red zone lies above that. Registers: those that a call keeps, the modes of floating
 * point; at a pad the others are on the stack, and the vector registers are looked at. Those that do not outlive a call
 * are cleared when one of ours returns (VTB_FORGETS, vtb_stance_done()): no history is left in them model      what
 * lies in the runtime's arena: what each thread is at and waits for, its signals, its place in queues, whether it
 *                spins; virtual time. Models keep the rest in the program's objects or in static data, which is memory
 * as above
 *
 * What is left out must not decide how the run goes on. How often a thread has read again what it knows is left out,
 * too: it decides when a thread that counts its tries is assumed to spin, and then nothing is said to be complete. What
 * is not left out though it does not (dead places of a stack above the entry, order of creation where several threads
 * create others) makes equal states look different: more is run, nothing is missed.
 */
#include "carriers.h"
#include "engines.h"
#include "base.h"
#include "models.h"
#include "scheduler.h"

#define PAGE 4096ull

/* Which pages count: found out once for each (dirty.c keeps it). */
enum { MARK_UNKNOWN, MARK_PROGRAM, MARK_OURS, MARK_STACK };

extern char __start_vtb_history_rare[] __attribute__((visibility("hidden")));
extern char __stop_vtb_history[] __attribute__((visibility("hidden")));

/* ---- memory */

static uint8_t mark_of(uint64_t at)
{
	if (vtb_rt_arena_has(at))
		return MARK_OURS;
	if (vtb_fibers_stack_has(at) || vtb_rt_own_stack(vtb_rt.threads[0], at))
		return MARK_STACK;
	return MARK_PROGRAM;
}

static bool is_changed(const char *at, const char *saved, size_t size)
{
	const uint64_t *p = (const uint64_t *)at, *q = (const uint64_t *)saved;

	for (size_t i = 0; i < size / 8; i++)
		if (p[i] != (q ? q[i] : 0))
			return true;
	return false;
}

static void add_piece(struct vtb_state_hash *sum, const char *page, const char *saved, size_t from, size_t to)
{
	if (from < to && is_changed(page + from, saved ? saved + from : NULL, to - from))
		vtb_state_add(sum, vtb_state_of(page + from, to - from, (uint64_t)page + from));
}

/* Blocks that were freed are kept aside: what is left in them counts for nothing. */
static void add_without_dead(struct vtb_state_hash *sum, const char *page, const char *saved)
{
	size_t from = 0;

	for (size_t i = 0; i < PAGE; i += VTB_HEAP_GRAIN)
		if (vtb_heap_is_dead((uint64_t)page + i)) {
			add_piece(sum, page, saved, from, i);
			from = i + VTB_HEAP_GRAIN;
		}
	add_piece(sum, page, saved, from, PAGE);
}

static void add_page(void *data, char *page, const char *saved, uint8_t *mark)
{
	const uint64_t lo = (uint64_t)__start_vtb_history_rare & ~7ull, hi = ((uint64_t)__stop_vtb_history + 7) & ~7ull,
	               at = (uint64_t)page;

	if (*mark == MARK_UNKNOWN)
		*mark = mark_of(at);
	if (*mark != MARK_PROGRAM)
		return;
	if (VTB_UNLIKELY(at + PAGE > lo && at < hi)) {
		add_piece(data, page, saved, 0, lo > at ? lo - at : 0);
		add_piece(data, page, saved, hi < at + PAGE ? hi - at : PAGE, PAGE);
	} else if (VTB_UNLIKELY(at - vtb_heap.lo < vtb_heap.size)) {
		add_without_dead(data, page, saved);
	} else {
		add_piece(data, page, saved, 0, PAGE);
	}
}

/* ---- threads */

/* In its queue, how many have come before it. */
static uint64_t place_in_queue(const struct vtb_rt_thread *t)
{
	uint64_t n = 0;

	for (uint32_t i = 0; t->sched.queue && i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *u = vtb_rt.threads[i];

		n += u->base.state == VTB_T_ALIVE && u->sched.queue == t->sched.queue &&
		     u->models.ticket < t->models.ticket;
	}
	return n;
}

static uint64_t flags_of(const struct vtb_rt_thread *t)
{
	const struct vtb_sched_thread *s = &t->sched;
	const bool flags[] = { s->enabled,     t->base.detached,  t->base.joined, s->signalled, s->spurious,
		               s->interrupted, t->kernel.due,     s->service,     s->spinning,  vtb_fair_waits(t),
		               s->cancelled,   s->cancel_enabled, s->cancel_async };
	uint64_t bits = 0;

	for (size_t i = 0; i < sizeof(flags); i++)
		bits |= (uint64_t)flags[i] << i;
	return bits;
}

/* Its stack and what is in registers. Before its first operation a thread has only what it was created with. */
static void add_context(struct vtb_state_hash *sum, const struct vtb_rt_thread *t)
{
	const uint64_t seed = VTB_STATE_K1 + t->base.slot;

	if (t->sched.call == &t->models.birth) {
		const uint64_t with[] = { (uint64_t)t->base.start, (uint64_t)t->base.arg };

		vtb_state_add(sum, vtb_state_of(with, sizeof(with), seed));
		return;
	}
	vtb_stance_add(sum, t, seed);
}

static void add_thread(struct vtb_state_hash *sum, const struct vtb_rt_thread *t)
{
	const uint64_t others = vtb_sched.epoch - t->sched.own_epoch;
	/* From where its routine has returned: before it ends. */
	const uint64_t result = t->base.joined || t->base.detached ? 0 : (uint64_t)t->base.result;
	const uint64_t ended[] = { t->base.slot, VTB_T_ENDED, t->base.joined, t->base.detached, result };
	const uint64_t alive[] = {
		t->base.slot,
		VTB_T_ALIVE,
		result,
		flags_of(t),
		(uint64_t)t->sched.queue,
		place_in_queue(t),
		t->models.futex_bits,
		t->engines.prints,
		t->kernel.randoms,
		t->sched.deadline,
		t->sched.used,
		t->kernel.sigmask,
		t->sched.clock_others == others ? t->sched.clock_reads : 0,
		t->base.inside,
		t->base.in_pad,
		t->base.outer_pc,
		t->sched.call ? t->sched.call->kind : 0,
	};

	if (t->base.state != VTB_T_ALIVE) {
		vtb_state_add(sum, vtb_state_of(ended, sizeof(ended), VTB_STATE_K0));
		return;
	}
	vtb_state_add(sum, vtb_state_of(alive, sizeof(alive), VTB_STATE_K0));
	add_context(sum, t);
}

static void add_process(struct vtb_state_hash *sum)
{
	const uint64_t s[] = {
		vtb_rt.n_threads, vtb_sched.now,      vtb_sched.exiting,     (uint64_t)(unsigned)vtb_sched.status,
		vtb_sched.masks,  vtb_sched.handlers, vtb_sched.catches,     vtb_sched.spin_rounds,
		vtb_sched.coin,   vtb_sched.tosses,   vtb_sched.clock_reads, vtb_sched.used
	};

	vtb_state_add(sum, vtb_state_of(s, sizeof(s), VTB_STATE_K2));
	vtb_state_add(sum, vtb_heap_kept());
}

/* ---- at a point */

/* Is where all threads are known? Not while a signal is handled in a system call. */
static bool all_have_arrived(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state == VTB_T_ALIVE &&
		    (!t->sched.call || (t->sched.call != &t->models.birth && t->base.view.call != t->sched.call)))
			return false;
	}
	return true;
}

/* Could anybody but the only one who can go on be made to? */
static bool some_may_wake(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state == VTB_T_ALIVE && ((!t->sched.enabled && t->sched.call &&
		                                      (t->sched.deadline || t->sched.call->kind == VTB_E_COND_WAKE)) ||
		                                     t->kernel.due))
			return true;
	}
	return false;
}

void vtb_match_point(const struct vtb_rt_thread *t)
{
	struct vtb_state_hash sum = { 0, 0 };

	if (VTB_LIKELY(!(vtb_sched.schedule->flags & VTB_SCHED_STATES)) ||
	    vtb_sched.first_open < vtb_sched.schedule->deviations)
		return;
	if ((vtb_ready_count() < 2 && !some_may_wake()) || !vtb_audit_clean() || vtb_rt.options & VTB_OPT_REAL_TIME ||
	    !all_have_arrived())
		return;
	vtb_dirty_look();
	vtb_dirty_each(add_page, &sum);
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		add_thread(&sum, vtb_rt.threads[i]);
	add_process(&sum);
	sum = vtb_state_finish(sum);
	vtb_sched_fact(VTB_E_STATE, t, 0, 0, sum.lo, sum.hi);
}
