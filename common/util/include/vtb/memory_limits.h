/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file memory_limits.h Limits of memory under which a program that vtb controls may fail, though it does not alone.
 */
#ifndef VTB_MEMORY_LIMITS_H
#define VTB_MEMORY_LIMITS_H

#include <stddef.h>

/** Sentences about the limits of this process, which its children inherit: each that leaves too little beside what the
 * runtime takes, by its name, with what to say; "" if none does. Writes at most `size` bytes and returns `buf`. */
char *vtb_memory_limits(char *buf, size_t size);

#endif /* VTB_MEMORY_LIMITS_H */
