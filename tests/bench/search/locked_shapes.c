/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locked_shapes SHAPE N: bugs of 11 shapes among about N threads that use locks and the like. The opening of a
 * search was not tried on any of them when it was made. Some order of what they do breaks an assertion, or leaves all
 * of them waiting. */
#include <semaphore.h>

#include "many_threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER, locks[3];
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t room, items;
static volatile int a, b, count, ready, cells[2 * MOST];

/* What was read under the read lock is written under the write lock. */
static void *upgrades(void *x)
{
	int seen;
	pthread_rwlock_rdlock(&rwlock);
	seen = count;
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_wrlock(&rwlock);
	count = seen + 1;
	pthread_rwlock_unlock(&rwlock);
	return x;
}
static void upgrade(void)
{
	start(upgrades, 0);
	ALL(i) start(upgrades, i);
	join_all();
	assert(count == n + 1);
}


/* A free place is looked for under the lock, and taken under it another time. */
static void *places(void *x)
{
	int k = 0;
	pthread_mutex_lock(&lock);
	while (cells[k])
		k++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	assert(!cells[k]);
	cells[k] = 1;
	pthread_mutex_unlock(&lock);
	return x;
}
static void slots(void)
{
	start(places, 0);
	ALL(i) start(places, i);
	join_all();
}


/* Two kinds of threads wait at one condition, and one of them is told. */
static void *waits_for(void *x)
{
	pthread_mutex_lock(&lock);
	while (a != (int)(long)x)
		pthread_cond_wait(&cond, &lock);
	a++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return x;
}
static void kinds(void)
{
	n = n < 3 ? 3 : n;
	ALL(i) start(waits_for, i);
	join_all();
}


/* A ring whose places are counted by semaphores, and whose ends nobody protects. */
static void *puts_item(void *x)
{
	sem_wait(&room);
	cells[a] = 1;
	a++;
	sem_post(&items);
	return x;
}
static void *takes_item(void *x)
{
	sem_wait(&items);
	assert(cells[b]);
	cells[b++] = 0;
	return x;
}
static void bounded(void)
{
	sem_init(&room, 0, MOST);
	sem_init(&items, 0, 0);
	ALL(i) start(puts_item, i);
	ALL(i) start(takes_item, i);
	join_all();
}


/* The last element goes to the place of one that is removed, and who walks through misses it. */
static int at(int k)
{
	int value;
	pthread_mutex_lock(&lock);
	value = k < count ? cells[k] : 0;
	pthread_mutex_unlock(&lock);
	return value;
}
static void *walks(void *x)
{
	int found = 0;
	for (int k = 0; k < 5; k++)
		found |= at(k) == 5;
	assert(found);
	return x;
}
static void *removes(void *x)
{
	pthread_mutex_lock(&lock);
	cells[0] = cells[count - 1];
	count--;
	pthread_mutex_unlock(&lock);
	return x;
}
static void iterate(void)
{
	count = 5;
	for (int k = 0; k < 5; k++)
		cells[k] = k + 1;
	ALL(i) start(walks, i);
	start(removes, 0);
	join_all();
}


/* Three locks in a circle. */
static void *circles(void *x)
{
	long i = (long)x;
	pthread_mutex_lock(&locks[i]);
	pthread_mutex_lock(&locks[(i + 1) % 3]);
	count++;
	pthread_mutex_unlock(&locks[(i + 1) % 3]);
	pthread_mutex_unlock(&locks[i]);
	return x;
}
static void *adds_one(void *x)
{
	pthread_mutex_lock(&second);
	a++;
	pthread_mutex_unlock(&second);
	return x;
}
static void circle(void)
{
	for (int i = 0; i < 3; i++)
		pthread_mutex_init(&locks[i], NULL);
	start(circles, 0);
	ALL(i) start(adds_one, i);
	start(circles, 1);
	start(circles, 2);
	join_all();
}


/* Who was woken does not look again. */
static void *consumes_once(void *x)
{
	pthread_mutex_lock(&lock);
	if (!count)
		pthread_cond_wait(&cond, &lock);
	assert(count > 0);
	count--;
	pthread_mutex_unlock(&lock);
	return x;
}
static void *produces_one(void *x)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&lock);
	return x;
}
static void woken(void)
{
	n = n < 2 ? 2 : n;
	ALL(i) start(produces_one, i);
	ALL(i) start(consumes_once, i);
	join_all();
}


/* What was written is taken back, and somebody has built on it. */
static void *tries(void *x)
{
	pthread_mutex_lock(&lock);
	a++;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	a--;
	pthread_mutex_unlock(&lock);
	return x;
}
static void *builds(void *x)
{
	pthread_mutex_lock(&lock);
	b += a;
	pthread_mutex_unlock(&lock);
	return x;
}
static void undone(void)
{
	ALL(i) start(tries, i);
	ALL(i) start(builds, i);
	join_all();
	assert(b == 0);
}


/* Who does not get the lock at once leaves its share out. */
static void *shares(void *x)
{
	if (!pthread_mutex_trylock(&lock)) {
		count++;
		pthread_mutex_unlock(&lock);
	}
	return x;
}
static void impatient(void)
{
	start(shares, 0);
	ALL(i) start(shares, i);
	join_all();
	assert(count == n + 1);
}


/* The first reader takes what writers wait for, the last one gives it back; who is first and last nobody protects. */
static void *reads_gate(void *x)
{
	if (count++ == 0)
		sem_wait(&room);
	assert(!ready);
	if (--count == 0)
		sem_post(&room);
	return x;
}
static void *writes_gate(void *x)
{
	sem_wait(&room);
	ready = 1;
	ready = 0;
	sem_post(&room);
	return x;
}
static void gate(void)
{
	sem_init(&room, 0, 1);
	n = n < 2 ? 2 : n;
	ALL(i) start(reads_gate, i);
	start(writes_gate, 0);
	join_all();
}


/* A pool of two is emptied by who looks whether there is enough for two, and takes one after the other. */
static void *takes_two(void *x)
{
	int enough;
	pthread_mutex_lock(&lock);
	enough = count >= 2;
	pthread_mutex_unlock(&lock);
	for (int k = 0; enough && k < 2; k++) {
		pthread_mutex_lock(&lock);
		assert(count > 0);
		count--;
		pthread_mutex_unlock(&lock);
	}
	return x;
}
static void pool(void)
{
	count = n + 1;
	ALL(i) start(takes_two, i);
	join_all();
}

static const struct shape shapes[] = {
	{ "upgrade", upgrade },
	{ "slots", slots },
	{ "kinds", kinds },
	{ "bounded", bounded },
	{ "iterate", iterate },
	{ "circle", circle },
	{ "woken", woken },
	{ "undone", undone },
	{ "impatient", impatient },
	{ "gate", gate },
	{ "pool", pool },
};

int main(int argc, char **argv)
{
	return run_shape(shapes, sizeof(shapes) / sizeof(*shapes), argc, argv);
}
