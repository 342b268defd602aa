/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads put a node at the head of a list without a lock: a node can get lost. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
	struct node *next;
	int value;
};

static struct node *head;

static void *insert(void *arg)
{
	struct node *node = malloc(sizeof(*node));

	if (!node)
		exit(77);
	node->value = *(const int *)arg;
	node->next = head;
	head = node;
	return NULL;
}

int main(void)
{
	static const int values[2] = { 1, 2 };
	pthread_t threads[2];
	int length = 0;

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, insert, (void *)&values[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (struct node *node = head, *next; node; node = next) {
		next = node->next;
		length++;
		free(node);
	}
	assert(length == 2);
	return 0;
}
