/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_demux.h
 * Which thread a stretch of a CPU's control flow belongs to. See vtb/pt_session.h for the rule.
 *
 *   packets of a CPU:   PGE ---- TNT TIP TNT ---- PGD        PGE --- TNT --- PGD
 *   time known:      ^lo        (^ inside)            ^next
 *   switches:      | in tid 7 .......................... | out | in tid 9
 *
 * User code runs only between PGE and PGD, and a context switch happens in the kernel, so a stretch has one owner.
 */
#ifndef DECODE_PT_DEMUX_H
#define DECODE_PT_DEMUX_H

#include "vtb/pt_session.h"

/* A stretch or a gap whose owner is found as soon as the time after it is known. */
struct vtb_pt_stretch {
	uint64_t lo;                   /* time known before it began; exact: a time inside it */
	uint32_t first_segment, first; /* positions: vtb_pt_position() */
	uint32_t last_segment, end;
	uint64_t instructions;
	bool exact;
	bool gap; /* one gap item instead of flow */
};

struct vtb_pt_demux {
	struct vtb_pt_session *session;
	uint32_t source;
	uint64_t now; /* latest time seen */
	bool open;    /* `current` has begun */
	struct vtb_pt_stretch current;
	struct vtb_pt_stretch *waiting; /* closed, time after not yet known */
	size_t n_waiting, cap_waiting;
	uint32_t *ends; /* end position of each segment seen, for stretches over several segments */
	size_t n_ends, cap_ends;
};

/** Take the next segment of the source. `joined`: it goes on where the one before it ended. */
int vtb_pt_demux_segment(struct vtb_pt_demux *demux, uint32_t segment, const struct vtb_pt_items *items, bool joined);
/** The source has ended: settle what is open. */
int vtb_pt_demux_end(struct vtb_pt_demux *demux);
void vtb_pt_demux_fini(struct vtb_pt_demux *demux);

#endif /* DECODE_PT_DEMUX_H */
