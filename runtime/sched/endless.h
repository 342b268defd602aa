/* SPDX-License-Identifier: BSD-2-Clause */
/** @file endless.h Loops without a way out (endless.c). */
#ifndef VTB_RT_ENDLESS_H
#define VTB_RT_ENDLESS_H

#include "rt.h"

/** Can a thread at this instruction never come to a return, or to a call of anything but a hook? False also where nobody can tell. O(instructions^2), at most 96. */
bool vtb_endless(uint64_t pc);

#endif /* VTB_RT_ENDLESS_H */
