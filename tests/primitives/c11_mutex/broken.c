/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mtx_trylock, tried once. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static int counter;

static int work(void *arg)
{
	(void)arg;
	if (mtx_trylock(&lock) == thrd_success) {
		counter++;
		mtx_unlock(&lock);
	}
	return 0;
}

int main(void)
{
	thrd_t threads[2];

	mtx_init(&lock, mtx_plain);
	for (int i = 0; i < 2; i++)
		thrd_create(&threads[i], work, NULL);
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
