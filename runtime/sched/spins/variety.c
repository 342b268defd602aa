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

static uint8_t size_of(const struct vtb_call *call)
{
	return call->prim || call->size_log2 > 3 ? VTB_REC_SIZE_IN_ARG : (uint8_t)call->size_log2;
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
			v->words[v->n] = (struct vtb_varied){ call->obj, value, false, size_of(call) };
		v->n++;
	}
}

bool vtb_variety_computes(struct vtb_variety *v)
{
	const bool many = v->n > VTB_VARIETY, alone = (v->noted - v->counts) * WAITS_FOR < v->noted;
	const uint32_t level = (many || alone) && v->level < VTB_VARIETY_LEVELS ? v->level + 1 : 0;

	if (level)
		vtb_variety_clear(v);
	v->noted = v->counts = 0;
	v->level = level;
	return level;
}

/* Are they all that it reads again, and words of memory? */
static bool are_memory(const struct vtb_variety *v)
{
	for (uint32_t i = 0; i < v->n && v->n <= VTB_VARIETY; i++)
		if (v->words[i].size_log2 == VTB_REC_SIZE_IN_ARG)
			return false;
	return v->n && v->n <= VTB_VARIETY;
}

bool vtb_variety_keep(struct vtb_variety *v)
{
	if (!are_memory(v))
		return false;
	for (uint32_t i = 0; i < v->n; i++)
		v->words[i].value = vtb_rt_load((uint64_t)v->words[i].word, v->words[i].size_log2);
	return true;
}

bool vtb_variety_is_kept(const struct vtb_variety *v)
{
	if (!are_memory(v))
		return false;
	for (uint32_t i = 0; i < v->n; i++)
		if (vtb_rt_load((uint64_t)v->words[i].word, v->words[i].size_log2) != v->words[i].value)
			return false;
	return true;
}
