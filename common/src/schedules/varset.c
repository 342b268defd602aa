/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "varset.h"

void vtb_varset_add(struct vtb_varset *set, uint32_t var)
{
	for (uint32_t i = 0; i < set->count && i < VTB_VARSET_INLINE; i++)
		if (set->first[i] == var)
			return;
	if (set->count < VTB_VARSET_INLINE)
		set->first[set->count] = var;
	else if (vtb_map64_at(&set->others, var))
		return;
	else
		(void)vtb_map64_set(&set->others, var,
		                    1); /* without memory it is counted once more when it comes again */
	set->count++;
}

void vtb_varset_fini(struct vtb_varset *set)
{
	vtb_map64_fini(&set->others);
	set->count = 0;
}
