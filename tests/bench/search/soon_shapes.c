/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soon_shapes SHAPE N: bugs of 5 shapes among about N threads that need a stop or two, and what could come before them:
 * much that main does for itself, as many waiters as could be woken by chance, orders of the threads. In runs without
 * stops one thread does all, and the others look. */
#include <stdatomic.h>
#include <unistd.h>

#include "many_threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int made;

/* Is it there? Then it need not be made. Both under the lock, each for itself. */
static void *makes(void *a)
{
	int there;

	pthread_mutex_lock(&lock);
	there = made;
	pthread_mutex_unlock(&lock);
	if (!there) {
		pthread_mutex_lock(&lock);
		made++;
		pthread_mutex_unlock(&lock);
	}
	return a;
}
static void twice(void)
{
	ALL(i) start(makes, i);
	join_all();
	assert(made == 1);
}

/* The first error is kept, in two words. Between the threads main fills a table that nobody else looks at. */
static volatile int table[64], error_of, line_of;
static void *fails(void *a)
{
	if (!error_of) {
		error_of = (int)(long)a;
		line_of = (int)(long)a;
	}
	return a;
}
static void filled(void)
{
	ALL(i)
	{
		for (int k = 0; k < 256; k++)
			table[k % 64] = k;
		start(fails, i + 1);
	}
	join_all();
	assert(error_of == line_of);
}
static void errors(void)
{
	ALL(i) start(fails, i + 1);
	join_all();
	assert(error_of == line_of);
}

/* Who wakes them hopes that all of them wait by then. */
static int awake;
static void *waits(void *a)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&cond, &lock);
	awake++;
	pthread_mutex_unlock(&lock);
	return a;
}
static void *wakes(void *a)
{
	usleep(1000);
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	return a;
}
static void woken(void)
{
	for (int i = 1; i < n; i++)
		start(waits, i);
	start(wakes, n);
	join_all();
}

/* A text is changed under a lock, its version behind it; readers hold the lock shared while they look at the version,
 * and give it back as std::condition_variable_any does. */
static pthread_rwlock_t text_lock = PTHREAD_RWLOCK_INITIALIZER;
static int text;
static atomic_int version;
static void *reads(void *a)
{
	pthread_rwlock_rdlock(&text_lock);
	while (version < 2) {
		pthread_mutex_lock(&lock);
		pthread_rwlock_unlock(&text_lock);
		pthread_cond_wait(&cond, &lock);
		pthread_mutex_unlock(&lock);
		pthread_rwlock_rdlock(&text_lock);
	}
	assert(text > 0);
	pthread_rwlock_unlock(&text_lock);
	return a;
}
static void versions(void)
{
	ALL(i) start(reads, i);
	for (int i = 0; i < 2; i++) {
		pthread_rwlock_wrlock(&text_lock);
		text++;
		pthread_rwlock_unlock(&text_lock);
		version++;
		pthread_mutex_lock(&lock);
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&lock);
	}
	join_all();
}

int main(int argc, char **argv)
{
	static const struct shape shapes[] = {
		{ "twice", twice },
		{ "filled", filled },
		{ "errors", errors },
		{ "woken", woken },
		{ "versions", versions },
	};

	return run_shape(shapes, sizeof(shapes) / sizeof(shapes[0]), argc, argv);
}
