/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CaDiCaL adapter. */
#include "sat.h"

#include <ccadical.h>
#include <errno.h>
#include <stdlib.h>

#define CONFLICTS 20000 /* a question: a tenth of a second or so */

struct vtb_sat {
	CCaDiCaL *solver;
	int variables;
};

int vtb_sat_new(struct vtb_sat **ret)
{
	struct vtb_sat *sat = calloc(1, sizeof(*sat));

	if (sat)
		sat->solver = ccadical_init();
	if (!sat || !sat->solver) {
		free(sat);
		return -ENOMEM;
	}
	ccadical_set_option(sat->solver, "quiet", 1);
	*ret = sat;
	return 0;
}

void vtb_sat_free(struct vtb_sat *sat)
{
	if (sat)
		ccadical_release(sat->solver);
	free(sat);
}

int vtb_sat_var(struct vtb_sat *sat)
{
	return ++sat->variables;
}

void vtb_sat_clause(struct vtb_sat *sat, const int *literals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ccadical_add(sat->solver, literals[i]);
	ccadical_add(sat->solver, 0);
}

void vtb_sat_assume(struct vtb_sat *sat, int literal)
{
	ccadical_assume(sat->solver, literal);
}

int vtb_sat_solve(struct vtb_sat *sat)
{
	ccadical_limit(sat->solver, "conflicts", CONFLICTS);
	switch (ccadical_solve(sat->solver)) {
	case 10:
		return 1;
	case 20:
		return 0;
	default:
		return -ETIMEDOUT;
	}
}

bool vtb_sat_holds(const struct vtb_sat *sat, int literal)
{
	return ccadical_val(sat->solver, literal) == literal;
}

bool vtb_sat_failed(const struct vtb_sat *sat, int literal)
{
	return ccadical_failed(sat->solver, literal) != 0;
}
