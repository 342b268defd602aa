/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A wait without a predicate: a signal that comes first is lost. */
#include <threads.h>

static mtx_t lock;
static cnd_t changed;

static int wait_for_it(void *arg)
{
	(void)arg;
	mtx_lock(&lock);
	cnd_wait(&changed, &lock);
	mtx_unlock(&lock);
	return 0;
}

static int notify(void *arg)
{
	(void)arg;
	mtx_lock(&lock);
	cnd_signal(&changed);
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	thrd_t waiter, notifier;

	mtx_init(&lock, mtx_plain);
	cnd_init(&changed);
	thrd_create(&waiter, wait_for_it, NULL);
	thrd_create(&notifier, notify, NULL);
	thrd_join(waiter, NULL);
	thrd_join(notifier, NULL);
	return 0;
}
