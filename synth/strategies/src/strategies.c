/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "vtb/strategy.h"

/* The first is the default. */
static const struct vtb_strategy *const strategies[] = {
	&vtb_strategy_portfolio,
	&vtb_strategy_cvt,
	&vtb_strategy_dfs,
	&vtb_strategy_dpor,
	&vtb_strategy_bestfirst,
	&vtb_strategy_exitblock,
	&vtb_strategy_random,
	&vtb_strategy_pct,
	&vtb_strategy_pctvb,
	&vtb_strategy_pos,
	&vtb_strategy_surw,
};

const struct vtb_strategy *vtb_strategy_find(const char *name)
{
	for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++)
		if (!name || strcmp(strategies[i]->name, name) == 0)
			return strategies[i];
	return NULL;
}

const char *vtb_strategy_name(size_t i, const char **ret_help)
{
	if (i >= sizeof(strategies) / sizeof(strategies[0]))
		return NULL;
	if (ret_help)
		*ret_help = strategies[i]->help;
	return strategies[i]->name;
}

void vtb_strategy_list(FILE *out)
{
	const char *name, *help;

	for (size_t i = 0; (name = vtb_strategy_name(i, &help)); i++)
		fprintf(out, "%-10s %s\n", name, help);
}
