/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file fiber.h
 * Switching stacks: a thread of the program without its kernel thread. A fiber is an adopted glibc thread: its stack,
 * its thread-local storage (fs base), its handle are real; the kernel thread that came with them sleeps.
 *
 *     pthread_create ── kernel thread K starts, saves its stack pointer and fs base, sleeps on a small stack of its own
 * (park) carrier        ── continues on K's stack with K's fs base; switches to others and back its end        ── the
 * carrier leaves the stack; K wakes on it and finishes in glibc's own way
 */
#ifndef VTB_RT_FIBER_H
#define VTB_RT_FIBER_H

#include "base.h"

#define VTB_FIBER_PARK_STACK 16384u

/** Members up to `resume` are known to fiber_switch.c's assembly by offset. */
struct vtb_fiber {
	void *rsp;                    /*  0: where it goes on */
	uint64_t fs;                  /*  8: its fs base */
	void *park_top;               /* 16: end of K's small stack */
	uint32_t parked;              /* 24: futex word: K sleeps, the stack may be used */
	uint32_t resume;              /* 28: futex word: K may have its stack back */
	struct vtb_rt_thread *thread; /* who runs on it */
	pthread_t handle;
	uint64_t stack_lo, stack_hi;
	bool pooled;     /* made before main, never handed back */
	uint32_t number; /* in the pool */
};

/** Save this context in *save (stack pointer), go on at `to` with fs base `fs`. Callee-saved registers, the SSE and x87
 *  control words go with the stack. */
static inline void vtb_fiber_switch(void **save, void *to, uint64_t fs);
/** Called by K on its own stack: fill in rsp and fs, sleep on the parking stack; returns on whoever continues the
 * context. */
void vtb_fiber_park(struct vtb_fiber *f);
/** A context that enters `entry` on a fresh stack that ends at `top`. */
void *vtb_fiber_context(void *top, void (*entry)(void));
uint64_t vtb_fiber_fs(void);
/** Can the fs base be set without a system call? Known from vtb_fiber_look() on, which the server calls before the
 * first fiber. */
extern bool vtb_fiber_fsgsbase;
void vtb_fiber_look(void);
void vtb_fiber_switch_fs(void **save, void *to, uint64_t fs) __attribute__((visibility("hidden")));
void vtb_fiber_switch_slow(void **save, void *to, uint64_t fs);

static inline void vtb_fiber_switch(void **save, void *to, uint64_t fs)
{
	if (VTB_LIKELY(vtb_fiber_fsgsbase))
		vtb_fiber_switch_fs(save, to, fs);
	else
		vtb_fiber_switch_slow(save, to, fs);
}

#endif /* VTB_RT_FIBER_H */
