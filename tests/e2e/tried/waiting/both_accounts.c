/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Money goes from one account to another, under the locks of both: who has one tries the other until it gets that. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>

struct account {
	pthread_mutex_t lock;
	int cents;
};

static struct account a = { PTHREAD_MUTEX_INITIALIZER, 100 }, b = { PTHREAD_MUTEX_INITIALIZER, 100 };

static void lock_both(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock);
	while (pthread_mutex_trylock(&to->lock) != 0) {
#ifdef FIXED
		pthread_mutex_unlock(&from->lock);
		sched_yield();
		pthread_mutex_lock(&from->lock);
#else
		sched_yield();
#endif
	}
}

static void move(struct account *from, struct account *to, int cents)
{
	lock_both(from, to);
	from->cents -= cents;
	to->cents += cents;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *there(void *arg)
{
	move(&a, &b, 30);
	return arg;
}

static void *back(void *arg)
{
	move(&b, &a, 20);
	return arg;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, there, NULL);
	pthread_create(&two, NULL, back, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	assert(a.cents == 90 && b.cents == 110);
	return 0;
}
