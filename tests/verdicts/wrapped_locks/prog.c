// SPDX-License-Identifier: GPL-2.0-or-later
/* Locks behind a function that all threads call: a deadlock must name the lines that call it, each for its lock. */
#include <pthread.h>
#include <stdlib.h>

struct shelf {
	pthread_mutex_t mutex;
	int books;
};

static struct shelf left = { PTHREAD_MUTEX_INITIALIZER, 5 }, right = { PTHREAD_MUTEX_INITIALIZER, 5 };

static void lock(struct shelf *s)
{
	if (pthread_mutex_lock(&s->mutex))
		abort();
}

static void unlock(struct shelf *s)
{
	if (pthread_mutex_unlock(&s->mutex))
		abort();
}

static void move(struct shelf *from, struct shelf *to)
{
	lock(from);
	lock(to);
	from->books--;
	to->books++;
	unlock(to);
	unlock(from);
}

static void *to_the_right(void *arg)
{
	move(&left, &right);
	return arg;
}

static void *to_the_left(void *arg)
{
	move(&right, &left);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, to_the_right, NULL);
	pthread_create(&b, NULL, to_the_left, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return left.books + right.books - 10;
}
