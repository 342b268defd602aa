/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file kept_state.h
 * The state of a run in the middle, kept so that later ones go on from there: of checkpoint.c and stem.c.
 *
 * Shape: pages of the dirty set, the events so far, the outcome so far, the context.
 *
 * Ownership: its memory is shared, is not rolled back, grows and is never given back.
 *
 * It is valid as long as nothing is put back from main's beginning, since vtb_dirty_restore() reorders the dirty set.
 */
#ifndef VTB_RT_KEPT_STATE_H
#define VTB_RT_KEPT_STATE_H

#include "engines.h"

struct vtb_kept_room {
	char *at;
	uint64_t size;
};

struct vtb_kept_state {
	void *rsp; /* where it goes on */
	uint64_t fs;
	struct vtb_kept_room pages, events;
	struct vtb_dirty_mark mark;
	uint64_t events_used;
	uint64_t events_from; /* address of the first record in the run that was here first */
	struct vtb_wire_outcome outcome;
};

/** Have `size` bytes there; what was there is lost. False: no memory. */
bool vtb_kept_room(struct vtb_kept_room *r, uint64_t size);
/** In the run that is here first, before vtb_kept_take(): note its records and its outcome. */
void vtb_kept_note(struct vtb_kept_state *k);
/** On the engine's stack: keep the state of the run that stands at this context. False: no memory. O(dirty pages). */
bool vtb_kept_take(struct vtb_kept_state *k, void *rsp, uint64_t fs);
/** The memory is put back to k: fill in the slot, and say where the run goes on. O(bytes of records). */
void vtb_kept_resume(const struct vtb_kept_state *k, struct vtb_wire_slot *slot, void **ret_rsp, uint64_t *ret_fs);
/** In the run that goes on from k, with the memory of the one that was here first: what leads into the slot leads into
 * its own from now on. O(threads). */
void vtb_kept_move_in(const struct vtb_kept_state *k);

#endif /* VTB_RT_KEPT_STATE_H */
