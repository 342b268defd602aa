/* SPDX-License-Identifier: BSD-2-Clause */
/** @file deviate.h What a schedule asks for besides what its policy decides. Used by scheduler.c. */
#ifndef VTB_RT_DEVIATE_H
#define VTB_RT_DEVIATE_H

#include <stdbool.h>

struct vtb_rt_thread;
struct vtb_wire_deviation;

/** Make deviation d at t's point; *next is who goes on by it (NULL: whom the policy chooses). False if it finds no
 * place. O(1), but for those that wake somebody: O(threads). */
bool vtb_deviate(struct vtb_rt_thread *t, const struct vtb_wire_deviation *d, struct vtb_rt_thread **next);

#endif /* VTB_RT_DEVIATE_H */
