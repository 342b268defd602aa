/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file reordering.h
 * What a simulated order changes against the recorded one: which conflicting accesses it reorders, and whether an
 * access now comes between two of another thread in a way that no serial order explains. Source of the unserialisable
 * patterns: [AVIO06]: read-W-read, write-W-read, write-R-write, read-W-write.
 */
#ifndef VTB_REORDERING_H
#define VTB_REORDERING_H

#include "vtb/exec.h"

/** The recorded order: place of each operation. */
struct vtb_reference {
	uint32_t *first; /* thread -> where its rows begin in `place`; n_threads + 1 entries */
	uint32_t *place; /* operation of a thread -> place in the recorded order */
	uint32_t n_threads;
	/* scratch: accesses to one variable are a chain from the latest back */
	uint32_t *latest; /* variable -> event + 1 of its latest access */
	uint32_t *run;    /* variable -> run that `latest` belongs to */
	uint32_t runs;
	size_t n_vars;
	uint32_t *before; /* event -> the access to the same variable before it, + 1 */
	uint32_t *at;     /* event -> place in the recorded order, UINT32_MAX if it was not recorded */
	size_t cap_before, cap_at;
	uint32_t *done; /* operations by thread */
	const uint32_t
	    *passed;     /* by thread: operations before the run's first; NULL: none. Borrowed, set by whoever has it */
	uint64_t *moved; /* threads whose order changed, one bit each */
	bool (*counts)(void *data, const struct vtb_event *e); /* of which accesses it is told; NULL: of all */
	void *data;
};

struct vtb_reordering {
	uint32_t intrusions; /* unserialisable patterns that the recorded order did not have */
	uint32_t flips;      /* neighbouring conflicting accesses in another order than recorded */
	uint32_t threads;    /* threads that take part in either */
	/* an example, places in the run; n_events if there is none */
	size_t first, middle,
	    last; /* an intrusion: `middle` between `first` and `last`; a flip: `first` before `middle`, last none */
};

int vtb_reference_init(struct vtb_reference *ref, const struct vtb_event *events, size_t n, size_t n_vars);
void vtb_reference_fini(struct vtb_reference *ref);
/** 0 or -ENOMEM. O(events * accesses between two of one thread to a variable, at most 64). */
int vtb_reordering_of(struct vtb_reference *ref, const struct vtb_exec *x, struct vtb_reordering *ret);

/** In the run that was looked at last: accesses of other threads to the variable of event i before it, back to the last
 * write, that are in conflict with it and came after it when they were recorded; at most max. Returns how many. */
size_t vtb_reordered_before(const struct vtb_reference *ref, const struct vtb_exec *x, size_t i, size_t *ret,
                            size_t max);

#endif /* VTB_REORDERING_H */
