/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file racy.h
 * Which memory races: two threads touch it, at least one changes it, and synchronisation does not order them. What has
 * been so in one run is racy from then on.
 *
 * Shape:     a run is fed event by event, in order; of all runs it is remembered what races. Atomic accesses and
 * operations on objects count like others: it is asked which orders there are, not whether they are allowed. Memory
 * goes by granules of 4 bytes. Ownership: owns its memory; {0} knows nothing.
 * Source:    [FASTTRACK09]: of writes the last one is enough, as an earlier one that it does not come after has raced.
 */
#ifndef VTB_RACY_H
#define VTB_RACY_H

#include "vtb/map64.h"
#include "vtb/syncorder.h"

struct vtb_racy_place {
	uint64_t run;            /* of which the rest is; another one: not touched yet */
	uint32_t writer, number; /* its event of that number, from 1; 0: none */
	bool racy;
};

struct vtb_racy {
	uint64_t grown; /* times that something was found to be racy */
	uint64_t run;
	struct vtb_syncorder *order;
	uint32_t threads;        /* that there is room for in a row of `read` */
	struct vtb_map64 places; /* granule -> number */
	struct vtb_racy_place *seen;
	size_t n_seen, cap_seen;
	uint32_t *read; /* by place and thread: number of the event that read it last in this run */
	size_t n_read, cap_read;
};

void vtb_racy_fini(struct vtb_racy *r);
/** Begin with another run, whose thread ids are below `threads`. 0 or -ENOMEM. */
int vtb_racy_begin(struct vtb_racy *r, uint32_t threads);
/** The next event; `touches`: what it touches is to be looked at. 0 or -ENOMEM. O(bytes · threads). */
int vtb_racy_feed(struct vtb_racy *r, const struct vtb_event *e, bool touches);
/** Is anything of what the event touches racy? */
bool vtb_racy_touches(const struct vtb_racy *r, const struct vtb_event *e);

#endif /* VTB_RACY_H */
