/* SPDX-License-Identifier: BSD-2-Clause */
/* Which words a thread reads again, as long as they are few (decision 62). */
#include "variety.h"

#include "scheduler.h"

void vtb_variety_note(struct vtb_variety *v, const struct vtb_call *call)
{
	if (v->n > VTB_VARIETY)
		return;
	for (uint32_t i = 0; i < v->n; i++)
		if (v->words[i] == call->obj)
			return;
	if (v->n < VTB_VARIETY)
		v->words[v->n] = call->obj;
	v->n++;
}

bool vtb_variety_computes(struct vtb_variety *v)
{
	const bool many = v->n > VTB_VARIETY && v->level < VTB_VARIETY_LEVELS;

	v->n = 0;
	v->level = many ? v->level + 1 : 0;
	return many;
}
