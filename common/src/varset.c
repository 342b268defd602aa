/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "varset.h"

#include <stdlib.h>

static uint64_t *find(uint64_t *table, size_t room, uint64_t key)
{
	/* Fibonacci hashing: ids are small and dense */
	for (size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (room - 1);; i = (i + 1) & (room - 1))
		if (!table[i] || table[i] == key)
			return &table[i];
}

/* Twice the room; false if there is no memory. */
static bool grow(struct vtb_varset *set)
{
	uint64_t *old = set->table ? set->table : set->first;
	const size_t old_room = set->table ? set->room : VTB_VARSET_INLINE;
	uint64_t *bigger = calloc(old_room * 2, sizeof(*bigger));

	if (!bigger)
		return false;
	for (size_t i = 0; i < old_room; i++)
		if (old[i])
			*find(bigger, old_room * 2, old[i]) = old[i];
	free(set->table);
	set->table = bigger;
	set->room = old_room * 2;
	return true;
}

void vtb_varset_add(struct vtb_varset *set, uint32_t var)
{
	const size_t room = set->table ? set->room : VTB_VARSET_INLINE;
	uint64_t *place = find(set->table ? set->table : set->first, room, (uint64_t)var + 1);

	if (*place)
		return;
	if (set->count < room / 2 || (grow(set) && (place = find(set->table, set->room, (uint64_t)var + 1))))
		*place = (uint64_t)var + 1;
	set->count++;
}

void vtb_varset_fini(struct vtb_varset *set)
{
	free(set->table);
	set->table = NULL;
	set->room = 0;
	set->count = 0;
}
