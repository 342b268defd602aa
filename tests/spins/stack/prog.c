/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Treiber's stack: two push, main pops both, spinning while it is empty. Broken: a push stores the top that it has computed. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct item {
	struct item *below;
	int value;
};

static _Atomic(struct item *) top;
static struct item items[2] = {{NULL, 1}, {NULL, 2}};

static void *push(void *arg)
{
	struct item *mine = arg;

	mine->below = atomic_load(&top);
#ifdef BROKEN
	atomic_store(&top, mine);
#else
	while (!atomic_compare_exchange_weak(&top, &mine->below, mine))
		;
#endif
	return NULL;
}

static int pop(void)
{
	struct item *first = atomic_load(&top);

	while (!first || !atomic_compare_exchange_strong(&top, &first, first->below))
		first = atomic_load(&top);
	return first->value;
}

int main(void)
{
	pthread_t t[2];
	int sum;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, push, &items[i]);
	sum = pop();
	sum += pop();
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(sum == 3);
	return 0;
}
