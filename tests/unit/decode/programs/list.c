/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sorted linked list, shared under one lock: pointers written by one thread are followed by others. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 3

struct node {
	struct node *next;
	int key;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *head;
static int rounds;

static void insert(int key)
{
	struct node **at = &head;
	struct node *n = malloc(sizeof(*n));

	n->key = key;
	while (*at && (*at)->key < key)
		at = &(*at)->next;
	n->next = *at;
	*at = n;
}

static int take_first(void)
{
	struct node *n = head;
	int key;

	if (!n)
		return 0;
	head = n->next;
	key = n->key;
	free(n);
	return key;
}

static void *work(void *arg)
{
	unsigned x = (unsigned)(long)arg * 77 + 1;
	long sum = 0;

	for (int i = 0; i < rounds; i++) {
		x = x * 1103515245 + 12345;
		pthread_mutex_lock(&lock);
		insert((int)(x >> 20));
		if (i % 3 == 2)
			sum += take_first();
		pthread_mutex_unlock(&lock);
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int n = 0;

	rounds = argc > 1 ? atoi(argv[1]) : 10;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	while (head) {
		take_first();
		n++;
	}
	printf("%d\n", n);
	return 0;
}
