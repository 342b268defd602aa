/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file large_spans.h
 * What the large plain accesses of a run touch (a copy of a structure, memset(), a vector register), and by whom: spans
 * of words of 8 bytes, disjoint, in order of address. Neighbours differ in who touches them.
 *
 *     0.1  ────────────          0.1 │ several │ 0.2
 *     0.2        ────────────
 */
#ifndef VTB_LARGE_SPANS_H
#define VTB_LARGE_SPANS_H

#include <stdbool.h>

#include "predict.h"

#define VTB_LARGE_WORD 8u /* bytes that a processor reads or writes at once */

struct vtb_large_spans {
	struct vtb_large_span {
		uint64_t lo, hi; /* words: addresses by VTB_LARGE_WORD; hi is the first behind it */
		uint32_t thread; /* id, or VTB_NONE: several */
	} * spans;
	size_t n;
	size_t accesses; /* that are large */
};

/** Is it a plain access? Is it one of more than VTB_LARGE_WORD bytes? */
bool vtb_large_is_plain(const struct vtb_event *e);
bool vtb_large_is(const struct vtb_event *e);
/** Gather those of a run. 0 or -ENOMEM; vtb_large_spans_fini() in both cases. O(events + large accesses x log). */
int vtb_large_spans_of(const struct vtb_exec *x, struct vtb_large_spans *ret);
void vtb_large_spans_fini(struct vtb_large_spans *s);
/** Does the plain access touch a span, which (`of_others`) another thread has touched? False for what is no plain
 * access. O(log spans + spans it touches). */
bool vtb_large_spans_touched(const struct vtb_large_spans *s, const struct vtb_event *e, bool of_others);

#endif /* VTB_LARGE_SPANS_H */
