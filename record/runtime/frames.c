/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shadow stack, kept by the function entry and exit hooks. It resynchronises by the stack pointer, since longjmp and
 * exceptions may skip exits: stacks grow down, so every frame above the new one must have a larger sp.
 */
#include "rt.h"

uint32_t vtb_rt_stack(const struct vtb_rt_thread *t, uint64_t first, uint64_t *pcs, uint32_t max)
{
	uint32_t n = 0, depth = t->depth < VTB_RT_FRAMES_MAX ? t->depth : VTB_RT_FRAMES_MAX;

	if (n < max)
		pcs[n++] = first;
	while (depth && n < max)
		pcs[n++] = t->frames[--depth].caller;
	return n;
}

static struct vtb_rt_thread *stack_owner(uint64_t addr)
{
	const uint32_t n = __atomic_load_n(&vtb_rt.n_threads, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++)
		if (vtb_rt.threads[i] && vtb_rt_own_stack(vtb_rt.threads[i], addr))
			return vtb_rt.threads[i];
	return NULL;
}

/* The owner's frame that holds addr: the innermost whose sp is not above it. Racy in record mode, where the owner runs:
 * a wrong answer there names no variable, since the decoder checks it against the function's layout. */
static struct vtb_rt_frame *frame_of(struct vtb_rt_thread *owner, uint64_t addr)
{
	const uint32_t depth = owner->depth < VTB_RT_FRAMES_MAX ? owner->depth : VTB_RT_FRAMES_MAX;

	for (uint32_t i = depth; i > 0; i--)
		if (owner->frames[i - 1].sp <= addr && (i == 1 || owner->frames[i - 2].sp > addr))
			return &owner->frames[i - 1];
	return NULL;
}

void vtb_rt_stack_access(struct vtb_rt_thread *t, uint64_t addr)
{
	struct vtb_rt_thread *owner;
	struct vtb_rt_frame *frame;
	struct vtb_rec rec = {.kind = VTB_E_FRAME, .flags = VTB_REC_VALUE | VTB_REC_ARG};

	owner = vtb_rt_own_stack(t, addr) ? t : stack_owner(addr);
	frame = owner ? frame_of(owner, addr) : NULL;
	if (!frame || frame->shown || __atomic_exchange_n(&frame->shown, 1, __ATOMIC_RELAXED))
		return;
	rec.addr = addr;
	rec.pc = frame->pc;
	rec.value = owner->slot;
	rec.arg = frame->sp;
	vtb_rt_put(t, &rec);
}
