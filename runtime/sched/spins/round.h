/* SPDX-License-Identifier: BSD-2-Clause */
/** @file round.h What a thread has touched since an anchor (progress.h). */
#ifndef VTB_RT_ROUND_H
#define VTB_RT_ROUND_H

#include "base.h"

#define VTB_ROUND_WORDS 96u /* words of memory that one time round may touch */

#define VTB_ROUND_SKIPPED 15u /* instead of a size: what stands there does not matter */

struct vtb_round_word {
	uint64_t addr, value;
	uint64_t size_log2;
};

/** What was seen since an anchor: made when it is first wanted. */
struct vtb_round {
	uint32_t n;
	bool steady;                 /* a word that is not what it was when touched before ends it */
	bool writes;                 /* what is being touched is written */
	uint64_t stack_lo, stack_hi; /* the thread's own, which is part of its state; else empty */
	uint64_t wrote_lo, wrote_hi; /* what of it was changed; else empty */
	struct vtb_round_word words[VTB_ROUND_WORDS];
};

struct vtb_call;

/** Note what `call` touches, before it is done or after it: words that are there already keep their first value. */
void vtb_round_note(struct vtb_anchor *a, const struct vtb_call *call);
/** t is at its anchor: what it has left on its stack is part of its state, and what lies below is dead. */
void vtb_round_take_own(const struct vtb_rt_thread *t, struct vtb_round *r);
/** t is held back at `a`: others may not look at what it wrote on its stack, since between two rounds it would have
 * been otherwise (own_writes.c). */
void vtb_round_keep_written(struct vtb_rt_thread *t, const struct vtb_anchor *a);
/** Does every word hold what it held? */
bool vtb_round_is_unchanged(const struct vtb_anchor *a);
/** Fingerprint of what was touched and is not the thread's own, in whatever order. */
uint64_t vtb_round_print(const struct vtb_round *r, uint64_t seed);

#endif /* VTB_RT_ROUND_H */
