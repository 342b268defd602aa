/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Callbacks from the C library (qsort, bsearch, on the heap and with pointers), text into heap blocks, blocks that grow; all under one lock. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3

struct record {
	char *name;
	int key;
	struct record *next;
};

static struct record **table;
static int n, cap;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static int by_key(const void *a, const void *b)
{
	const struct record *x = *(struct record *const *)a, *y = *(struct record *const *)b;

	return (x->key > y->key) - (x->key < y->key);
}

static int find_key(const void *key, const void *element)
{
	const struct record *r = *(struct record *const *)element;

	return (*(const int *)key > r->key) - (*(const int *)key < r->key);
}

static char *text(const char *format, ...)
{
	char *s = malloc(48);
	va_list args;

	va_start(args, format);
	vsnprintf(s, 48, format, args);
	va_end(args);
	return s;
}

static void add(int key)
{
	struct record *r = calloc(1, sizeof(*r));
	char *copy;

	if (n == cap) {
		cap = cap ? cap * 2 : 2;
		table = realloc(table, (size_t)cap * sizeof(*table));
	}
	r->key = key;
	r->name = text("record-%d", key);
	copy = malloc(64);
	strcpy(copy, r->name);
	strcat(copy, "+");
	sprintf(copy + strlen(copy), "%03d", key);
	free(r->name);
	r->name = copy;
	r->next = n ? table[0] : NULL;
	table[n++] = r;
	qsort(table, (size_t)n, sizeof(*table), by_key);
}

static void *work(void *arg)
{
	const int first = *(int *)arg;

	for (int i = 0; i < 4; i++) {
		int key = first * 31 + i * 17 % 13;
		struct record **found;

		pthread_mutex_lock(&lock);
		add(key);
		found = bsearch(&key, table, (size_t)n, sizeof(*table), find_key);
		if (found)
			total += (*found)->key + (*found)->name[0] + ((*found)->next ? (*found)->next->key : 0);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	int args[THREADS];
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;

	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < THREADS; i++) {
			args[i] = i + 1;
			pthread_create(&thread[i], NULL, work, &args[i]);
		}
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		for (int i = 0; i < n; i++) {
			total += (long)strlen(table[i]->name);
			free(table[i]->name);
			free(table[i]);
		}
		free(table);
		table = NULL;
		n = cap = 0;
	}
	printf("%ld\n", total);
	return 0;
}
