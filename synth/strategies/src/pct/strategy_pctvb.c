/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pctvb: PCT with a bound on variables ([CVT13]; docs/algorithms.md, "Probability"). v of the Q variables are drawn
 * first, then d - 1 change points among the accesses to them and the n points before a thread's first operation:
 *
 *      PCTVB(n, v, d) finds a bug of depth d whose change points lie at v given variables with probability
 *      >= 1 / C(Q, v) * 1 / (n (n + sum of k_q)^(d-1)),     k_q: accesses to variable q
 */
#include <math.h>
#include <stdio.h>

#include "pctvb_draw.h"

#define SALT 0x7063747662

static int pctvb_begin(const struct vtb_space *space, void **ret_state)
{
	return vtb_pctvb_begin(space, VTB_PCT_BELOW, SALT, ret_state);
}

static void pctvb_claim(const void *state, struct vtb_claim *ret)
{
	const struct vtb_pctvb *p = state;
	const struct vtb_pctvb_counts c = vtb_pctvb_count(p);
	const double bound = c.n ? c.chosen * pow(c.hit, p->d - 1) / c.n : 0;

	*ret = (struct vtb_claim){ .probability = bound };
	snprintf(ret->text, sizeof(ret->text),
	         "%llu schedules of PCTVB(n = %u, Q = %zu, v = %u, k = %llu, d = %u); each of the last %llu finds a "
	         "bug of depth %u at the v most accessed shared variables with probability >= %.3g",
	         (unsigned long long)p->chances.proposed, c.n, p->n_shared, c.v, (unsigned long long)c.k, p->d,
	         (unsigned long long)p->valid, p->d, bound);
	vtb_chance_draw_claim(&p->chances, ret);
}

const struct vtb_strategy vtb_strategy_pctvb = {
	.name = "pctvb",
	.help = "pct with change points at v random variables; prints its probability bound",
	.can = VTB_STRATEGY_WALKS | VTB_STRATEGY_PAST,
	.begin = pctvb_begin,
	.next = vtb_pctvb_next,
	.feedback = vtb_pctvb_feedback,
	.claim = pctvb_claim,
	.end = vtb_pctvb_end,
};
