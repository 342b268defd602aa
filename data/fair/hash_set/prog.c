/* SPDX-License-Identifier: GPL-2.0-or-later */
/* HashSet: a set in a table of chains that grows, used by 200 threads through methods that lock. One of them walks over a set without. */
#include "../fair.h"

#define FIRST_SIZE 16u
#define LOAD 75u /* percent */

struct node {
	struct node *next;
	unsigned hash;
	int value;
};

struct set {
	struct node **buckets;
	unsigned size, used, changes;
};

static unsigned hash_of(int value)
{
	unsigned h = (unsigned)value;

	h += ~(h << 9);
	h ^= h >> 14;
	h += h << 4;
	h ^= h >> 10;
	return h;
}

static void set_init(struct set *s)
{
	s->size = FIRST_SIZE;
	s->buckets = calloc(s->size, sizeof(struct node *));
}

static struct node **place_of(struct set *s, int value)
{
	const unsigned hash = hash_of(value);
	struct node **at = &s->buckets[hash & (s->size - 1)];

	while (*at && !((*at)->hash == hash && (*at)->value == value))
		at = &(*at)->next;
	return at;
}

static void grow(struct set *s)
{
	struct node **old = s->buckets, **new = calloc(2 * (size_t)s->size, sizeof(struct node *));

	if (!new)
		return;
	for (unsigned i = 0; i < s->size; i++)
		for (struct node *n = old[i], *next; n; n = next) {
			next = n->next;
			n->next = new[n->hash & (2 * s->size - 1)];
			new[n->hash & (2 * s->size - 1)] = n;
		}
	s->buckets = new;
	s->size *= 2;
	free(old);
}

static bool set_contains(struct set *s, int value)
{
	return *place_of(s, value) != NULL;
}

static bool set_add(struct set *s, int value)
{
	struct node **at = place_of(s, value), *n;

	if (*at)
		return false;
	n = malloc(sizeof(*n));
	if (!n)
		return false;
	*n = (struct node){ .hash = hash_of(value), .value = value };
	*at = n;
	s->changes++;
	if (++s->used * 100 > s->size * LOAD)
		grow(s);
	return true;
}

static bool set_remove(struct set *s, int value)
{
	struct node **at = place_of(s, value), *n = *at;

	if (!n)
		return false;
	*at = n->next;
	s->used--;
	s->changes++;
	free(n);
	return true;
}

static struct node *first_from(struct set *s, unsigned bucket)
{
	for (; bucket < s->size; bucket++)
		if (s->buckets[bucket])
			return s->buckets[bucket];
	return NULL;
}

static struct node *set_first(struct set *s)
{
	return first_from(s, 0);
}

static struct node *set_next(struct set *s, struct node *n)
{
	return n->next ? n->next : first_from(s, (n->hash & (s->size - 1)) + 1);
}

static int set_size(struct set *s)
{
	int n = 0;

	for (struct node *at = set_first(s); at; at = set_next(s, at))
		n++;
	assert(n == (int)s->used);
	return n;
}

#include "../set_harness.h"
