/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file recorded_order.h
 * The order of a recording as constraints, and a runner that adds constraints to every schedule.
 */
#ifndef VTB_RECORDED_ORDER_H
#define VTB_RECORDED_ORDER_H

#include "vtb/runner.h"
#include "vtb/trace.h"

/** Append to `s`: of a total order every two neighbouring operations of two threads, of a sync order every neighbouring
 * sync operations of two threads. Accesses that do not race are left out: their order follows. Of a total order the
 * thread that failed comes first wherever the recording says nothing, as at its end. Beyond VTB_DEVIATIONS_LIMIT only
 * the last ones are kept. 0 or -ENOMEM. */
int vtb_recorded_order(const struct vtb_trace *trace, struct vtb_schedule *s);

/** A runner that adds the constraints of `extra` to each schedule and runs it on `inner`. Borrows both. */
int vtb_constrained_new(struct vtb_runner *inner, const struct vtb_schedule *extra, struct vtb_runner **ret);

#endif /* VTB_RECORDED_ORDER_H */
