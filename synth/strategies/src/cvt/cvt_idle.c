/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items that are put by: with --assertions-only, those that stop a thread after an access which no assertion depends
 * on.
 *
 * What the thread has done since it did something that matters happens with that, as far as assertions go: a stop there
 * is among the items, costs no more, and leads to the same. Only its variable is another one, so that v is not the
 * lowest any more. A variable may turn out to matter later; then what was put by for it goes back into the queue,
 * before anything that costs more.
 */
#include <errno.h>

#include "strategy_cvt.h"
#include "vtb/array.h"

bool cvt_is_idle(const struct cvt *s, uint32_t id)
{
	const struct cvt_item *item = &s->items[id];

	return item->counts && item->parent != CVT_NONE && item->kind == VTB_DEV_DEMOTE && !item->reopened &&
	       matters_nothing(s->space, item->var);
}

int cvt_put_by(struct cvt *s, uint32_t id)
{
	if (vtb_array_room(s, idle) < 0)
		return -ENOMEM;
	s->idle[s->n_idle++] = id;
	return 0;
}

int cvt_take_back(struct cvt *s)
{
	const uint64_t grown = matters_grown(s->space);
	size_t left = 0;
	int r = 0;

	if (grown == s->idle_grown)
		return 0;
	s->idle_grown = grown;
	for (size_t k = 0; k < s->n_idle; k++)
		if (r < 0 || cvt_is_idle(s, s->idle[k]))
			s->idle[left++] = s->idle[k];
		else
			r = cvt_push(s, s->idle[k]);
	s->n_idle = left;
	return r;
}
