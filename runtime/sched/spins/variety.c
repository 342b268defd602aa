/* SPDX-License-Identifier: BSD-2-Clause */
/* Which words a thread reads again, as long as they are few (decision 62). */
#include "variety.h"

#include "scheduler.h"

#define WAITS_FOR 16u /* of so many readings at least one is of what it waits for */

static struct vtb_varied *find(struct vtb_variety *v, const void *word)
{
	const uint32_t n = v->n < VTB_VARIETY ? v->n : VTB_VARIETY;

	for (uint32_t i = 0; i < n; i++)
		if (v->words[i].word == word)
			return &v->words[i];
	return NULL;
}

void vtb_variety_note(struct vtb_variety *v, const struct vtb_call *call, uint64_t value)
{
	struct vtb_varied *w = find(v, call->obj);

	v->noted++;
	if (w) {
		w->changes |= w->value != value; /* others have not moved */
		w->value = value;
		v->counts += w->changes;
	} else if (v->n <= VTB_VARIETY) {
		if (v->n < VTB_VARIETY)
			v->words[v->n] = (struct vtb_varied){ call->obj, value, false };
		v->n++;
	}
}

bool vtb_variety_computes(struct vtb_variety *v)
{
	const bool many = v->n > VTB_VARIETY, alone = (v->noted - v->counts) * WAITS_FOR < v->noted;
	const uint32_t level = (many || alone) && v->level < VTB_VARIETY_LEVELS ? v->level + 1 : 0;

	vtb_variety_clear(v);
	v->level = level;
	return level;
}
