/* SPDX-License-Identifier: GPL-2.0-or-later */
/* MCS queue lock. Broken: who unlocks does not wait for a successor that has queued but is not linked yet. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct node {
	_Atomic(struct node *) next;
	atomic_bool waits;
};

static _Atomic(struct node *) tail;
static int n;

static void lock(struct node *mine)
{
	struct node *before;

	atomic_store(&mine->next, NULL);
	atomic_store(&mine->waits, true);
	before = atomic_exchange(&tail, mine);
	if (!before)
		return;
	atomic_store(&before->next, mine);
	while (atomic_load(&mine->waits))
		;
}

static void unlock(struct node *mine)
{
	struct node *expected = mine;

	if (!atomic_load(&mine->next)) {
#ifdef BROKEN
		atomic_store(&tail, NULL);
		return;
#else
		if (atomic_compare_exchange_strong(&tail, &expected, NULL))
			return;
		while (!atomic_load(&mine->next))
			;
#endif
	}
	(void)expected;
	atomic_store(&atomic_load(&mine->next)->waits, false);
}

static void *add(void *arg)
{
	struct node mine;

	lock(&mine);
	n++;
	unlock(&mine);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	pthread_join(t, NULL);
	assert(n == 2);
	return 0;
}
