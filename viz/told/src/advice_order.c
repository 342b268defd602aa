/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One order is enough for the failure, and nothing more is known of it: the other way round it has to be. */
#include "advice.h"

#include <stdio.h>
#include <string.h>

static bool is_one_place(const struct vtb_cause_order *o)
{
	return o->before.line == o->after.line && !strcmp(o->before.file, o->after.file);
}

void vtb_advise_order(const struct vtb_causes *all, char *buf, size_t size)
{
	const struct vtb_cause *c = all->causes;
	char sooner[ADVICE_PLACE], later[ADVICE_PLACE];

	if (all->n_causes != 1 || (c->detail && *c->detail) || /* that says what to do itself */
	    strcmp(c->class, "order-violation") || c->n_orders != 1 || !c->orders[0].before.line ||
	    !c->orders[0].after.line || is_one_place(&c->orders[0]))
		return;
	vtb_advice_place(&c->orders[0].after, sooner);
	vtb_advice_place(&c->orders[0].before, later);
	snprintf(buf, size, "%s must come before %s: let %s wait there until %s has done it. %s", sooner, later,
	         c->orders[0].before.thread, c->orders[0].after.thread, vtb_advice_not_proved);
}
