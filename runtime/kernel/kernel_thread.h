/* SPDX-License-Identifier: BSD-2-Clause */
/** @file kernel_thread.h Of a thread: signals, fork(), random numbers, processors, name. Plain data. */
#ifndef VTB_RT_KERNEL_THREAD_H
#define VTB_RT_KERNEL_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#define VTB_NAME_BYTES 16      /* of a thread, its zero byte included (prctl(2)) */
#define VTB_PROCESSOR_WORDS 16 /* of a cpu_set_t */
#define VTB_STEP_ANY INT32_MAX

struct vtb_kernel_thread {
	uint64_t sigmask; /* blocked signals: bit signal - 1 */
	uint64_t randoms; /* random words it was given (random.c) */
	uint64_t mapped;  /* bytes of its stretch of addresses that it was given (mapped.c) */
	/* Of the system call that has trapped last. Kept here, as in a frame of its handler what differs from round to
	 * round would make each round of a loop another state. */
	int64_t call_pc, call_sp;  /* behind its instruction; the stack pointer there */
	const uint64_t *call_told; /* sched.told when it began */
	int32_t step;              /* inside a function of libc: VTB_STEP_ANY, or descriptor + 1; 0 none */
	uint64_t timer_at; /* when a timer goes off of which its call sees, without waiting, if it has; 0: none */
	bool due;          /* a signal might come to it earlier than by default */
	uint8_t forking;   /* enum vtb_forking: where it is in fork() (follow.c) */
	uint64_t processors[VTB_PROCESSOR_WORDS]; /* that it has asked to run on; none: any */
	char name[VTB_NAME_BYTES];                /* that it or its creator was given; "" none */
};

#endif /* VTB_RT_KERNEL_THREAD_H */
