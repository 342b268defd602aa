/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file past.h
 * The operations of a run by thread: what schedules made from it count in, and how they count without those at quiet
 * sites (docs/algorithms.md, "Selective instrumentation").
 */
#ifndef VTB_PAST_H
#define VTB_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/trace.h"

struct vtb_past_thread {
	uint32_t *sites; /* of its operations, in order; VTB_NONE: not known */
	size_t n_sites, cap_sites;
	uint32_t *before; /* operations before each block of them that are not at quiet sites */
	size_t n_before, cap_before;
	bool ended; /* they are all that there are */
};

/** All zero: empty. */
struct vtb_past {
	struct vtb_past_thread *threads; /* by id; owned */
	size_t n_threads, cap_threads;
	uint64_t choice; /* of quiet sites that `before` is for; 0: none */
};

/** Make it empty, and keep its memory. */
void vtb_past_clear(struct vtb_past *past);
void vtb_past_fini(struct vtb_past *past);
bool vtb_past_is_empty(const struct vtb_past *past);
/** The event's thread has done this operation. 0 or -ENOMEM. */
int vtb_past_add(struct vtb_past *past, const struct vtb_event *e);
/** Give the site of the thread's operation `index`, from 0: true; false: nobody knows what it is. Behind the last one
 * of a thread that has ended stands none: true, VTB_NONE. */
bool vtb_past_site(const struct vtb_past *past, uint32_t thread, uint32_t index, uint32_t *ret);
/** How many of the thread's first n operations are at sites that are not quiet? `choice`, not 0, is another number for
 * other quiet sites. The number or -ENOMEM. O(operations) for a new choice, else O(1). */
int64_t vtb_past_loud(struct vtb_past *past, uint32_t thread, uint32_t n, const uint8_t *quiet, size_t n_quiet,
                      uint64_t choice);

#endif /* VTB_PAST_H */
