/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file discipline.h
 * Accesses without the lock that is held elsewhere: of two plain accesses that race (vtb/races.h), one holds a lock
 * that the other does not hold, and that lock is the variable's.
 *
 * The lock:   held at as many lines that access the variable, or more, as there are lines at which a race accesses it
 *             without the lock. A write holds what is not held for reading only.
 * No alarm:   what creation, join, or another synchronisation orders (an object that is made, handed over or read only
 *             once it is complete, a lock that changes with a phase), and atomic operations, as these are no races.
 * Once:       for each variable, lock and line without it.
 * Complexity: that of the races, and O(events + races * lines of their variable).
 * Source:     [ERASER97] for the idea; orders other than those of creation and join are taken into account here.
 */
#ifndef VTB_DISCIPLINE_H
#define VTB_DISCIPLINE_H

#include "vtb/races.h"

struct vtb_unlocked {
	uint32_t var, lock;         /* variable ids */
	size_t event;               /* without the lock; place in trace->events */
	size_t other;               /* with it */
	bool reading;               /* the lock is held, but for reading only, and the event writes */
	size_t first_site, n_sites; /* in `sites`: one of each line that accesses it with the lock, by file and line */
};

struct vtb_discipline {
	struct vtb_unlocked *unlocked; /* in the order of vtb_races */
	size_t n_unlocked, cap_unlocked;
	uint32_t *sites;
	size_t n_sites, cap_sites;
};

/** Look through the races of this trace. 0 or -ENOMEM. */
int vtb_discipline_of(const struct vtb_trace *trace, const struct vtb_races *races, struct vtb_discipline *ret);
void vtb_discipline_fini(struct vtb_discipline *d);

#endif /* VTB_DISCIPLINE_H */
