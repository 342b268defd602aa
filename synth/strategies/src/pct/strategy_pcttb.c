/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pcttb: the random algorithm of RankChecker, with bounds on variables and threads ([CVT13], sections 4 and 5;
 * docs/algorithms.md, "Probability"). Change points are drawn as pctvb draws them. Priorities are one random order of n
 * threads and c fragments, P[1] .. P[n+c]: the thread that runs at the i-th change point goes on with P[n+i], which may
 * lie above other threads. So a fragment is a thread more, and who takes part is what counts, not how many threads
 * there are:
 *
 *      PCTTB(n, c, v, t) finds a bug that needs c given change points at v given variables and one order of t threads,
 *      their creator and the c fragments with probability
 *      >= 1 / C(Q, v) * c! / (n + sum of k_q)^c * 1 / (t + 1 + c)!
 */
#include <math.h>
#include <stdio.h>

#include "pctvb_draw.h"

#define SALT 0x7063747462

static int pcttb_begin(const struct vtb_space *space, void **ret_state)
{
	return vtb_pctvb_begin(space, VTB_PCT_AMONG, SALT, ret_state);
}

/* Threads whose order counts: t and their creator, if there are so many. */
static uint32_t ordered(const struct vtb_pctvb *p, uint32_t n)
{
	return p->space->opts->t < n ? p->space->opts->t + 1 : n;
}

static void pcttb_claim(const void *state, struct vtb_claim *ret)
{
	const struct vtb_pctvb *p = state;
	const struct vtb_pctvb_counts c = vtb_pctvb_count(p);
	const uint32_t changes = p->d - 1, threads = ordered(p, c.n);
	const double bound =
	    c.n ? c.chosen * pow(c.hit, changes) * tgamma(changes + 1.0) / tgamma(threads + changes + 1.0) : 0;

	*ret = (struct vtb_claim){ .probability = bound };
	snprintf(ret->text, sizeof(ret->text),
	         "%llu schedules of PCTTB(n = %u, Q = %zu, v = %u, k = %llu, c = %u); each of the last %llu finds a "
	         "bug that needs %u change point%s at the v most accessed shared variables and an order among %u "
	         "threads, creators included, with probability >= %.3g",
	         (unsigned long long)p->chances.proposed, c.n, p->n_shared, c.v, (unsigned long long)c.k, changes,
	         (unsigned long long)p->valid, changes, changes == 1 ? "" : "s", threads, bound);
	vtb_chance_draw_claim(&p->chances, ret);
}

const struct vtb_strategy vtb_strategy_pcttb = {
	.name = "pcttb",
	.help = "pctvb with priorities after change points anywhere in the order, for t threads; prints its bound",
	.can = VTB_STRATEGY_WALKS | VTB_STRATEGY_PAST,
	.begin = pcttb_begin,
	.next = vtb_pctvb_next,
	.feedback = vtb_pctvb_feedback,
	.claim = pcttb_claim,
	.end = vtb_pctvb_end,
};
