/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/seen.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/rng.h"

void vtb_seen_fini(struct vtb_seen *s)
{
	free(s->entries);
	*s = (struct vtb_seen){ 0 };
}

static struct vtb_seen_entry *find(struct vtb_seen_entry *entries, size_t room, uint64_t key)
{
	for (size_t i = (size_t)vtb_mix64(key) & (room - 1);; i = (i + 1) & (room - 1))
		if (!entries[i].key || entries[i].key == key)
			return &entries[i];
}

static int grow(struct vtb_seen *s)
{
	const size_t room = s->room ? 2 * s->room : 1024;
	struct vtb_seen_entry *entries = calloc(room, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < s->room; i++)
		if (s->entries[i].key)
			*find(entries, room, s->entries[i].key) = s->entries[i];
	free(s->entries);
	s->entries = entries;
	s->room = room;
	return 0;
}

int vtb_seen_add(struct vtb_seen *s, uint64_t key, uint64_t value, struct vtb_seen_entry **ret)
{
	struct vtb_seen_entry *entry;

	key += !key;
	*ret = NULL;
	if (2 * s->used >= s->room && s->room < 2 * (s->limit ? s->limit : VTB_SEEN_LIMIT) && grow(s) < 0)
		return -ENOMEM;
	entry = find(s->entries, s->room, key);
	if (entry->key) {
		*ret = entry;
		return 0;
	}
	if (4 * s->used >= 3 * s->room) {
		s->not_kept++;
		return 0;
	}
	*entry = (struct vtb_seen_entry){ key, value };
	s->used++;
	return 0;
}

bool vtb_seen_has(const struct vtb_seen *s, uint64_t key)
{
	key += !key;
	return s->room && find(s->entries, s->room, key)->key == key;
}
