/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/bounded_map.h"

#include <errno.h>

void vtb_bounded_map_fini(struct vtb_bounded_map *s)
{
	vtb_map64_fini(&s->map);
	*s = (struct vtb_bounded_map){ 0 };
}

int vtb_bounded_map_add(struct vtb_bounded_map *s, uint64_t key, uint64_t value, uint64_t **ret)
{
	*ret = vtb_map64_at(&s->map, key);
	if (*ret)
		return 0;
	if (s->map.n < (s->limit ? s->limit : VTB_BOUNDED_MAP_LIMIT))
		return vtb_map64_set(&s->map, key, value);
	s->not_kept++;
	return 0;
}

bool vtb_bounded_map_has(const struct vtb_bounded_map *s, uint64_t key)
{
	return vtb_map64_at(&s->map, key);
}
