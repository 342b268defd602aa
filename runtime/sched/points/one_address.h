/* SPDX-License-Identifier: BSD-2-Clause */
/** @file one_address.h Objects of memory that lies at two addresses: whichever of them a thread names, it is one.
 * Plain accesses are not looked up (decision 82). */
#ifndef VTB_RT_ONE_ADDRESS_H
#define VTB_RT_ONE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

extern bool vtb_has_twins;

/** Memory at [lo, hi) is the same as that at `first`, which was there before. */
void vtb_twins_note(uint64_t lo, uint64_t hi, uint64_t first);
/** Nothing of what was is at [lo, hi) any more. */
void vtb_twins_gone(uint64_t lo, uint64_t hi);
/** Somebody may wait where nobody can find it: that all wait proves nothing. */
bool vtb_twins_lost(void);

uint64_t vtb_first_address(uint64_t at);

/** The address by which an object is known: that of its memory's first mapping. */
static inline void *vtb_one_address(const volatile void *at)
{
	return (void *)(VTB_UNLIKELY(vtb_has_twins) ? vtb_first_address((uint64_t)at) : (uint64_t)at);
}

#endif /* VTB_RT_ONE_ADDRESS_H */
