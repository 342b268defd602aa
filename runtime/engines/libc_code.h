/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file libc_code.h
 * Changing libc's code where it is known byte by byte (libc_write.c, libc_calls.c): in this process alone, before the
 * first run and while no other thread is in it.
 */
#ifndef VTB_RT_LIBC_CODE_H
#define VTB_RT_LIBC_CODE_H

#include <stdbool.h>
#include <stdint.h>

#define VTB_SYSCALL_SIZE 2 /* of the instruction */

/** The code there may be written to (`yes`), or no longer. False: it cannot be changed. */
bool vtb_libc_writable(const uint8_t *at, uint64_t size, bool yes);

#endif /* VTB_RT_LIBC_CODE_H */
