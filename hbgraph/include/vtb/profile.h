/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file profile.h
 * Who touches what: for each variable of a trace the readers, the writers, how often, under which locks, and where
 * first and last.
 *
 * Locks:      those held at every access of a kind (for writes, locks held for reading only do not count). Accesses
 * that thread creation and join order against every other thread's accesses (initialisation before the threads exist,
 * the check after they were joined) are left out, as there was nobody to keep away. This replaces the "first thread
 * only" rule of [ERASER97], which misses accesses after a join. Complexity: O(1) an event, O(threads of the variable)
 * where a thread's relation to others may have changed. Memory:     per variable, (variable, thread), and segment of
 * the thread between creations and joins; none per event.
 */
#ifndef VTB_PROFILE_H
#define VTB_PROFILE_H

#include "vtb/trace.h"

#define VTB_PROFILE_THREADS_MAX \
	64u /* the first so many threads of a variable are listed; enough for people, and bounded */

/** A set of ids, ascending; borrowed from the profile. */
struct vtb_idset {
	const uint32_t *ids;
	size_t n;
};

struct vtb_profile_var {
	uint32_t var;
	bool sync;              /* a synchronisation object, thread, stream or clock: counts are operations, no locks */
	bool shared;            /* more than one thread touched it */
	bool contended;         /* shared, and some access that could meet another thread's was a write */
	uint64_t reads, writes; /* plain and atomic; a read-modify-write counts as both */
	uint64_t atomics;       /* accesses that were atomic */
	struct vtb_idset readers, writers, threads; /* thread ids */
	struct vtb_idset read_locks, write_locks;   /* variable ids of locks */
	uint32_t first_site, last_site;
	uint32_t first_thread, last_thread;
};

struct vtb_profile {
	struct vtb_profile_var
	    *vars; /* contended first, then shared; unprotected before protected; rare before frequent; by name */
	size_t n_vars, cap_vars;
	uint64_t accesses; /* to memory */
	uint64_t unnamed;  /* of these, to no known variable */
	uint64_t unknown;  /* of these, at an unknown address */
	struct sets *sets; /* private: owns the sets */
};

int vtb_profile_of(const struct vtb_trace *trace, struct vtb_profile *ret);

/** The same for events that come piece by piece, in their order. Borrows `tab`, which has all names already. 0 or
 * -ENOMEM. */
struct vtb_profiler;
int vtb_profiler_new(const struct vtb_symtab *tab, struct vtb_profiler **ret);
int vtb_profiler_feed(struct vtb_profiler *p, const struct vtb_event *events, size_t n);
/** That was all. Once. */
int vtb_profiler_end(struct vtb_profiler *p, struct vtb_profile *ret);
void vtb_profiler_free(struct vtb_profiler *p);
void vtb_profile_fini(struct vtb_profile *profile);

/** Row of the variable, NULL if the trace does not touch it. O(variables). */
const struct vtb_profile_var *vtb_profile_find(const struct vtb_profile *profile, uint32_t var);

#endif /* VTB_PROFILE_H */
