/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of test_clauses.c: strategies with options, and what each may claim. */
#ifndef VTB_TEST_CLAUSE_ROWS_H
#define VTB_TEST_CLAUSE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "vtb/strategies.h"

#define ENOUGH 1000u /* runs of a search that need not come to its end */

enum { CLAIMS_BOUND = 1, CLAIMS_LEVELS = 2, CLAIMS_CHANCE = 4, CLAIMS_BLOCKS = 8, CLAIMS_ORDERS = 16 };

struct variant {
	const char *strategy;
	uint32_t c, v;
	const char *priority;
	bool exhaust, rw, reads_from, states, sure;
	uint64_t budget;
	unsigned claims; /* what it may claim: BOUND `complete` and `unbounded`, LEVELS c and v, CHANCE a probability,
	                    BLOCKS a sentence on blocks */
	unsigned
	    at_least; /* of the programs compared, in so many hundredths it must have claimed BOUND, LEVELS or BLOCKS */
};

#define ANY VTB_UNBOUNDED
static const struct variant variants[] = {
	{ .strategy = "dfs", .c = 1, .v = 1, .claims = CLAIMS_BOUND | CLAIMS_LEVELS, .at_least = 99 },
	{ .strategy = "dfs", .c = 2, .v = 1, .claims = CLAIMS_BOUND | CLAIMS_LEVELS, .at_least = 99 },
	{ .strategy = "dfs",
	  .c = ANY,
	  .v = ANY,
	  .budget = ENOUGH,
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS,
	  .at_least = 20 },
	{ .strategy = "dfs", .c = 2, .v = 2, .budget = 40, .claims = CLAIMS_BOUND | CLAIMS_LEVELS, .at_least = 50 },
	{ .strategy = "dfs", .c = 2, .v = 1, .states = true, .claims = CLAIMS_BOUND | CLAIMS_LEVELS, .at_least = 99 },
	{ .strategy = "dfs",
	  .c = ANY,
	  .v = ANY,
	  .states = true,
	  .budget = ENOUGH,
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS,
	  .at_least = 20 },
	{ .strategy = "dfs",
	  .c = ANY,
	  .v = ANY,
	  .states = true,
	  .sure = true,
	  .budget = ENOUGH,
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS,
	  .at_least = 90 },
	{ .strategy = "levels", .c = 1, .v = 1, .claims = CLAIMS_BOUND | CLAIMS_LEVELS, .at_least = 99 },
	{ .strategy = "levels", .c = 2, .v = 1, .claims = CLAIMS_BOUND | CLAIMS_LEVELS, .at_least = 99 },
	{ .strategy = "levels",
	  .c = ANY,
	  .v = ANY,
	  .budget = ENOUGH,
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS,
	  .at_least = 20 },
	{ .strategy = "levels", .c = 2, .v = 2, .budget = 40, .claims = CLAIMS_BOUND | CLAIMS_LEVELS, .at_least = 50 },
	{ .strategy = "bestfirst", .c = 2, .v = 2, .claims = CLAIMS_BOUND | CLAIMS_LEVELS, .at_least = 99 },
	{ .strategy = "bestfirst",
	  .c = 2,
	  .v = 2,
	  .exhaust = true,
	  .priority = "rand",
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS,
	  .at_least = 99 },
	{ .strategy = "bestfirst",
	  .c = ANY,
	  .v = ANY,
	  .priority = "mdpor,pb",
	  .budget = ENOUGH,
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS,
	  .at_least = 20 },
	{ .strategy = "bestfirst",
	  .c = 2,
	  .v = 2,
	  .priority = "ss,mdpor",
	  .budget = 40,
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS },
	{ .strategy = "dpor", .c = 1, .v = 1, .budget = ENOUGH, .claims = CLAIMS_BOUND, .at_least = 20 },
	{ .strategy = "dpor",
	  .c = 1,
	  .v = 1,
	  .reads_from = true,
	  .budget = ENOUGH,
	  .claims = CLAIMS_BOUND,
	  .at_least = 20 },
	{ .strategy = "dpor", .c = 1, .v = 1, .budget = 10, .claims = CLAIMS_BOUND, .at_least = 5 },
	{ .strategy = "exitblock", .c = ANY, .v = ANY, .budget = ENOUGH, .claims = CLAIMS_BLOCKS, .at_least = 10 },
	{ .strategy = "exitblock",
	  .c = ANY,
	  .v = ANY,
	  .rw = true,
	  .budget = ENOUGH,
	  .claims = CLAIMS_BLOCKS,
	  .at_least = 10 },
	{ .strategy = "exitblock",
	  .c = ANY,
	  .v = ANY,
	  .states = true,
	  .budget = ENOUGH,
	  .claims = CLAIMS_BLOCKS,
	  .at_least = 10 },
	{ .strategy = "cvt", .c = 2, .v = 2, .budget = 1, .claims = CLAIMS_ORDERS },
	{ .strategy = "cvt", .c = 1, .v = 1, .budget = ENOUGH, .claims = CLAIMS_ORDERS },
	{ .strategy = "cvt", .c = 2, .v = 2, .exhaust = true, .budget = ENOUGH, .claims = CLAIMS_ORDERS },
	{ .strategy = "portfolio",
	  .c = 2,
	  .v = 2,
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS | CLAIMS_ORDERS,
	  .at_least = 99 },
	{ .strategy = "portfolio",
	  .c = 2,
	  .v = 2,
	  .budget = 60,
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS | CLAIMS_ORDERS,
	  .at_least = 30 },
	{ .strategy = "portfolio",
	  .c = 2,
	  .v = 2,
	  .budget = 5,
	  .claims = CLAIMS_BOUND | CLAIMS_LEVELS | CLAIMS_ORDERS },
	{ .strategy = "aim", .c = 2, .v = 2, .budget = 150 },
	{ .strategy = "pct", .c = 2, .v = 2, .budget = 150, .claims = CLAIMS_CHANCE },
	{ .strategy = "pctvb", .c = 2, .v = 2, .budget = 150, .claims = CLAIMS_CHANCE },
	{ .strategy = "pcttb", .c = 2, .v = 2, .budget = 150, .claims = CLAIMS_CHANCE },
	{ .strategy = "surw", .c = 2, .v = 2, .budget = 150, .claims = CLAIMS_CHANCE },
	{ .strategy = "pos", .c = 2, .v = 2, .budget = 150 },
	{ .strategy = "random", .c = 2, .v = 2, .budget = 150 },
};
#define VARIANTS (sizeof(variants) / sizeof(*variants))

#endif /* VTB_TEST_CLAUSE_ROWS_H */
