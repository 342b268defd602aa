/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file thread_maker.h Threads that a library starts for the user: std::thread, std::async and the like. */
#ifndef VTB_THREAD_MAKER_H
#define VTB_THREAD_MAKER_H

#include "stack_frames.h"
#include "vtb/map64.h"

/** Name the thread by what it runs, from the first of its stacks that tells; hashes of those that do not are kept in
 * *silent. 0 or -ENOMEM. */
int vtb_thread_maker_of(const struct stack_names *names, struct vtb_map64 *silent, uint32_t thread, const uint64_t *pcs,
                        size_t n);

#endif /* VTB_THREAD_MAKER_H */
