/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void vtb_clock_order_fini(struct vtb_clock_order *c)
{
	free(c->last);
	*c = (struct vtb_clock_order){ 0 };
}

void vtb_clock_order_begin(struct vtb_clock_order *c, bool merged)
{
	c->merged = merged;
	c->open = c->shared = false;
	if (c->n)
		memset(c->last, 0, c->n * sizeof(*c->last));
}

static int make_room(struct vtb_clock_order *c, uint32_t thread)
{
	const uint32_t n = 2 * thread + 8;
	uint32_t *last;

	if (thread < c->n)
		return 0;
	last = realloc(c->last, n * sizeof(*last));
	if (!last)
		return -ENOMEM;
	memset(last + c->n, 0, (n - c->n) * sizeof(*last));
	c->last = last;
	c->n = n;
	return 0;
}

/* Another thread's reading came before this one only if this one depends on something that the other did after it. */
int vtb_clock_order_read(struct vtb_clock_order *c, const struct vtb_mazurkiewicz *m, uint32_t thread)
{
	if (make_room(c, thread) < 0)
		return -ENOMEM;
	for (uint32_t other = 0; !c->open && other < c->n; other++) {
		if (other == thread || !c->last[other])
			continue;
		c->shared = true;
		if (!c->merged && vtb_mazurkiewicz_knows(m, thread, other) >= c->last[other])
			continue;
		c->open = true;
		c->first = other;
		c->second = thread;
	}
	c->last[thread] = vtb_mazurkiewicz_knows(m, thread, thread) + 1;
	return 0;
}
