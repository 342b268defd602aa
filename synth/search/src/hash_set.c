/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hash_set.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "vtb/rng.h"

#define FIRST_ROOM 1024u

void vtb_hash_set_init(struct vtb_hash_set *s, size_t memory)
{
	*s = (struct vtb_hash_set){ .limit = FIRST_ROOM };
	while (s->limit * 2 * sizeof(*s->keys) <= memory)
		s->limit *= 2;
}

void vtb_hash_set_fini(struct vtb_hash_set *s)
{
	free(s->keys);
	*s = (struct vtb_hash_set){ 0 };
}

static bool is_free(const struct vtb_hash128 *key)
{
	return !(key->lo | key->hi);
}

static struct vtb_hash128 *find(struct vtb_hash128 *keys, size_t room, struct vtb_hash128 key)
{
	for (size_t i = (size_t)vtb_mix64(key.lo) & (room - 1);; i = (i + 1) & (room - 1))
		if (is_free(&keys[i]) || (keys[i].lo == key.lo && keys[i].hi == key.hi))
			return &keys[i];
}

static bool is_full(const struct vtb_hash_set *s)
{
	return 4 * (s->used + 1) > 3 * s->room;
}

static int grow(struct vtb_hash_set *s)
{
	const size_t room = s->room ? 2 * s->room : FIRST_ROOM;
	struct vtb_hash128 *keys = calloc(room, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < s->room; i++)
		if (!is_free(&s->keys[i]))
			*find(keys, room, s->keys[i]) = s->keys[i];
	free(s->keys);
	s->keys = keys;
	s->room = room;
	return 0;
}

int vtb_hash_set_add(struct vtb_hash_set *s, struct vtb_hash128 key, bool *ret_new)
{
	struct vtb_hash128 *place;

	key.lo += is_free(&key);
	if (is_full(s) && s->room < (s->limit ? s->limit : VTB_HASH_SET_LIMIT) && grow(s) < 0)
		return -ENOMEM;
	place = find(s->keys, s->room, key);
	*ret_new = is_free(place);
	if (!*ret_new)
		return 0;
	if (is_full(s)) {
		s->not_kept++;
		return 0;
	}
	*place = key;
	s->used++;
	return 0;
}

double vtb_hash_set_merged(const struct vtb_hash_set *s)
{
	return ldexp((double)s->used * (double)s->used, -129);
}
