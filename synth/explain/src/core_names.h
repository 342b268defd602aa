/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file core_names.h Operations of cores as schedules name them. */
#ifndef VTB_CORE_NAMES_H
#define VTB_CORE_NAMES_H

#include "vtb/cores.h"

/** By its place, which holds in runs that differ before it: a schedule counts operations of a kind by their line. `x`
 * is the core's failing run; what did not take place there is taken for the next of its kind and line. */
struct vtb_op core_op_by_place(const struct vtb_core_op *op, const struct vtb_exec *x, const struct vtb_symtab *tab);

/** The operation that event `at` of the run is. */
struct vtb_core_op core_op_at(const struct vtb_exec *x, size_t at);

/** Where the operation took place in the run, or VTB_EVENT_NONE. */
size_t core_place_in(const struct vtb_exec *x, const struct vtb_core_op *op);

#endif /* VTB_CORE_NAMES_H */
