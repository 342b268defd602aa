/* SPDX-License-Identifier: BSD-2-Clause */
/** @file models_thread.h Of a thread: its first operation, its place in a queue. Plain data. */
#ifndef VTB_RT_MODELS_THREAD_H
#define VTB_RT_MODELS_THREAD_H

#include "call.h"

struct vtb_models_thread {
	uint64_t ticket;       /* in its queue: order of arrival */
	uint32_t futex_bits;   /* waiting at a futex: which wake-ups it is there for (FUTEX_WAIT_BITSET) */
	struct vtb_call birth; /* its first operation */
};

#endif /* VTB_RT_MODELS_THREAD_H */
