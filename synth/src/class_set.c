/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "class_set.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "rng.h"

#define FIRST_ROOM 1024u

void vtb_class_set_fini(struct vtb_class_set *s)
{
	free(s->keys);
	*s = (struct vtb_class_set){ 0 };
}

static uint64_t *find(uint64_t *keys, size_t room, uint64_t key)
{
	for (size_t i = (size_t)vtb_mix64(key) & (room - 1);; i = (i + 1) & (room - 1))
		if (!keys[i] || keys[i] == key)
			return &keys[i];
}

static bool is_full(const struct vtb_class_set *s)
{
	return 4 * (s->used + 1) > 3 * s->room;
}

static int grow(struct vtb_class_set *s)
{
	const size_t room = s->room ? 2 * s->room : FIRST_ROOM;
	uint64_t *keys = calloc(room, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < s->room; i++)
		if (s->keys[i])
			*find(keys, room, s->keys[i]) = s->keys[i];
	free(s->keys);
	s->keys = keys;
	s->room = room;
	return 0;
}

int vtb_class_set_add(struct vtb_class_set *s, uint64_t class_id, bool *ret_new)
{
	const size_t limit = s->limit ? s->limit : VTB_CLASSES_LIMIT;
	uint64_t *place;

	class_id += !class_id;
	if (is_full(s) && s->room < limit && grow(s) < 0)
		return -ENOMEM;
	place = find(s->keys, s->room, class_id);
	*ret_new = !*place;
	if (*place)
		return 0;
	if (is_full(s)) {
		s->not_kept++;
		return 0;
	}
	*place = class_id;
	s->used++;
	return 0;
}

double vtb_class_set_merged(const struct vtb_class_set *s)
{
	return ldexp((double)s->used * (double)s->used, -65);
}
