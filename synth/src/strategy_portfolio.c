/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * portfolio: cvt, dfs, dpor, random and bestfirst in turns, by the number of schedules. dpor often shows quickly that nothing can fail;
 * dfs proves that a find is the lowest; cvt, random and bestfirst find what is deep. Who recently found more new classes gets more turns, but nobody
 * less than a tenth: levels must be completed for a statement, and a deep bug must not starve behind a low bound.
 * Where threads stand for others like them, cvt begins: its first few schedules find what depends on one of them.
 * Deterministic: turns depend on nothing but the outcomes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/strategy.h"

enum { CVT, DFS, DPOR, RANDOM, BESTFIRST, MEMBERS };
#define TICKET_BITS 56
#define LEAST_SHARE 0.1
#define HEAD_START 8 /* schedules of cvt, where symmetric threads leave few that matter */
#define REMEMBERED 2048 /* schedules */

struct member {
	const struct vtb_strategy *row;
	void *state;
	bool ended;
	double worth;   /* new classes per schedule, recent runs counting more */
	double had;     /* schedules, recent ones */
};

struct portfolio {
	const struct vtb_space *space;
	struct member members[MEMBERS];
	uint64_t proposed; /* schedules */
	bool failed;    /* a run has failed: the lowest tuple matters now */
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
	static const struct vtb_strategy *const rows[MEMBERS] = { [CVT] = &vtb_strategy_cvt, [DFS] = &vtb_strategy_dfs, [DPOR] = &vtb_strategy_dpor, [RANDOM] = &vtb_strategy_random, [BESTFIRST] = &vtb_strategy_bestfirst };
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

static void claim_of(const struct portfolio *p, int member, struct vtb_claim *ret)
{
	p->members[member].row->claim(p->members[member].state, ret);
}

/* Every class was executed and none failed: no bound can add anything. */
static bool nothing_fails(const struct portfolio *p)
{
	struct vtb_claim claim;

	claim_of(p, DPOR, &claim);
	return claim.complete && !p->failed;
}

/* Or dfs has executed everything within the bound: the others could only repeat it. */
static bool is_done(const struct portfolio *p)
{
	struct vtb_claim claim;

	if (p->space->opts->exhaust)
		return false;
	claim_of(p, DFS, &claim);
	return nothing_fails(p) || (claim.exhausted && !claim.dropped);
}

static double share(const struct portfolio *p, const struct member *m)
{
	double sum = 0;

	for (uint32_t i = 0; i < MEMBERS; i++)
		sum += p->members[i].ended ? 0 : p->members[i].worth;
	return sum > 0 && m->worth / sum > LEAST_SHARE ? m->worth / sum : LEAST_SHARE;
}

/* With threads that are alike a batch of anybody else is longer than what cvt needs for one of them. */
static bool cvt_leads(const struct portfolio *p)
{
	struct vtb_claim claim;

	if (p->members[CVT].ended || p->proposed >= HEAD_START)
		return false;
	claim_of(p, CVT, &claim);
	return claim.solo;
}

/* Who has had least of what it deserves. Ties: the first. */
static struct member *whose_turn(struct portfolio *p)
{
	struct member *best = NULL;

	for (uint32_t i = 0; i < MEMBERS; i++) {
		struct member *m = &p->members[i];

		if (!m->ended && (!best || m->had / share(p, m) < best->had / share(p, best)))
			best = m;
	}
	return best;
}

/* Older turns count less and less. */
static void account(struct portfolio *p, struct member *m, double schedules)
{
	double sum = 0;

	m->had += schedules;
	for (uint32_t i = 0; i < MEMBERS; i++)
		sum += p->members[i].had;
	for (uint32_t i = 0; sum > REMEMBERED && i < MEMBERS; i++)
		p->members[i].had /= 2;
}

static bool only_random_left(const struct portfolio *p)
{
	return p->members[CVT].ended && p->members[DFS].ended;
}

static int64_t portfolio_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct portfolio *p = state;
	struct member *m;

	while (!is_done(p) && (m = whose_turn(p))) {
		int64_t n;

		if (cvt_leads(p)) {
			m = &p->members[CVT];
			max = max < HEAD_START - p->proposed ? max : (size_t)(HEAD_START - p->proposed);
		}
		n = m->row->next(m->state, plans, max);

		if (n < 0)
			return n;
		for (int64_t i = 0; i < n; i++)
			plans[i].ticket |= (uint64_t)(m - p->members) << TICKET_BITS;
		account(p, m, (double)n);
		p->proposed += (uint64_t)n;
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

	p->failed |= vtb_verdict_exit_code(x->outcome.verdict) == 1;
	m->worth += (new_class - m->worth) / 64;
	return m->row->feedback(m->state, ticket & ((1ull << TICKET_BITS) - 1), x, new_class);
}

/* What dpor or dfs prove; if neither is complete, also what cvt makes likely. */
static void portfolio_claim(const void *state, struct vtb_claim *ret)
{
	const struct portfolio *p = state;
	struct vtb_claim other;
	size_t used;

	claim_of(p, DPOR, &other);
	claim_of(p, DFS, ret);
	ret->blocked = other.blocked;
	if (nothing_fails(p)) {
		const struct vtb_claim levels = *ret;

		*ret = other;
		ret->enumerates = true;
		ret->explored = levels.explored;
		ret->c = levels.c;
		ret->v = levels.v;
		return;
	}
	if (ret->complete)
		return;
	claim_of(p, CVT, &other);
	ret->orders_c = other.orders_c;
	used = strlen(ret->text);
	snprintf(ret->text + used, sizeof(ret->text) - used, "; %s", other.text);
}

const struct vtb_strategy vtb_strategy_portfolio = {
	.name = "portfolio",
	.help = "cvt, dfs, dpor, random and bestfirst in turns, more for those that find new classes",
	.begin = portfolio_begin,
	.next = portfolio_next,
	.feedback = portfolio_feedback,
	.claim = portfolio_claim,
	.end = portfolio_end,
};
