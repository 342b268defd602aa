/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file one_core.h
 * For tests that run programs instruction by instruction: at each one the program and who steps it wake each other.
 * From one core to another that takes three times as long, where the cores have nothing else to do.
 */
#ifndef VTB_TEST_ONE_CORE_H
#define VTB_TEST_ONE_CORE_H

#include <sched.h>

/** This process, and those that it starts, stay on the core where it is. */
static inline void keep_to_one_core(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
}

#endif /* VTB_TEST_ONE_CORE_H */
