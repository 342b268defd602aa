/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file library.h
 * What libvtb-cxx.so calls in the runtime, apart from the hooks.
 */
#ifndef VTB_RT_LIBRARY_H
#define VTB_RT_LIBRARY_H

#include <stdint.h>

/** A function of the library begins: called from `caller`, where the stack pointer is `sp`. */
void vtb_library_enter(uint64_t caller, uint64_t sp);
/** It ends. */
void vtb_library_leave(void);

#endif /* VTB_RT_LIBRARY_H */
