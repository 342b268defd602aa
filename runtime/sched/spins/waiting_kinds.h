/* SPDX-License-Identifier: BSD-2-Clause */
/** @file waiting_kinds.h What an operation is to a thread that waits: who waits reads, yields and sleeps. */
#ifndef VTB_RT_WAITING_KINDS_H
#define VTB_RT_WAITING_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

/** VTB_YIELDS and what is above pause. */
enum vtb_does {
	VTB_ACTS,
	VTB_READS,
	VTB_READS_IF_FAILED, /* with a value that is not 0 it did not take or wait */
	VTB_READS_IF_TRIED,  /* likewise, with an argument besides: pthread_tryjoin_np() of a thread that goes on */
	VTB_YIELDS,
	VTB_SLEEPS,
};

/** By kind of operation (VTB_E_*), whatever came of it. */
extern const uint8_t vtb_kind_does[256];

static inline bool vtb_is_tried_join(const struct vtb_call *call)
{
	return call->arg && call->value;
}

/** What has `call` done? Never one of the two with an if. O(1). */
static inline enum vtb_does vtb_what_it_does(const struct vtb_call *call)
{
	const enum vtb_does does = vtb_kind_does[call->kind];

	if (__builtin_expect(call->same || call->idle, 0) && does != VTB_YIELDS)
		return VTB_READS;
	if (does == VTB_READS_IF_FAILED)
		return call->value ? VTB_READS : VTB_ACTS;
	if (does == VTB_READS_IF_TRIED)
		return vtb_is_tried_join(call) ? VTB_READS : VTB_ACTS;
	return does;
}

#endif /* VTB_RT_WAITING_KINDS_H */
