/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pct: probabilistic concurrency testing [PCT10]. n threads in a random priority order, and d - 1 change points at
 * which the running thread falls below all others: PCT(n, k, d) finds a bug of depth d with probability
 * >= 1 / (n k^(d-1)). See docs/algorithms.md, "Probability".
 *
 * Here a change point lies before an operation of a thread, the first one too, drawn uniformly from the k operations
 * seen in earlier runs, not a step of the whole run: the operation that must be hit is then drawn with the same
 * probability 1 / k, and a schedule says the same in every run. k is the sum over the threads of the most operations
 * seen; a run that does more voids the bound for the runs before it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "pct_draw.h"
#include "vtb/coverage.h"
#include "vtb/rng.h"

struct pct {
	const struct vtb_space *space;
	uint64_t rng;
	uint64_t k;
	uint64_t valid; /* schedules proposed since n and k are what they are */
	uint32_t n, d;
	struct vtb_chance_draw chances;
};

static int pct_begin(const struct vtb_space *space, void **ret_state)
{
	struct pct *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->space = space;
	p->rng = vtb_mix64(space->opts->seed + 0x706374);
	p->d = 1 + vtb_pct_changes(space->opts);
	vtb_chance_draw_init(&p->chances, space->opts->seed);
	*ret_state = p;
	return 0;
}

static struct vtb_pct_point draw_point(void *state)
{
	struct pct *p = state;
	const struct vtb_coverage *c = p->space->coverage;
	uint64_t op = vtb_rng_below(&p->rng, p->k);
	uint32_t thread = 0;

	while (op >= c->ops[thread])
		op -= c->ops[thread++];
	return (struct vtb_pct_point){ thread, (uint32_t)op }; /* before that operation */
}

static int draw(void *state, struct vtb_plan *plan)
{
	struct pct *p = state;

	p->valid++;
	return vtb_pct_plan(&p->rng, p->n, p->d - 1, VTB_PCT_BELOW, draw_point, p, plan);
}

/* What the runs so far have shown of n and k. */
static void measure(struct pct *p)
{
	const struct vtb_coverage *c = p->space->coverage;
	const uint64_t k = p->k;
	const uint32_t n = p->n;

	p->n = c->n_threads;
	p->k = 0;
	for (uint32_t t = 0; t < c->n_ops; t++)
		p->k += c->ops[t];
	if (p->k != k || p->n != n)
		p->valid = 0;
}

static int64_t pct_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct pct *p = state;

	measure(p);
	return p->k ? vtb_chance_draw_batch(&p->chances, plans, max, draw, p) : vtb_pct_first(&p->chances, &plans[0]);
}

static int pct_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct pct *p = state;

	(void)new_class;
	return vtb_chance_draw_learn(&p->chances, ticket, x);
}

static void pct_claim(const void *state, struct vtb_claim *ret)
{
	const struct pct *p = state;
	double bound = p->n ? 1 / (double)p->n : 0;

	for (uint32_t i = 1; i < p->d && p->k; i++)
		bound /= (double)p->k;
	*ret = (struct vtb_claim){ .probability = bound };
	snprintf(ret->text, sizeof(ret->text),
	         "%llu schedules of PCT(n = %u, k = %llu, d = %u); each of the last %llu finds a bug of depth %u with "
	         "probability >= %.3g",
	         (unsigned long long)p->chances.proposed, p->n, (unsigned long long)p->k, p->d,
	         (unsigned long long)p->valid, p->d, bound);
	vtb_chance_draw_claim(&p->chances, ret);
}

static void pct_end(void *state)
{
	struct pct *p = state;

	vtb_chance_draw_fini(&p->chances);
	free(p);
}

const struct vtb_strategy vtb_strategy_pct = {
	.name = "pct",
	.help = "random priorities and c random change points; prints its probability bound",
	.can = VTB_STRATEGY_BRIEF | VTB_STRATEGY_WALKS,
	.begin = pct_begin,
	.next = pct_next,
	.feedback = pct_feedback,
	.claim = pct_claim,
	.end = pct_end,
};
