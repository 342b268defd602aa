/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file core_names.h Operations of cores as schedules name them. */
#ifndef VTB_CORE_NAMES_H
#define VTB_CORE_NAMES_H

#include "vtb/cores.h"

/** By its place, which holds in runs that differ before it. */
struct vtb_op core_op_by_place(const struct vtb_core_op *op);

/** What the thread never comes to: a constraint that lapses with its end waits for that. */
struct vtb_op core_end_of(uint32_t thread);

/** The operation that event `at` of the run is. */
struct vtb_core_op core_op_at(const struct vtb_exec *x, size_t at);

/** Where the operation took place in the run, or VTB_EVENT_NONE. */
size_t core_place_in(const struct vtb_exec *x, const struct vtb_core_op *op);

/** Where the thread was made; VTB_EVENT_NONE: not in this run. O(events). */
size_t core_birth_of(const struct vtb_symtab *tab, const struct vtb_exec *x, uint32_t thread);

#endif /* VTB_CORE_NAMES_H */
