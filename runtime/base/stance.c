/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a thread stands in the program, for fingerprints: which registers and which part of its stack are its own. */
#include "stance.h"

#include <string.h>

#include "guest.h"

#define WIPED 2048u        /* bytes of dead stack in which the runtime's next frames will lie */
#define LEGACY 512u        /* bytes of fxsave; then the header of xsave */
#define FLAGS_OF_MXCSR 63u /* say what has happened, not how to compute */

__asm__(
    ".text\n	.globl vtb_stance_note\n	.hidden vtb_stance_note\n	.type vtb_stance_note,@function\n"
    "vtb_stance_note:\n"
    "	movq %rbx, 0(%rdi)\n	movq %rbp, 8(%rdi)\n	movq %r12, 16(%rdi)\n	movq %r13, 24(%rdi)\n	movq %r14, "
    "32(%rdi)\n	movq %r15, 40(%rdi)\n"
    "	leaq 8(%rsp), %rax\n	movq %rax, 48(%rdi)\n"
    "	stmxcsr 56(%rdi)\n	fnstcw 60(%rdi)\n"
    "	ret\n	.size vtb_stance_note, .-vtb_stance_note\n");

/* What deeper frames have left behind would stand in the gaps of those to come. */
__attribute__((noinline)) void vtb_stance_wipe(void)
{
	char room[WIPED];

	memset(room, 0, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
}

void vtb_stance_done(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	vtb_stance_wipe();
	if (!t->base.in_pad && call->kind >= VTB_E_THREAD_BEGIN &&
	    call->kind < VTB_E_FUTEX_WAIT) /* functions; others may stand at an instruction */
		vtb_vectors_clear();
}

__attribute__((noinline)) static void note_vectors(struct vtb_view *v)
{
	char *room = __builtin_alloca_with_align(vtb_vectors_bytes, 64 * 8);
	struct vtb_state_hash h;

	memset(room, 0, vtb_vectors_bytes);
	vtb_vectors_keep(room);
	memset(room + 2, 0, 22); /* status and places of the last x87 instruction */
	*(uint32_t *)(room + 24) &= ~FLAGS_OF_MXCSR;
	if (vtb_vectors_bytes > LEGACY)
		memset(room + LEGACY, 0, 64); /* which parts the processor takes to be in use: a switch by the kernel
		                                 alters it, the parts are all written */
	h = vtb_state_of(room, vtb_vectors_bytes & ~7u, 1);
	v->vectors[0] = h.lo;
	v->vectors[1] = h.hi;
}

struct vtb_view *vtb_stance_of(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	t->base.arrivals++;
	t->base.view.call = call;
	t->base.view.vectors[0] = t->base.view.vectors[1] = 0;
	if (VTB_UNLIKELY(t->base.in_pad))
		note_vectors(&t->base.view);
	return &t->base.view;
}

void vtb_stance_add(struct vtb_state_hash *sum, const struct vtb_rt_thread *t, uint64_t seed)
{
	struct vtb_view v = t->base.view;

	v.mxcsr &= ~FLAGS_OF_MXCSR;
	vtb_state_add(sum, vtb_state_of(&v, sizeof(v), seed));
	if (vtb_rt_own_stack(t, v.sp))
		vtb_state_add(sum, vtb_state_of((const void *)v.sp, (t->base.stack_hi - v.sp) & ~7ull, v.sp));
	else /* a stack that the program made for itself: where it ends is not known, so it is never the same again */
		vtb_state_add(sum, vtb_state_of(&t->base.arrivals, sizeof(t->base.arrivals), v.sp));
}
