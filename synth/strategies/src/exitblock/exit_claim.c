/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What strategy exitblock has shown when it ends. */
#include "exit_paths.h"

#include <stdio.h>

void exit_claim(const void *state, struct vtb_claim *ret)
{
	const struct exitblock *b = state;
	const uint32_t waiters = b->possible & 1u << VTB_DEV_WAITER && !b->more_signals ? 1u << VTB_DEV_WAITER : 0;
	const bool all = b->exhausted && !b->diverged && !b->cut && !b->timed;
	const char *rw = b->space->opts->rw ? ", but for those that reads and writes tell to be equal; that this finds "
	                                      "every circle of locks is not proved"
	                                    : "";
	const char *trust = b->space->opts->trusted ? ", with trusted functions" : "";
	const char *cut = b->cuts_short ? ", but for how far other threads have come when the process ends" : "";

	*ret = (struct vtb_claim){ .exhausted = b->exhausted,
		                   .blocked = b->blocked,
		                   .explored = waiters,
		                   .unexplored = b->possible & ~waiters };
	ret->least = all && !b->space->opts->trusted; /* who is not preempted runs to the end of a block */
	if (b->lockset.broken)
		snprintf(
		    ret->text, sizeof(ret->text),
		    "%s, but %s in thread %s is accessed without a common lock: other orders may do what was not seen",
		    all ? "every order of atomic blocks was executed" : "orders of atomic blocks were executed",
		    vtb_variable_name(b->space->tab, b->lockset.second.var),
		    vtb_thread_path(b->space->tab, b->lockset.second.thread));
	else if (all && (b->tries || (b->space->opts->rw && b->yields)))
		snprintf(ret->text, sizeof(ret->text),
		         "every order of atomic blocks was executed%s%s, but %s: other orders may do what was not seen",
		         rw, trust,
		         b->tries
		             ? "a trylock or a lock with a deadline can tell whether another thread is inside a block"
		             : "threads give way in loops, of which not every order was executed");
	else if (all)
		snprintf(ret->text, sizeof(ret->text),
		         "every order of atomic blocks was executed%s%s; all accesses were made under common locks, so "
		         "there is no other behaviour%s",
		         rw, trust, cut);
	else
		snprintf(ret->text, sizeof(ret->text), "not every order of atomic blocks was executed");
}
