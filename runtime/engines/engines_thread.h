/* SPDX-License-Identifier: BSD-2-Clause */
/** @file engines_thread.h Of a thread: what only fingerprints of states need. Plain data. */
#ifndef VTB_RT_ENGINES_THREAD_H
#define VTB_RT_ENGINES_THREAD_H

#include <stdint.h>

struct vtb_engines_thread {
	uint32_t prints; /* operations on streams so far (hooks/libc/stdio.c) */
};

#endif /* VTB_RT_ENGINES_THREAD_H */
