/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of strings with a lock for each bucket: string functions of the C library, copies on the heap. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3
#define BUCKETS 8

struct entry {
	struct entry *next;
	char *name;
	int count;
};

static struct bucket {
	pthread_mutex_t lock;
	struct entry *first;
} table[BUCKETS];
static int rounds;

static unsigned hash(const char *s)
{
	unsigned h = 5381;

	while (*s)
		h = h * 33 + (unsigned char)*s++;
	return h;
}

static void count(const char *name)
{
	struct bucket *b = &table[hash(name) % BUCKETS];
	struct entry *e;

	pthread_mutex_lock(&b->lock);
	for (e = b->first; e && strcmp(e->name, name) != 0;)
		e = e->next;
	if (!e) {
		e = calloc(1, sizeof(*e));
		e->name = strdup(name);
		e->next = b->first;
		b->first = e;
	}
	e->count++;
	pthread_mutex_unlock(&b->lock);
}

static void *work(void *arg)
{
	static const char *const words[] = { "alpha", "beta", "gamma", "delta", "a rather long name that fills a vector register", "eps" };
	char buf[96];

	for (int i = 0; i < rounds; i++) {
		const char *w = words[(i * 5 + (int)(long)arg) % 6];
		const size_t n = strlen(w);

		memset(buf, '.', sizeof(buf));
		memcpy(buf, w, n);
		buf[n] = (char)('0' + i % 3);
		buf[n + 1] = 0;
		count(buf);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int total = 0;

	rounds = argc > 1 ? atoi(argv[1]) : 6;
	for (int i = 0; i < BUCKETS; i++)
		pthread_mutex_init(&table[i].lock, NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < BUCKETS; i++)
		for (struct entry *e = table[i].first; e; e = e->next)
			total += e->count;
	printf("%d\n", total);
	return total != THREADS * rounds;
}
