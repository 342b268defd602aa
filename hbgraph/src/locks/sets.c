/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/hash.h"

enum operation { ADD, REMOVE, MEET };

int sets_init(struct sets *s)
{
	*s = (struct sets){ 0 };
	s->starts = calloc(8, sizeof(*s->starts));
	if (!s->starts)
		return -ENOMEM;
	s->cap_starts = 8;
	s->n_starts = 2; /* set 0 is [0, 0) */
	return 0;
}

void sets_fini(struct sets *s)
{
	free(s->members);
	free(s->starts);
	vtb_map64_fini(&s->by_content);
	vtb_map64_fini(&s->done);
	*s = (struct sets){ 0 };
}

size_t sets_count(const struct sets *s, uint32_t set)
{
	return s->starts[set + 1] - s->starts[set];
}

const uint32_t *sets_members(const struct sets *s, uint32_t set, size_t *ret_n)
{
	static const uint32_t nothing;

	*ret_n = sets_count(s, set);
	return *ret_n ? s->members + s->starts[set] : &nothing;
}

bool sets_has(const struct sets *s, uint32_t set, uint32_t member)
{
	size_t n;
	const uint32_t *members = sets_members(s, set, &n);

	for (size_t i = 0; i < n; i++)
		if (members[i] == member)
			return true;
	return false;
}

/* A set under construction stands behind the last one; nothing else is written while it does. */
static int append(struct sets *s, uint32_t member, size_t *n)
{
	void *members = s->members;

	if (vtb_array_reserve(&members, &s->cap_members, s->n_members + *n + 1, sizeof(*s->members)) < 0)
		return -ENOMEM;
	s->members = members;
	s->members[s->n_members + (*n)++] = member;
	return 0;
}

/* The id of the `n` members behind the last set: an equal set's, or a new one. */
static int64_t intern(struct sets *s, size_t n)
{
	const uint32_t fresh = (uint32_t)s->n_starts - 1;
	const uint32_t *members = s->members + s->n_members;

	if (!n)
		return SETS_EMPTY;
	if (vtb_array_room(s, starts) < 0)
		return -ENOMEM;
	for (uint64_t key = vtb_hash(members, n * sizeof(*members));; key++) {
		const uint64_t *id = vtb_map64_put(&s->by_content, key, fresh);

		if (!id)
			return -ENOMEM;
		if (*id == fresh) {
			s->n_members += n;
			s->starts[s->n_starts++] = s->n_members;
			return fresh;
		}
		if (sets_count(s, (uint32_t)*id) == n &&
		    !memcmp(s->members + s->starts[*id], members, n * sizeof(*members)))
			return (int64_t)*id;
	}
}

static int64_t build_add(struct sets *s, uint32_t set, uint32_t member)
{
	const size_t from = s->starts[set], to = s->starts[set + 1];
	size_t n = 0, i = from;

	for (; i < to && s->members[i] < member; i++)
		if (append(s, s->members[i], &n) < 0)
			return -ENOMEM;
	if (append(s, member, &n) < 0)
		return -ENOMEM;
	for (; i < to; i++)
		if (s->members[i] != member && append(s, s->members[i], &n) < 0)
			return -ENOMEM;
	return intern(s, n);
}

static int64_t build_remove(struct sets *s, uint32_t set, uint32_t member)
{
	const size_t from = s->starts[set], to = s->starts[set + 1];
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (s->members[i] != member && append(s, s->members[i], &n) < 0)
			return -ENOMEM;
	return intern(s, n);
}

static int64_t build_meet(struct sets *s, uint32_t a, uint32_t b)
{
	const size_t from = s->starts[a], to = s->starts[a + 1];
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (sets_has(s, b, s->members[i]) && append(s, s->members[i], &n) < 0)
			return -ENOMEM;
	return intern(s, n);
}

static int64_t build(struct sets *s, enum operation operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case ADD:
		return build_add(s, a, b);
	case REMOVE:
		return build_remove(s, a, b);
	default:
		return build_meet(s, a, b);
	}
}

/* Set ids are below 2^30: each set that is built has cost more memory than that allows. Members are thread or variable
 * ids, below 2^26. */
static int64_t once(struct sets *s, enum operation operation, uint32_t a, uint32_t b)
{
	const uint64_t key = (uint64_t)operation << 62 | (uint64_t)a << 32 | b;
	const uint64_t *known = vtb_map64_at(&s->done, key);
	int64_t set;

	if (known)
		return *known;
	set = build(s, operation, a, b);
	if (set >= 0 && !vtb_map64_put(&s->done, key, (uint32_t)set))
		return -ENOMEM;
	return set;
}

int64_t sets_add(struct sets *s, uint32_t set, uint32_t member)
{
	return once(s, ADD, set, member);
}

int64_t sets_remove(struct sets *s, uint32_t set, uint32_t member)
{
	return once(s, REMOVE, set, member);
}

int64_t sets_meet(struct sets *s, uint32_t a, uint32_t b)
{
	return a == b ? a : once(s, MEET, a, b);
}
