/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One signal where several wait: it woke another one than the one that is left. */
#include "classes.h"

/* Steps on data came between each other, and no lock keeps them apart: whoever waits idly for more to do, and once was
 * not the one that a signal woke, is not why it hangs. */
static bool goes_round_unlocked(const struct vtb_core_view *v)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = 0; i < v->core->n_literals && v->circle; i++) {
		const struct vtb_order_literal *l = &v->core->literals[i];
		const size_t before = v->before[i].at, after = v->after[i].at;
		uint32_t lock;

		if (!core_is_data(&l->before) || !core_is_data(&l->after) || before == VTB_EVENT_NONE ||
		    after == VTB_EVENT_NONE)
			continue;
		lock = core_some_lock(x, before);
		if (lock == VTB_NONE || !core_holds_lock(x, after, lock))
			return true;
	}
	return false;
}

static bool fits(const struct vtb_core_view *v)
{
	const struct vtb_exec *x = &v->core->exec;

	for (size_t i = 0; i < x->n_pending && core_hangs(v) && !goes_round_unlocked(v); i++)
		if (vtb_exec_passed_over(x, &x->pending[i]) != VTB_EVENT_NONE)
			return true;
	return false;
}

const struct vtb_core_class core_too_few_woken = { .name = "too-few-woken",
	                                           .text = "one signal where several wait",
	                                           .fits = fits };
