/* SPDX-License-Identifier: BSD-2-Clause */
/** @file carriers_thread.h Of a thread: what carries it. Plain data. */
#ifndef VTB_RT_CARRIERS_THREAD_H
#define VTB_RT_CARRIERS_THREAD_H

#include <stdint.h>

struct vtb_fiber;

struct vtb_carriers_thread {
	struct vtb_fiber *fiber; /* carrier fibers */
	uint32_t go;             /* carrier threads: futex word, 1 = it is this thread's turn */
	uint32_t parked;         /* carrier threads: futex word, 1 = ready for its first turn */
};

#endif /* VTB_RT_CARRIERS_THREAD_H */
