/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to change where somebody waits for what is over, or does not wait for what has still to come; and the parts of
 * such sentences. */
#include "advice.h"

#include <stdio.h>
#include <string.h>

#include "vtb/short_name.h"

const char vtb_advice_not_proved[] = "(Not proved: no repair was found that holds in every schedule tried.)";

char *vtb_advice_place(const struct vtb_cause_op *op, char *buf)
{
	const char *slash = strrchr(op->file, '/');

	snprintf(buf, ADVICE_PLACE, "%s:%u", slash ? slash + 1 : op->file, op->line);
	return buf;
}

bool vtb_advice_changes(const struct vtb_cause_op *op)
{
	return !strcmp(op->kind, "write") || !strcmp(op->kind, "atomic-store") || !strcmp(op->kind, "atomic-rmw");
}

static bool signals(const struct vtb_cause_op *op)
{
	return !strcmp(op->kind, "cond-signal") || !strcmp(op->kind, "cond-broadcast");
}

/* A signal that comes before the wait is gone; what was signalled has to be kept in a variable. */
void vtb_advise_wait(const struct vtb_cause *c, char *buf, size_t size)
{
	char signal[ADVICE_PLACE], wait[ADVICE_PLACE];

	for (size_t i = 0; i < c->n_orders; i++) {
		const struct vtb_cause_order *o = &c->orders[i];

		if (!signals(&o->before) || strcmp(o->after.kind, "cond-wait") || !o->before.line || !o->after.line)
			continue;
		snprintf(buf, size,
		         "A signal is not kept for who waits later. Let a variable say what %s signals, set it before "
		         "that with the waiter's mutex held, and test it at %s before each wait, in a loop. %s",
		         vtb_advice_place(&o->before, signal), vtb_advice_place(&o->after, wait),
		         vtb_advice_not_proved);
		return;
	}
}

static bool is_late(const struct vtb_cause_order *o)
{
	return (!strcmp(o->before.kind, "read") || !strcmp(o->before.kind, "atomic-load")) &&
	       vtb_advice_changes(&o->after) && !o->after.op && *o->after.variable &&
	       !strcmp(o->before.variable, o->after.variable) && o->before.line && o->after.line;
}

/* Who does which part of the work may differ from cause to cause: the first that shows such a read is told. */
void vtb_advise_late(const struct vtb_causes *all, char *buf, size_t size)
{
	char read[ADVICE_PLACE], write[ADVICE_PLACE], name[ADVICE_PLACE];

	for (size_t i = 0; i < all->n_causes; i++)
		for (size_t k = 0; k < all->causes[i].n_orders; k++) {
			const struct vtb_cause_order *o = &all->causes[i].orders[k];

			if (!is_late(o))
				continue;
			snprintf(
			    buf, size,
			    "%s is read at %s while %s has still to write it at %s: let what says that this may go "
			    "on be said after that is done, not when it begins, or wait for it. %s",
			    vtb_short_variable(o->after.variable, name, sizeof(name)),
			    vtb_advice_place(&o->before, read), o->after.thread, vtb_advice_place(&o->after, write),
			    vtb_advice_not_proved);
			return;
		}
}
