/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "strings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/hash.h"

#define CHUNK_BYTES ((size_t)64 << 10)

struct chunk {
	struct chunk *next;
	size_t used, size;
	char bytes[];
};

struct entry {
	const char *text; /* NULL: free */
	uint64_t hash;
	size_t len;
};

struct child {
	uint64_t key; /* key + 1; 0: free */
	uint32_t value;
};

/* Open addressing with linear probing; both tables stay at most half full, sizes are powers of two. */
struct vtb_strings {
	struct chunk *chunks;
	struct entry *entries;
	size_t n_entries, room_entries;
	struct child *children;
	size_t n_children, room_children;
};

struct vtb_strings *vtb_strings_new(void)
{
	return calloc(1, sizeof(struct vtb_strings));
}

void vtb_strings_free(struct vtb_strings *s)
{
	if (!s)
		return;
	for (struct chunk *c = s->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	free(s->entries);
	free(s->children);
	free(s);
}

static char *arena_alloc(struct vtb_strings *s, size_t size)
{
	struct chunk *c = s->chunks;

	if (!c || c->size - c->used < size) {
		const size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;

		c = malloc(sizeof(*c) + room);
		if (!c)
			return NULL;
		*c = (struct chunk){ .next = s->chunks, .size = room };
		s->chunks = c;
	}
	c->used += size;
	return c->bytes + (c->used - size);
}

static struct entry *find_entry(struct entry *entries, size_t room, const char *text, size_t len, uint64_t hash)
{
	for (size_t i = (size_t)hash & (room - 1);; i = (i + 1) & (room - 1)) {
		struct entry *e = &entries[i];

		if (!e->text || (e->hash == hash && e->len == len && !memcmp(e->text, text, len)))
			return e;
	}
}

static bool grow_entries(struct vtb_strings *s)
{
	const size_t room = s->room_entries ? s->room_entries * 2 : 256;
	struct entry *bigger;

	if (s->n_entries * 2 < s->room_entries)
		return true;
	bigger = calloc(room, sizeof(*bigger));
	if (!bigger)
		return false;
	for (size_t i = 0; i < s->room_entries; i++)
		if (s->entries[i].text)
			*find_entry(bigger, room, s->entries[i].text, s->entries[i].len, s->entries[i].hash) = s->entries[i];
	free(s->entries);
	s->entries = bigger;
	s->room_entries = room;
	return true;
}

const char *vtb_strings_intern(struct vtb_strings *s, const char *text, size_t len)
{
	const uint64_t hash = vtb_hash(text, len);
	struct entry *e;
	char *copy;

	if (!grow_entries(s))
		return NULL;
	e = find_entry(s->entries, s->room_entries, text, len, hash);
	if (e->text)
		return e->text;
	copy = arena_alloc(s, len + 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	*e = (struct entry){ .text = copy, .hash = hash, .len = len };
	s->n_entries++;
	return copy;
}

static struct child *find_child(struct child *children, size_t room, uint64_t key)
{
	for (size_t i = (size_t)vtb_hash(&key, sizeof(key)) & (room - 1);; i = (i + 1) & (room - 1))
		if (!children[i].key || children[i].key == key)
			return &children[i];
}

static bool grow_children(struct vtb_strings *s)
{
	const size_t room = s->room_children ? s->room_children * 2 : 64;
	struct child *bigger;

	if (s->n_children * 2 < s->room_children)
		return true;
	bigger = calloc(room, sizeof(*bigger));
	if (!bigger)
		return false;
	for (size_t i = 0; i < s->room_children; i++)
		if (s->children[i].key)
			*find_child(bigger, room, s->children[i].key) = s->children[i];
	free(s->children);
	s->children = bigger;
	s->room_children = room;
	return true;
}

uint32_t *vtb_strings_child(struct vtb_strings *s, uint64_t key)
{
	struct child *c;

	if (!grow_children(s))
		return NULL;
	c = find_child(s->children, s->room_children, key + 1);
	if (!c->key) {
		*c = (struct child){ .key = key + 1, .value = UINT32_MAX };
		s->n_children++;
	}
	return &c->value;
}
