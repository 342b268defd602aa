/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread changes on its own stack while it goes round is part of its state; what others see of it is not. */
#include "progress.h"

#include "base.h"
#include "round.h"
#include "scheduler.h"

/* Changes of its own stack in a row of readings of what it knows: more, and it computes. */
#define OWN_CHANGES_MAX 256u

static void add_range(uint64_t *lo, uint64_t *hi, uint64_t from, uint64_t to)
{
	*lo = *lo == *hi || from < *lo ? from : *lo;
	*hi = to > *hi ? to : *hi;
}

void vtb_round_keep_written(struct vtb_rt_thread *t, const struct vtb_anchor *a)
{
	const struct vtb_round *r = a->round;

	t->sched.own_changes = 0;
	if (r->wrote_lo == r->wrote_hi)
		return;
	add_range(&t->sched.round_lo, &t->sched.round_hi, r->wrote_lo, r->wrote_hi);
	t->sched.round_pc = a->pc;
	vtb_sched.rounds_write = true;
}

bool vtb_progress_on_stack(struct vtb_rt_thread *t, uint64_t addr, uint64_t size)
{
	struct vtb_round *r = t->sched.reading.round;

	if (!vtb_progress_reads(t) || !vtb_rt_own_stack(t, addr) || addr >= vtb_rt_stack_top(t) ||
	    ++t->sched.own_changes > OWN_CHANGES_MAX)
		return false;
	if (size && r)
		add_range(&r->wrote_lo, &r->wrote_hi, addr, addr + size);
	return true;
}

void vtb_progress_look_at(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const uint64_t at = (uint64_t)call->obj;
	const uint64_t size = call->size_log2 == VTB_REC_SIZE_IN_ARG ? call->arg : 1ull << call->size_log2;

	if (call->prim || call->kind == VTB_E_FENCE)
		return;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *u = vtb_rt.threads[i];

		if (u != t && at < u->sched.round_hi && at + size > u->sched.round_lo)
			vtb_fair_assumed(u, u->sched.round_pc);
	}
}
