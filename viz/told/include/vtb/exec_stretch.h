/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exec_stretch.h
 * Questions about the stretches of an execution: a stretch is a maximal row of events of one thread. All are O(events).
 */
#ifndef VTB_STRETCH_H
#define VTB_STRETCH_H

#include "vtb/exec.h"

/** First event at or after `i` (i >= 1) of the thread that event i-1 belongs to: where it comes on again; n_events if
 * it never does. */
size_t vtb_stretch_return(const struct vtb_exec *x, size_t i);

/** Visible operations that `thread` does in the run. */
uint32_t vtb_stretch_operations(const struct vtb_exec *x, uint32_t thread);

/** Event of the operation number `index` (from 1) of `thread`, perhaps one that stands for several; n_events if it has
 * fewer. */
size_t vtb_stretch_event(const struct vtb_exec *x, uint32_t thread, uint32_t index);

/** Does that operation conflict with any operation of another thread in the run? False for index 0. */
bool vtb_stretch_contended(const struct vtb_exec *x, uint32_t thread, uint32_t index);

#endif /* VTB_STRETCH_H */
