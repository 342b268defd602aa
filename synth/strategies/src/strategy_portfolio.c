/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * portfolio: cvt, levels, dpor, bestfirst and random walks in turns, by what schedules cost. dpor often shows quickly
 * that nothing can fail; levels proves that a find is the lowest; cvt, walks and bestfirst find what is deep.
 *
 * The opening is a table of schedules: a few of dpor and bestfirst, then two thirds of them aim's, the rest those of
 * cvt, dpor and walks in turns, so that chance has its part where aim looks at the wrong places. Where threads do much
 * walks come first, and where more are alike than take part in orders (symmetry.h) more of cvt comes early, for it
 * knows what such threads have in common. Then who recently found more new classes gets more turns, but nobody less
 * than a tenth, and levels, until it has run every schedule without preemptions, than a quarter: a level must be
 * complete for a statement, and a deep bug must not starve behind a low bound. A turn is never more than an eighth of
 * what was run, so that nobody's first schedules wait for somebody else's hundredth. What is told of a run is what it
 * costs: walks pass over most of a long one. A schedule that leads to a known run costs nothing: all begin with the
 * default run, and it is made once. Deterministic: turns depend on nothing but the outcomes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strategy_rows.h"
#include "vtb/coverage.h"

enum { CVT, LEVELS, DPOR, BESTFIRST, AIM, RANDOM, SURW, POS, MEMBERS };
enum { WALK = RANDOM, WALKS = MEMBERS - RANDOM }; /* they share one seat, and take its turns one after the other */
#define TICKET_BITS 56
#define LEAST_SHARE 0.1
#define LEVEL_SHARE 0.25 /* of levels, until every schedule without preemptions has run: nothing is shown before */
#define LONGEST_TURN 8   /* the part of what was run that a turn may have */
#define LARGE (1u << 16) /* choices of a run */
#define VAST (1u << 19)
#define MUCH 64u        /* choices of a run, for each thread */
#define MUCH_SHARED 32u /* those at what threads share, likewise */
#define REMEMBERED 2048 /* schedules */
#define BATCH 64u       /* schedules at a time of those who learn from each; of walks as many as wanted */
#define RECENT 64.0     /* of a member's schedules, as far as new classes go */
#define LONG 65536u     /* operations told of a run: from then on chance opens */
#define CHEAP 2048u     /* as many cost as a schedule by itself; beyond LONG a walk costs more, too */

/* So often in a row each. */
struct stage {
	uint8_t member, times;
};
static const struct stage opening[] = { { DPOR, 2 }, { AIM, 1 }, { BESTFIRST, 2 }, { AIM, 7 },  { DPOR, 1 }, { AIM, 8 },
	                                { WALK, 1 }, { CVT, 2 }, { AIM, 8 },       { DPOR, 2 }, { CVT, 2 },  { AIM, 8 },
	                                { WALK, 2 }, { AIM, 8 }, { WALK, 2 },      { CVT, 2 },  { AIM, 8 },  { 0 } };
/* Where threads do much, few of the places at which they could be stopped are suspects for long: chance comes first. */
static const struct stage opening_much[] = { { WALK, 1 }, { DPOR, 1 }, { WALK, 1 }, { BESTFIRST, 2 }, { DPOR, 1 },
	                                     { AIM, 8 },  { CVT, 1 },  { WALK, 1 }, { AIM, 8 },       { CVT, 1 },
	                                     { WALK, 1 }, { AIM, 8 },  { CVT, 1 },  { DPOR, 1 },      { AIM, 8 },
	                                     { CVT, 1 },  { DPOR, 1 }, { WALK, 2 }, { AIM, 8 },       { CVT, 2 },
	                                     { WALK, 2 }, { AIM, 8 },  { 0 } };
/* Of walks little is told, and what comes before the first thread is run once for all of them: 32 take less time than
 * one run of the others. */
static const struct stage opening_long[] = { { WALK, 32 }, { DPOR, 2 },  { WALK, 32 }, { CVT, 2 },   { WALK, 32 },
	                                     { AIM, 4 },   { WALK, 32 }, { AIM, 4 },   { CVT, 2 },   { WALK, 32 },
	                                     { AIM, 8 },   { WALK, 32 }, { CVT, 4 },   { WALK, 32 }, { AIM, 8 },
	                                     { WALK, 32 }, { 0 } };
static const struct stage opening_alike[] = { { DPOR, 1 }, { AIM, 2 }, { DPOR, 1 }, { AIM, 8 },       { WALK, 2 },
	                                      { CVT, 1 },  { AIM, 6 }, { CVT, 1 },  { BESTFIRST, 1 }, { AIM, 8 },
	                                      { WALK, 3 }, { CVT, 2 }, { AIM, 8 },  { WALK, 3 },      { CVT, 2 },
	                                      { AIM, 8 },  { 0 } };

struct member {
	const struct vtb_strategy *row;
	void *state;
	bool ended;
};

/* A member, or all walks. */
struct seat {
	double worth; /* new classes for what a schedule costs, recent runs counting more */
	double had;   /* what its schedules have cost, recent ones */
	uint64_t runs;
};

struct portfolio {
	const struct vtb_space *space;
	struct member members[MEMBERS];
	struct seat seats[WALK + 1];
	uint64_t walks;         /* schedules of walks */
	uint64_t cost[MEMBERS]; /* of all */
	uint64_t each[MEMBERS]; /* of the last schedule */
	bool is_long;           /* there was a long run */
	bool uneven;            /* some cost more than others */
	uint64_t runs;
	uint32_t opened;     /* turns of the opening that were taken */
	bool begun, opening; /* this turn is one of the opening */
	bool levelled;       /* every schedule without preemptions has run */
	bool failed;         /* a run has failed: the lowest tuple matters now */
};

static uint32_t seat_of(uint32_t member)
{
	return member < WALK ? member : WALK;
}

static void portfolio_end(void *state)
{
	struct portfolio *p = state;

	for (uint32_t i = 0; i < MEMBERS; i++)
		if (p->members[i].state)
			p->members[i].row->end(p->members[i].state);
	free(p);
}

/* With a focus: those that know nothing of it stay away. */
static void keep_to_focus(struct portfolio *p)
{
	for (uint32_t i = 0; i < MEMBERS; i++)
		p->members[i].ended = !(p->members[i].row->can & VTB_STRATEGY_FOCUS);
}

static int portfolio_begin(const struct vtb_space *space, void **ret_state)
{
	static const struct vtb_strategy *const rows[MEMBERS] = {
		[CVT] = &vtb_strategy_cvt,   [LEVELS] = &vtb_strategy_levels,
		[DPOR] = &vtb_strategy_dpor, [BESTFIRST] = &vtb_strategy_bestfirst,
		[AIM] = &vtb_strategy_aim,   [RANDOM] = &vtb_strategy_random,
		[SURW] = &vtb_strategy_surw, [POS] = &vtb_strategy_pos
	};
	struct portfolio *p = calloc(1, sizeof(*p));
	int r = p ? 0 : -ENOMEM;

	for (uint32_t i = 0; r >= 0 && i < MEMBERS; i++) {
		p->members[i].row = rows[i];
		p->seats[seat_of(i)].worth = 1;
		r = rows[i]->begin(space, &p->members[i].state);
	}
	if (r < 0) {
		if (p)
			portfolio_end(p);
		return r;
	}
	p->space = space;
	if (space->opts->focus_var || space->opts->focus_function)
		keep_to_focus(p);
	*ret_state = p;
	return 0;
}

static void claim_of(const struct portfolio *p, int m, struct vtb_claim *ret)
{
	p->members[m].row->claim(p->members[m].state, ret);
}

/* Every class was executed and none failed: no bound can add anything. */
static bool nothing_fails(const struct portfolio *p)
{
	struct vtb_claim claim;

	claim_of(p, DPOR, &claim);
	return claim.complete && !p->failed;
}

/* Or levels has executed everything within the bound: the others could only repeat it. Where classes do not decide the
 * order in which clocks are read, the others come to other orders. */
static bool is_done(struct portfolio *p)
{
	struct vtb_claim claim;

	claim_of(p, LEVELS, &claim);
	p->levelled = claim.least;
	if (p->space->opts->exhaust)
		return false;
	return (nothing_fails(p) && !p->space->clocks) || (claim.exhausted && !claim.dropped);
}

/* ---- turns */

static double share(const struct portfolio *p, uint32_t seat)
{
	const double least = seat == LEVELS && !p->levelled ? LEVEL_SHARE : LEAST_SHARE;
	double sum = 0;

	for (uint32_t i = 0; i <= WALK; i++)
		sum += p->members[i].ended ? 0 : p->seats[i].worth;
	return sum > 0 && p->seats[seat].worth / sum > least ? p->seats[seat].worth / sum : least;
}

/* bestfirst keeps all choices of a run, dpor looks through them (3 s with 200 threads), cvt has it told whole. */
static bool is_too_large(const struct portfolio *p, uint32_t member)
{
	const uint64_t choices = p->space->coverage->points * p->space->coverage->n_threads;

	return (member == BESTFIRST && choices > LARGE) || (member == DPOR && choices > VAST) ||
	       (member == CVT && p->space->vast);
}

/* Only what threads share counts: what main does to create them, and each for itself, hides no suspects. */
static bool does_much(const struct portfolio *p)
{
	const struct vtb_coverage *c = p->space->coverage;
	const uint64_t much = (uint64_t)MUCH_SHARED * c->n_threads;
	uint64_t shared = 0;

	if (c->points <= (uint64_t)MUCH * c->n_threads)
		return false;
	for (uint32_t var = 0; var < c->n_vars && shared <= much; var++)
		shared += vtb_coverage_shared(c, var) ? c->vars[var].most : 0;
	return shared > much;
}

/* Whose turn of the opening it is, or MEMBERS. Those of who has ended are left out. */
static uint32_t opening_turn(struct portfolio *p, size_t *ret_max)
{
	const struct stage *stages;
	struct vtb_claim claim;
	uint32_t i = 0, before = 0;

	claim_of(p, CVT, &claim);
	stages = p->is_long ? opening_long : claim.symmetric ? opening_alike : does_much(p) ? opening_much : opening;
	for (; stages[i].times; before += stages[i++].times) {
		if (p->opened >= before + stages[i].times)
			continue;
		if (!p->members[stages[i].member].ended && !is_too_large(p, stages[i].member))
			break;
		p->opened = before + stages[i].times;
	}
	*ret_max = stages[i].times ? before + stages[i].times - p->opened : 0;
	return *ret_max ? stages[i].member : MEMBERS;
}

/* Who has had least of what it deserves. Ties: the first. MEMBERS: all have ended. */
static uint32_t neediest(const struct portfolio *p)
{
	uint32_t best = MEMBERS;

	for (uint32_t i = 0; i <= WALK; i++)
		if (!p->members[i].ended &&
		    (best == MEMBERS || p->seats[i].had / share(p, i) < p->seats[best].had / share(p, best)))
			best = i;
	return best;
}

/* What the walk has cost. surw's runs are told whole, as the default run was or would be, and the others' pass over
 * most of theirs: its next one counts before it is made. */
static uint64_t cost_of(const struct portfolio *p, uint32_t walk)
{
	return p->cost[walk] + (walk != SURW ? 0 : p->space->vast ? p->space->coverage->points / CHEAP : p->each[CVT]);
}

/* Walks take turns; where they do not cost the same, who has cost least. */
static uint32_t next_walk(const struct portfolio *p)
{
	uint32_t best = WALK + (uint32_t)(p->walks % WALKS);

	for (uint32_t i = WALK; (p->uneven || p->space->vast) && i < MEMBERS; i++)
		best = cost_of(p, i) < cost_of(p, best) ? i : best;
	return best;
}

static uint32_t whose_turn(struct portfolio *p, size_t *max)
{
	size_t most = (size_t)(p->runs / LONGEST_TURN), all = 0;
	uint32_t seat = CVT; /* the default run, by which threads that are alike are known */

	p->is_long |= p->space->vast;
	if (p->begun || p->is_long)
		seat = opening_turn(p, &all);
	p->opening = all > 0;
	if (seat == MEMBERS)
		seat = neediest(p);
	seat = seat == WALK ? next_walk(p) : seat;
	if (p->opening)
		most = all;
	else if (seat < MEMBERS && p->each[seat] > 1)
		most /= p->each[seat];
	*max = most < *max ? most : *max;
	*max = *max ? *max : 1;
	p->begun = true;
	return seat;
}

/* To make a run, and to read what is told of it. Of a walk little is told, whatever it does (decision 51). */
static uint64_t cost_of_run(const struct vtb_exec *x)
{
	return 1 + (x->n_events < LONG ? x->n_events : LONG) / CHEAP;
}

/* A run was made for the member. Older turns count less and less. */
static void account(struct portfolio *p, uint32_t member, uint64_t cost, bool new_class)
{
	struct seat *s = &p->seats[seat_of(member)];
	double sum = 0;

	s->runs++;
	s->worth +=
	    (new_class / (double)cost - s->worth) / ((double)s->runs + 1 < RECENT ? (double)s->runs + 1 : RECENT);
	s->had += (double)cost;
	p->cost[member] += cost;
	p->each[member] = cost;
	p->uneven |= cost > 1;
	for (uint32_t i = 0; i <= WALK; i++)
		sum += p->seats[i].had;
	for (uint32_t i = 0; sum > REMEMBERED && i <= WALK; i++)
		p->seats[i].had /= 2;
	p->walks += member >= WALK;
	p->opened += p->opening;
	p->runs++;
}

static int64_t portfolio_next(void *state, struct vtb_plan *plans, size_t max)
{
	struct portfolio *p = state;

	while (!is_done(p)) {
		size_t most = max;
		const uint32_t m = whose_turn(p, &most);
		int64_t n;

		if (m == MEMBERS)
			break;
		if (m < WALK && most > BATCH)
			most = BATCH;
		n = p->members[m].row->next(p->members[m].state, plans, most);
		if (n < 0)
			return n;
		for (int64_t i = 0; i < n; i++)
			plans[i].ticket |= (uint64_t)m << TICKET_BITS;
		if (n > 0)
			return n;
		p->members[m].ended = true;
		if (p->members[CVT].ended && p->members[LEVELS].ended && p->space->below_c != VTB_UNBOUNDED)
			break; /* only lower ones are wanted, and those are done */
	}
	return 0;
}

static int portfolio_feedback(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	struct portfolio *p = state;
	const uint32_t m = (uint32_t)(ticket >> TICKET_BITS);

	p->is_long |= x->n_events >= LONG;
	p->failed |= vtb_verdict_exit_code(x->outcome.verdict) == 1;
	if (!p->space->made)
		account(p, m, cost_of_run(x), new_class);
	return p->members[m].row->feedback(p->members[m].state, ticket & ((1ull << TICKET_BITS) - 1), x, new_class);
}

/* What dpor or levels prove; if neither is complete, also what orders cvt has run. These are no level of their own: the
 * least is every schedule without preemptions, or every class. */
static void claim_levels(const struct portfolio *p, struct vtb_claim *ret)
{
	struct vtb_claim other;
	size_t used;

	claim_of(p, DPOR, &other);
	claim_of(p, LEVELS, ret);
	ret->blocked = other.blocked;
	ret->least |= other.least;
	if (nothing_fails(p)) {
		const struct vtb_claim levels = *ret;

		*ret = other;
		ret->enumerates = true;
		ret->explored = levels.explored;
		ret->c = levels.c;
		ret->v = levels.v;
		return;
	}
	if (other.contradicted) { /* two of its members do not agree: neither is believed */
		*ret = other;
		return;
	}
	if (ret->complete)
		return;
	if (other.least && !other.complete && !ret->c) /* levels has completed nothing, dpor all but what chance does */
		memcpy(ret->text, other.text, sizeof(ret->text));
	claim_of(p, CVT, &other);
	ret->orders_c = other.orders_c;
	ret->orders_v = other.orders_v;
	used = strlen(ret->text);
	snprintf(ret->text + used, sizeof(ret->text) - used, "; %s", other.text);
}

static void portfolio_claim(const void *state, struct vtb_claim *ret)
{
	struct vtb_claim promising;

	claim_levels(state, ret);
	claim_of(state, BESTFIRST, &promising);
	ret->focus_free = promising.focus_free;
}

const struct vtb_strategy vtb_strategy_portfolio = {
	.name = "portfolio",
	.help = "cvt, levels, dpor, bestfirst and random walks in turns, more for those that find new classes",
	.can = VTB_STRATEGY_FOCUS | VTB_STRATEGY_BRIEF | VTB_STRATEGY_PREDICATE | VTB_STRATEGY_ALL | VTB_STRATEGY_PAST,
	.begin = portfolio_begin,
	.next = portfolio_next,
	.feedback = portfolio_feedback,
	.claim = portfolio_claim,
	.end = portfolio_end,
};
