/* SPDX-License-Identifier: BSD-2-Clause */
/** @file told_memory.h What system calls do to the program's memory, by their numbers. */
#ifndef VTB_RT_TOLD_MEMORY_H
#define VTB_RT_TOLD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/** A system call is about to be made for a place with hooks, or was: what it reads and writes at its arguments is told
 * as accesses at `pc`. errno stays. */
void vtb_rt_tell_call(long nr, const long args[6], uint64_t pc);
/** It has failed: it may have read, and nothing is written. errno stays. */
void vtb_rt_tell_failed_call(long nr, const long args[6], uint64_t pc);
/** Of a message that is sent or received: the name and the control data that it points to; if it is sent, itself. */
void vtb_rt_tell_message(const struct msghdr *message, bool sent, uint64_t pc);
/** A text that the kernel reads to its end; what is no memory it refuses, and constants nobody writes. */
void vtb_rt_tell_text(const char *text, uint64_t pc);

#endif /* VTB_RT_TOLD_MEMORY_H */
