/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cnd_wait in a loop, cnd_broadcast. */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int arrived;

static int work(void *arg)
{
	(void)arg;
	mtx_lock(&lock);
	arrived++;
	cnd_broadcast(&changed);
	while (arrived < 2)
		cnd_wait(&changed, &lock);
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	thrd_t threads[2];

	mtx_init(&lock, mtx_plain);
	cnd_init(&changed);
	for (int i = 0; i < 2; i++)
		thrd_create(&threads[i], work, NULL);
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], NULL);
	return 0;
}
