/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A callback takes the lock under which it is called by another path: two locks, two orders. */
#include <pthread.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER, item_lock = PTHREAD_MUTEX_INITIALIZER;
static int listed, used;

static void on_change(void)
{
	pthread_mutex_lock(&list_lock);
	listed++;
	pthread_mutex_unlock(&list_lock);
}

static void change(void (*call)(void))
{
	pthread_mutex_lock(&item_lock);
	used++;
#ifdef FIXED
	pthread_mutex_unlock(&item_lock);
	call();
#else
	call();
	pthread_mutex_unlock(&item_lock);
#endif
}

static void *changer(void *arg)
{
	(void)arg;
	change(on_change);
	return NULL;
}

static void *walker(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&list_lock);
	pthread_mutex_lock(&item_lock);
	used += listed;
	pthread_mutex_unlock(&item_lock);
	pthread_mutex_unlock(&list_lock);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, changer, NULL);
	pthread_create(&b, NULL, walker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
