/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file matters.h  What cannot matter to a failure goes last, in strategies that leave nothing out for it. */
#ifndef STRATEGIES_MATTERS_H
#define STRATEGIES_MATTERS_H

#include "vtb/strategy.h"

/** Learn from a run which nobody has seen the like of. 0, or an error. */
int matters_learn(const struct vtb_space *space, const struct vtb_exec *x, bool new_class);
/** Without --predicate, and of what is not known: true. */
bool matters_variable(const struct vtb_space *space, uint32_t var);
/** Can two threads be in conflict at the variable? Without slices, and of what is not known: true. */
bool matters_reached(const struct vtb_space *space, uint32_t var);
/** With --assertions-only: deviations at what matters to no assertion need not be tried. */
bool matters_nothing(const struct vtb_space *space, uint32_t var);
/** How often that has become false of a variable. */
uint64_t matters_grown(const struct vtb_space *space);
bool matters_event(const struct vtb_space *space, const struct vtb_event *e);

#endif /* STRATEGIES_MATTERS_H */
