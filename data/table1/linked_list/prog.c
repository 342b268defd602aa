/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LinkedList: two threads append to one list; each node is put in without a lock. */
#include <assert.h>
#include <stddef.h>

#include "../table1.h"

#define PER_THREAD 14
#define N (2 * PER_THREAD)

struct node {
	struct node *next;
	int value;
};

static struct node nodes[N];
static struct node *head;

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, 2, 3);
	for (int i = 0; i < PER_THREAD; i++) {
		struct node *node = &nodes[me * PER_THREAD + i];

		node->value = me + 1;
		node->next = head;
		head = node;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[2];
	int n = 0;

	table1_begin(argc, argv);
	start_all(workers, 2, worker);
	join_all(workers, 2);
	for (const struct node *node = head; node; node = node->next)
		n++;
	assert(n == N);
	return 0;
}
