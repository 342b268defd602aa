/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The call stack at a fault, by the tables that code carries for exceptions: neither libc nor a program without hooks
 * keeps frame pointers, and the handler itself runs on another stack.
 *
 *      handler ──► frame of the signal ──► strlen ──► the program's function ──► its caller ...
 *      (ours)      (sigreturn.c)           first      what is told
 *
 * A program that fails may have spoiled its stack. A fault of the unwinder's own comes to the same handler, which leads
 * back here: what was found by then is told.
 */
#include <unwind.h>

#include "rt.h"

struct unwinding {
	struct vtb_rt_fault *to;
	uint64_t pc;
	bool met; /* the frame that the fault has interrupted */
};

static void *back[5];
static volatile bool under_way;

static _Unwind_Reason_Code see(struct _Unwind_Context *frame, void *data)
{
	struct unwinding *u = data;
	int before = 0; /* the address is that of an instruction, not where a call returns to */
	const uint64_t pc = _Unwind_GetIPInfo(frame, &before);

	if (!u->met) {
		u->met = before && pc == u->pc;
		return _URC_NO_REASON;
	}
	if (u->to->n == VTB_RT_FAULT_FRAMES)
		return _URC_NORMAL_STOP;
	if (!vtb_rt_is_ours(pc) && vtb_rt_is_code(pc))
		u->to->pcs[u->to->n++] = before ? pc + 1 : pc;
	return _URC_NO_REASON;
}

/* Where nothing tells how to go on, as if that had returned: a jump through a pointer to where there is no code; the
 * call in clone(), of which libc tells nothing. */
static bool return_from(const struct vtb_rt_thread *t, greg_t *g, struct vtb_rt_fault *ret)
{
	const uint64_t sp = (uint64_t)g[REG_RSP];

	if (!vtb_rt_own_stack(t, sp) || sp % 8 || !vtb_rt_is_code(*(const uint64_t *)sp))
		return false;
	g[REG_RIP] = *(const greg_t *)sp;
	g[REG_RSP] += 8;
	ret->pcs[ret->n++] = (uint64_t)g[REG_RIP];
	return true;
}

static void go_up(const greg_t *g, struct vtb_rt_fault *ret)
{
	struct unwinding u = { .to = ret, .pc = (uint64_t)g[REG_RIP] };

	if (!vtb_rt_is_code(u.pc) || __builtin_setjmp(back))
		return;
	under_way = true;
	_Unwind_Backtrace(see, &u);
	under_way = false;
}

/* What the unwinder calls, such as pthread_once(), is nothing that the program does. */
static void unwind(struct vtb_rt_thread *t, const greg_t *g, struct vtb_rt_fault *ret)
{
	const uint32_t inside = t->base.inside;

	t->base.inside = inside + 1;
	go_up(g, ret);
	t->base.inside = inside;
}

void vtb_rt_unwind(struct vtb_rt_thread *t, greg_t *g, struct vtb_rt_fault *ret)
{
	ret->n = 0;
	unwind(t, g, ret);
	if (!ret->n && return_from(t, g, ret))
		unwind(t, g, ret);
}

void vtb_rt_unwind_failed(void)
{
	if (!under_way)
		return;
	under_way = false;
	__builtin_longjmp(back, 1);
}
