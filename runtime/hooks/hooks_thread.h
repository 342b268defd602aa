/* SPDX-License-Identifier: BSD-2-Clause */
/** @file hooks_thread.h Of a thread: where the program stands that the hooks watch. Plain data. */
#ifndef VTB_RT_HOOKS_THREAD_H
#define VTB_RT_HOOKS_THREAD_H

#include <stdint.h>
#include <ucontext.h>

#include "call.h"

struct vtb_rt_thread;
struct vtb_tsan_fiber;

/** An atomic operation under way (instr_atomic.c); whoever calls carries it out. */
struct vtb_atomic_op {
	struct vtb_rt_thread *t; /* NULL: nobody looks */
	struct vtb_call call;
	uint64_t before[2]; /* control mode: what was there */
};

struct vtb_hooks_thread {
	uint64_t library_sp;              /* library.c: the stack pointer where the program called libvtb-cxx.so */
	struct vtb_tsan_fiber *own_fiber; /* of the program's own, which it runs: tsan_fibers.c */
	ucontext_t *context;              /* calls/jumps.c: what it goes on by; NULL: there was none yet */
	struct vtb_atomic_op padded;      /* a pad's, between its two calls; here, on a page that every run writes */
	uint32_t padded_depth;            /* in handlers of signals that came in between */
};

#endif /* VTB_RT_HOOKS_THREAD_H */
