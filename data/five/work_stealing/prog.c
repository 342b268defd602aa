/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A work-stealing queue: the owner takes from the tail without the lock while it believes that more than one item is left; a thief takes from the
 * head under the lock. Both may take the last one. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define ITEMS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail = ITEMS;
static atomic_int taken[ITEMS];

static void take(int item)
{
	assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void *thief(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITEMS; i++) {
		int h;

		pthread_mutex_lock(&lock);
		h = atomic_load(&head);
		if (h < atomic_load(&tail)) {
			atomic_store(&head, h + 1);
			pthread_mutex_unlock(&lock);
			take(h);
		} else {
			pthread_mutex_unlock(&lock);
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t thieves[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thieves[i], NULL, thief, NULL);
	for (int i = 0; i < ITEMS; i++) {
		const int t = atomic_load(&tail) - 1;

		if (t < atomic_load(&head)) /* here: should have taken the tail back first */
			break;
		atomic_store(&tail, t);
		take(t);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(thieves[i], NULL);
	return 0;
}
