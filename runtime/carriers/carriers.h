/* SPDX-License-Identifier: BSD-2-Clause */
/** @file carriers.h How threads take turns: the rows of struct vtb_carrier (scheduler.h). */
#ifndef VTB_RT_CARRIERS_H
#define VTB_RT_CARRIERS_H

#include "fiber.h"
#include "scheduler.h"

extern const struct vtb_carrier vtb_carrier_threads, vtb_carrier_fibers;

/* carrier_fibers.c */
/** Make `n` fibers before main; later threads take them first. Returns how many there are. */
uint32_t vtb_fibers_pool(uint32_t n);
/** Its handle; i is below what vtb_fibers_pool() returned. */
pthread_t vtb_fibers_handle(uint32_t i);
/** Method mprotect: the kernel must find room for a signal's frame on the pooled stacks from the beginning. */
void vtb_fibers_open_stacks(void);
/** Does the address lie on the stack of a prepared fiber? O(fibers). */
bool vtb_fibers_stack_has(uint64_t addr);

#endif /* VTB_RT_CARRIERS_H */
