/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/seen.h"

#include <errno.h>

void vtb_seen_fini(struct vtb_seen *s)
{
	vtb_map64_fini(&s->map);
	*s = (struct vtb_seen){ 0 };
}

int vtb_seen_add(struct vtb_seen *s, uint64_t key, uint64_t value, uint64_t **ret)
{
	*ret = vtb_map64_at(&s->map, key);
	if (*ret)
		return 0;
	if (s->map.n < (s->limit ? s->limit : VTB_SEEN_LIMIT))
		return vtb_map64_set(&s->map, key, value);
	s->not_kept++;
	return 0;
}

bool vtb_seen_has(const struct vtb_seen *s, uint64_t key)
{
	return vtb_map64_at(&s->map, key);
}
