/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * portfolio: cvt, dfs and random in turns, batch by batch. Who recently found more new classes gets more turns, but nobody
 * less than an eighth: levels must be completed for a statement, and a deep bug must not starve behind a low bound.
 * Deterministic: turns depend on nothing but the outcomes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "vtb/strategy.h"

#define MEMBERS 3u
#define TICKET_BITS 56

struct member {
	const struct vtb_strategy *row;
	void *state;
	bool ended;
	double worth;   /* new classes per schedule, recent runs counting more */
	double credit;
};

struct portfolio {
	const struct vtb_space *space;
	struct member members[MEMBERS];
};

static void portfolio_end(void *state)
{
	struct portfolio *p = state;

	for (uint32_t i = 0; i < MEMBERS; i++)
		if (p->members[i].state)
			p->members[i].row->end(p->members[i].state);
	free(p);
}

static int portfolio_begin(const struct vtb_space *space, void **ret_state)
{
	static const struct vtb_strategy *const rows[MEMBERS] = { &vtb_strategy_cvt, &vtb_strategy_dfs, &vtb_strategy_random };
	struct portfolio *p = calloc(1, sizeof(*p));
	int r = p ? 0 : -ENOMEM;

	for (uint32_t i = 0; r >= 0 && i < MEMBERS; i++) {
		p->members[i] = (struct member){ .row = rows[i], .worth = 1 };
		r = rows[i]->begin(space, &p->members[i].state);
	}
	if (r < 0) {
		if (p)
			portfolio_end(p);
		return r;
	}
	p->space = space;
	*ret_state = p;
	return 0;
}

/* dfs has executed everything within the bound: the others could only repeat it. */
static bool is_done(const struct portfolio *p)
{
	struct vtb_claim claim;

	vtb_strategy_dfs.claim(p->members[1].state, &claim);
	return claim.exhausted && !claim.dropped && !p->space->opts->exhaust;
}

/* Everybody earns by worth; who has most goes, and pays. Ties: the first. */
static struct member *whose_turn(struct portfolio *p)
{
	struct member *best = NULL;
	double sum = 0;

	for (uint32_t i = 0; i < MEMBERS; i++)
		sum += p->members[i].ended ? 0 : p->members[i].worth;
	for (uint32_t i = 0; i < MEMBERS; i++) {
		struct member *m = &p->members[i];

		if (m->ended)
			continue;
		m->credit += sum > 0 && m->worth / sum > 0.125 ? m->worth / sum : 0.125;
		if (!best || m->credit > best->credit)
			best = m;
	}
	if (best)
		best->credit -= 1;
	return best;
}

static bool only_random_left(const struct portfolio *p)
{
	return p->members[0].ended && p->members[1].ended;
}

static int64_t portfolio_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct portfolio *p = state;
	struct member *m;

	while (!is_done(p) && (m = whose_turn(p))) {
		int64_t n = m->row->next(m->state, plans, max);

		if (n < 0)
			return n;
		for (int64_t i = 0; i < n; i++)
			plans[i].ticket |= (uint64_t)(m - p->members) << TICKET_BITS;
		if (n > 0)
			return n;
		m->ended = true;
		if (only_random_left(p) && p->space->below_c != VTB_UNBOUNDED)
			break; /* only lower ones are wanted, and those are done */
	}
	return 0;
}

static int portfolio_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct portfolio *p = state;
	struct member *m = &p->members[ticket >> TICKET_BITS];

	m->worth += (new_class - m->worth) / 64;
	return m->row->feedback(m->state, ticket & ((1ull << TICKET_BITS) - 1), x, new_class);
}

/* What dfs proves; if it is not complete, what cvt makes likely. */
static void portfolio_claim(const void *state, struct vtb_claim *ret)
{
	const struct portfolio *p = state;
	struct vtb_claim likely;
	size_t used = 0;

	p->members[1].row->claim(p->members[1].state, ret);
	p->members[0].row->claim(p->members[0].state, &likely);
	if (ret->complete)
		return;
	while (ret->text[used])
		used++;
	snprintf(ret->text + used, sizeof(ret->text) - used, "; %s", likely.text);
}

const struct vtb_strategy vtb_strategy_portfolio = {
	.name = "portfolio",
	.help = "cvt, dfs and random in turns, more for those that find new classes",
	.begin = portfolio_begin,
	.next = portfolio_next,
	.feedback = portfolio_feedback,
	.claim = portfolio_claim,
	.end = portfolio_end,
};
