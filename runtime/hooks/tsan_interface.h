/* SPDX-License-Identifier: BSD-2-Clause */
/** @file tsan_interface.h The sanitizer's public interface, which programs call of themselves (tsan_interface.c,
 * tsan_fibers.c). */
#ifndef VTB_RT_TSAN_INTERFACE_H
#define VTB_RT_TSAN_INTERFACE_H

#include <stdbool.h>

/** Is the real sanitizer's runtime loaded, too, or part of the program? */
bool vtb_tsan_real(void);

#endif /* VTB_RT_TSAN_INTERFACE_H */
