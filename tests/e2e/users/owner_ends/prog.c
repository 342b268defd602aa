// SPDX-License-Identifier: GPL-2.0-or-later
// Robust mutexes: a thread ends while it holds one; the next repairs what it guards; one is given up for good.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
	pthread_mutex_t lock;
	int from, to, repaired;
};

static struct account account = { .from = 100 };

static int lock(struct account *a)
{
	int e = pthread_mutex_lock(&a->lock);

	if (e != EOWNERDEAD)
		return e;
	a->to = 100 - a->from; /* whatever was left half done */
	a->repaired++;
	return pthread_mutex_consistent(&a->lock);
}

static void *dies(void *arg)
{
	if (lock(arg) == 0) {
		account.from -= 10;
		pthread_exit(NULL);
	}
	return NULL;
}

static void *moves(void *arg)
{
	struct account *a = arg;

	assert(lock(a) == 0);
	a->from -= 5;
	a->to += 5;
	assert(a->from + a->to == 100);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static void *leaves(void *mutex)
{
	assert(pthread_mutex_lock(mutex) == 0);
	return NULL;
}

static void robust(pthread_mutex_t *m)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	assert(pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) == 0);
	assert(pthread_mutex_init(m, &attr) == 0);
	pthread_mutexattr_destroy(&attr);
}

int main(void)
{
	pthread_mutex_t given_up;
	pthread_t threads[3], t;

	robust(&account.lock);
	assert(pthread_create(&threads[0], NULL, dies, &account) == 0);
	assert(pthread_create(&threads[1], NULL, moves, &account) == 0);
	assert(pthread_create(&threads[2], NULL, moves, &account) == 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(lock(&account) == 0);
	assert(account.from == 80 && account.to == 20 && account.repaired == 1);
	pthread_mutex_unlock(&account.lock);
	pthread_mutex_destroy(&account.lock);

	robust(&given_up);
	assert(pthread_create(&t, NULL, leaves, &given_up) == 0);
	pthread_join(t, NULL);
	assert(pthread_mutex_lock(&given_up) == EOWNERDEAD);
	pthread_mutex_unlock(&given_up);
	assert(pthread_mutex_lock(&given_up) == ENOTRECOVERABLE);
	return 0;
}
