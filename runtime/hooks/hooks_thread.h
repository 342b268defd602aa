/* SPDX-License-Identifier: BSD-2-Clause */
/** @file hooks_thread.h Of a thread: where the program stands that the hooks watch. Plain data. */
#ifndef VTB_RT_HOOKS_THREAD_H
#define VTB_RT_HOOKS_THREAD_H

#include <stdint.h>

struct vtb_tsan_fiber;

struct vtb_hooks_thread {
	uint64_t library_sp;              /* library.c: the stack pointer where the program called libvtb-cxx.so */
	struct vtb_tsan_fiber *own_fiber; /* of the program's own, which it runs: tsan_fibers.c */
};

#endif /* VTB_RT_HOOKS_THREAD_H */
