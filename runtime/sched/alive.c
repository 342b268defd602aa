/* SPDX-License-Identifier: BSD-2-Clause */
/* Is what an operation is done to still there? Asked once it was done: the run's records end with it. */
#include "scheduler.h"

void vtb_ctl_check_alive(const struct vtb_call *call)
{
	if (VTB_UNLIKELY(vtb_heap_is_dead((uint64_t)call->obj)))
		vtb_failure_end(VTB_V_MEMORY, 0, call->pc, (uint64_t)call->obj,
		                call->kind == VTB_E_WRITE ? "memory was written after it was freed"
		                                          : "memory was used after it was freed");
}

/* Who is on the way out of a wait touches the object no more: after a broadcast, or at a barrier, it may be destroyed
 * at once, and be freed. A futex is a number to the kernel: to wake who waits at freed memory does no harm. */
void vtb_ctl_check_object(const struct vtb_call *call)
{
	if (call->kind >= VTB_E_LOCK && call->kind <= VTB_E_ONCE_FOUND && call->kind != VTB_E_COND_WAKE &&
	    call->kind != VTB_E_BARRIER_LEAVE)
		vtb_ctl_check_alive(call);
}
