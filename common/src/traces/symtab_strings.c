/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symtab_strings.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/hash.h"
#include "vtb/map64.h"

#define CHUNK_BYTES ((size_t)64 << 10)

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(struct entry *) char bytes[];
};

struct entry {
	const struct entry *next; /* another text with the same hash */
	size_t len;
	char text[];
};

struct vtb_strings {
	struct chunk *chunks;
	struct vtb_map64 entries; /* hash of the text -> struct entry * */
	struct vtb_map64 children;
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
	vtb_map64_fini(&s->entries);
	vtb_map64_fini(&s->children);
	free(s);
}

static void *arena_alloc(struct vtb_strings *s, size_t size)
{
	struct chunk *c = s->chunks;

	size = (size + _Alignof(struct entry) - 1) & ~(_Alignof(struct entry) - 1);
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

static struct entry *add_entry(struct vtb_strings *s, const char *text, size_t len, uint64_t *first)
{
	struct entry *e = arena_alloc(s, sizeof(*e) + len + 1);

	if (!e)
		return NULL;
	e->next = (const struct entry *)(uintptr_t)*first;
	e->len = len;
	memcpy(e->text, text, len);
	e->text[len] = '\0';
	*first = (uintptr_t)e;
	return e;
}

const char *vtb_strings_intern(struct vtb_strings *s, const char *text, size_t len)
{
	uint64_t *first = vtb_map64_put(&s->entries, vtb_hash(text, len), 0);
	const struct entry *e = first ? (const struct entry *)(uintptr_t)*first : NULL;

	if (!first)
		return NULL;
	while (e && (e->len != len || memcmp(e->text, text, len)))
		e = e->next;
	e = e ? e : add_entry(s, text, len, first);
	return e ? e->text : NULL;
}

uint64_t *vtb_strings_child(struct vtb_strings *s, uint64_t key)
{
	return vtb_map64_put(&s->children, key, UINT32_MAX);
}
