/* SPDX-License-Identifier: BSD-2-Clause */
#include "waiting_kinds.h"

#include "scheduler.h"

const uint8_t vtb_kind_does[256] = {
	[VTB_E_READ] = VTB_READS,
	[VTB_E_ATOMIC_LOAD] = VTB_READS,
	[VTB_E_ATOMIC_CAS_FAIL] = VTB_READS,
	[VTB_E_SEM_VALUE] = VTB_READS,
	[VTB_E_FUTEX_WAIT] = VTB_READS_IF_FAILED,
	[VTB_E_TRYLOCK] = VTB_READS_IF_FAILED,
	[VTB_E_TRYRDLOCK] = VTB_READS_IF_FAILED,
	[VTB_E_TRYWRLOCK] = VTB_READS_IF_FAILED,
	[VTB_E_SEM_TRYWAIT] = VTB_READS_IF_FAILED,
	[VTB_E_THREAD_JOIN] = VTB_READS_IF_TRIED,
	[VTB_E_YIELD] = VTB_YIELDS,
	[VTB_E_SLEEP] = VTB_SLEEPS,
};

bool vtb_fair_is_plain(const struct vtb_call *call)
{
	switch (call->kind) {
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_UNLOCK:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_TRYRDLOCK:
	case VTB_E_TRYWRLOCK:
	case VTB_E_RWUNLOCK:
	case VTB_E_SEM_VALUE:
	case VTB_E_YIELD:
	case VTB_E_SLEEP:
		return true;
	case VTB_E_SEM_TRYWAIT:
	case VTB_E_FUTEX_WAIT:
		return call->value; /* it did not take or wait */
	case VTB_E_THREAD_JOIN:
		return vtb_is_tried_join(call);
	default:
		return !call->prim;
	}
}
