/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file steps.h
 * Functions of libc that make system calls inside, as one operation each (kernel/told/libc_step.c).
 */
#ifndef VTB_RT_LIBC_STEPS_H
#define VTB_RT_LIBC_STEPS_H

#include "kernel.h"

/** A call of such a function, from its operation to its end. */
struct vtb_libc_step {
	struct vtb_rt_thread *t; /* NULL: it is none */
	int32_t before;
};

/** The calling thread, if what it does now is an operation under control, and not of a thread that is alone. */
struct vtb_rt_thread *vtb_libc_operates(void);
/** A function called from `pc` may look at or change any file or descriptor: an operation that depends on whatever is
 * done to one. Then, if it also changes what a counter stands for (hidden.h), an operation on that. Returns the
 * thread, NULL if there is no operation. */
struct vtb_rt_thread *vtb_libc_operation(int *changed, uint64_t pc);
/** The calling thread, if it is alone: what it does is no operation, and still a step. Of its system calls only the
 * stack could say where they come from, and what lies there unused is not the same with every engine. */
struct vtb_rt_thread *vtb_libc_alone(void);
/** What t does from now on is part of that operation. t: what it returned, NULL: nobody's. */
static inline struct vtb_libc_step vtb_libc_within(struct vtb_rt_thread *t)
{
	t = t ? t : vtb_libc_alone();
	return (struct vtb_libc_step){ t, t ? vtb_step_begin(t, -1) : 0 };
}
/** Both. */
static inline struct vtb_libc_step vtb_libc_step(int *changed, uint64_t pc)
{
	return vtb_libc_within(vtb_libc_operation(changed, pc));
}
static inline void vtb_libc_step_end(const struct vtb_libc_step *step)
{
	if (step->t)
		vtb_step_end(step->t, step->before);
}

/* It ends where the variable does. */
#define VTB_LIBC_STEP(begin) const struct vtb_libc_step step __attribute__((cleanup(vtb_libc_step_end), unused)) = begin

#endif /* VTB_RT_LIBC_STEPS_H */
