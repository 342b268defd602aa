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
/** Can the fs base be set without a system call, and does the kernel keep it? */
extern bool vtb_fiber_fsgsbase;
/** Find out how it is to be set, before the first fiber. `carries`: the calling kernel thread will carry them, and is
 * guarded from now on if need be. */
void vtb_fiber_look(bool carries);
/** How it is set: VTB_MEANS_FSGSBASE, VTB_MEANS_FS_GUARD (fs_guard.h), or 0, by the system call. */
uint32_t vtb_fiber_means(void);
/** This process, or each of its children, makes one run: guard only those that switch so often that it pays. */
void vtb_fiber_guard_later(void);
/** By the system call for good: the kernel may find no room for the guard's signal on the program's stacks. */
void vtb_fiber_never_guard(void);
/** The process that is made has the base that this one has now. */
void vtb_fiber_about_to_fork(void);
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
