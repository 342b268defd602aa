/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exec_stem.h
 * The stem of a program's runs: what main does before it makes its first thread. Nobody is there who could come in
 * between, so all runs have it alike, and no order has to do with what it reads, writes and frees. A search that leaves
 * these operations out of its runs comes to the same classes and findings (decision 54).
 *
 *     whole   1 2 3 4 5 6 7 8 9 | create 11 12 ...      operations of main by their index
 *             r w L w w U r f w                         r, w, f: left out; L, U: told
 *     short       1     2       | create  4  5 ...
 *
 * Shape:      numbers of main's operations in one kind of run, and what they are in the other. Sites that runs are not
 *             looked at (vtb_runner_quiet()) make no operations in either.
 * Ownership:  owns its arrays; vtb_stem_fini() frees them.
 */
#ifndef VTB_EXEC_STEM_H
#define VTB_EXEC_STEM_H

#include "vtb/exec.h"

struct vtb_stem {
	uint32_t thread;  /* main's id */
	uint32_t told;    /* operations of the stem that are told */
	uint32_t *before; /* told + 1 of them: how many are left out before the next one that is told, counted from the
	                     beginning, of those that are looked at */
	uint32_t *ends;   /* likewise, of all */
	uint32_t *sites;  /* of each that is left out; VTB_NONE: it is always looked at */
};

/** The stem of `x`, a run that was told whole. 1: there is one, and it leaves out `least` operations or more; 0: there
 * is none, *ret is empty; -ENOMEM. O(events of the stem). */
int vtb_stem_of(const struct vtb_exec *x, uint32_t least, struct vtb_stem *ret);
void vtb_stem_fini(struct vtb_stem *stem);
/** From here on sites i < n with quiet[i] not 0 are not looked at; n = 0: all are. O(left out). */
void vtb_stem_quiet(struct vtb_stem *stem, const uint8_t *quiet, size_t n);

/** Of main's `index`-th operation in a short run its index in a whole one. O(1). */
uint32_t vtb_stem_whole(const struct vtb_stem *stem, uint32_t index);
/** The point after main's `index`-th operation in a short run, which stands before its next one: the index of the
 * operation before that in a whole run. O(1). */
uint32_t vtb_stem_whole_point(const struct vtb_stem *stem, uint32_t index);
/** Likewise, the other way round: the last point of a short run that is not behind this one. O(log of the stem). */
uint32_t vtb_stem_short_point(const struct vtb_stem *stem, uint32_t index);
/** Operations of a schedule for short runs become those of a schedule for whole ones. O(its size). */
void vtb_stem_lengthen(const struct vtb_stem *stem, struct vtb_schedule *s);
/** And back, of a schedule without constraints that has no deviation in the stem. */
void vtb_stem_shorten(const struct vtb_stem *stem, struct vtb_schedule *s);

#endif /* VTB_EXEC_STEM_H */
