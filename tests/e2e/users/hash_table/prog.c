// SPDX-License-Identifier: GPL-2.0-or-later
// A hash table with a lock for each group of buckets; it grows while others look up.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRIPES 2
#define THREADS 2

struct entry {
	struct entry *next;
	uint32_t hash;
	int value;
	char key[12];
};

struct table {
	pthread_rwlock_t resize; /* all operations share it, growing has it alone */
	pthread_mutex_t stripes[STRIPES];
	struct entry **buckets;
	size_t size;
	int used[STRIPES];
};

static uint32_t hash_of(const char *key)
{
	uint32_t h = 2166136261u;

	while (*key)
		h = (h ^ (unsigned char)*key++) * 16777619u;
	return h;
}

static void table_init(struct table *t)
{
	pthread_rwlock_init(&t->resize, NULL);
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&t->stripes[i], NULL);
	t->size = STRIPES;
	t->buckets = calloc(t->size, sizeof(*t->buckets));
	assert(t->buckets);
}

static void grow(struct table *t)
{
	struct entry **now;
	size_t size;

	pthread_rwlock_wrlock(&t->resize);
	size = t->size * 2;
	if (t->used[0] + t->used[1] > (int)t->size && (now = calloc(size, sizeof(*now)))) {
		for (size_t i = 0; i < t->size; i++)
			for (struct entry *e = t->buckets[i], *next; e; e = next) {
				next = e->next;
				e->next = now[e->hash % size];
				now[e->hash % size] = e;
			}
		free(t->buckets);
		t->buckets = now;
		t->size = size;
	}
	pthread_rwlock_unlock(&t->resize);
}

static struct entry *find(struct table *t, const char *key, uint32_t hash)
{
	struct entry *e = t->buckets[hash % t->size];

	while (e && (e->hash != hash || strcmp(e->key, key)))
		e = e->next;
	return e;
}

/* What it is now. */
static int add(struct table *t, const char *key, int n)
{
	uint32_t hash = hash_of(key);
	struct entry *e;
	int full, value;

	pthread_rwlock_rdlock(&t->resize);
	pthread_mutex_lock(&t->stripes[hash % STRIPES]);
	e = find(t, key, hash);
	if (!e) {
		e = calloc(1, sizeof(*e));
		assert(e && strlen(key) < sizeof(e->key));
		strcpy(e->key, key);
		e->hash = hash;
		e->next = t->buckets[hash % t->size];
		t->buckets[hash % t->size] = e;
		t->used[hash % STRIPES]++;
	}
	value = e->value += n;
	full = t->used[hash % STRIPES] * STRIPES > (int)t->size;
	pthread_mutex_unlock(&t->stripes[hash % STRIPES]);
	pthread_rwlock_unlock(&t->resize);
	if (full)
		grow(t);
	return value;
}

static struct table table;

static void *work(void *arg)
{
	char key[12];

	for (int i = 0; i < 3; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		assert(add(&table, key, 1) <= THREADS);
	}
	snprintf(key, sizeof(key), "own%d", *(int *)arg);
	assert(add(&table, key, 7) == 7);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int numbers[THREADS], total = 0;

	table_init(&table);
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		assert(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < table.size; i++)
		for (struct entry *e = table.buckets[i], *next; e; e = next) {
			next = e->next;
			total += e->value;
			free(e);
		}
	assert(total == 3 * THREADS + 7 * THREADS && table.used[0] + table.used[1] == 5);
	free(table.buckets);
	return 0;
}
