/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One that nobody has asked for sleeps at first: most searches come to their end, or find something, before it would
 * have paid. */
#include "predicate_priv.h"

#define BYTES 65536u            /* of code: about what is analysed in the time of VTB_PREDICATE_LATER runs */
#define BYTES_A_SECOND 500000.0 /* and on a slow machine */

bool vtb_predicate_awake(const struct vtb_predicate *p)
{
	return p && !p->asleep;
}

/* By what was run, not by a clock: the same search is the same on any machine. Only its end may come too soon. */
bool vtb_predicate_is_due(const struct vtb_predicate *p, uint64_t runs, double seconds)
{
	uint64_t bytes;

	if (!p || !p->asleep || runs < p->opts.later)
		return false;
	bytes = p->source.bytes ? p->source.bytes(p->source.data) : 0;
	return runs >= p->opts.later + bytes / BYTES * p->opts.later &&
	       (seconds <= 0 || (double)bytes / BYTES_A_SECOND < seconds);
}

void vtb_predicate_wake(struct vtb_predicate *p)
{
	p->asleep = false;
	p->grown++;
}
