/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handed_shapes SHAPE N: bugs of 10 shapes among about N threads that wake each other or hand something over: somebody
 * else comes in between, or two of them are stopped half-way. Some order of what they do breaks an assertion, or leaves
 * all of them waiting. */
#include "many_threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, other = PTHREAD_COND_INITIALIZER;
static volatile int a, b, count, inside, ready, cells[4];

static void hold(void)
{
	pthread_mutex_lock(&lock);
}
static void drop(void)
{
	pthread_mutex_unlock(&lock);
}


/* One fills a box several times, and who waited for it does not look again. */
static void *fills_box(void *x)
{
	for (int k = 0; k < n; k++) {
		hold();
		count++;
		pthread_cond_signal(&cond);
		drop();
	}
	return x;
}
static void *empties_box(void *x)
{
	hold();
	if (!count)
		pthread_cond_wait(&cond, &lock);
	assert(count > 0);
	count--;
	drop();
	return x;
}
static void box(void)
{
	n = n < 2 ? 2 : n;
	start(fills_box, 0);
	ALL(i) start(empties_box, i);
	join_all();
}


/* Who waited for room does not look again. */
static void *brings(void *x)
{
	hold();
	if (count)
		pthread_cond_wait(&cond, &lock);
	assert(!count);
	count = 1;
	pthread_cond_signal(&other);
	drop();
	return x;
}
static void *fetches(void *x)
{
	hold();
	while (!count)
		pthread_cond_wait(&other, &lock);
	count = 0;
	pthread_cond_signal(&cond);
	drop();
	return x;
}
static void crowd(void)
{
	ALL(i) start(brings, i);
	start(brings, 0);
	ALL(i) start(fetches, i);
	start(fetches, 0);
	join_all();
}


/* A permit goes back while one waits for it and another one comes along. */
static void *enters(void *x)
{
	hold();
	if (inside)
		pthread_cond_wait(&cond, &lock);
	inside++;
	drop();
	hold();
	assert(inside == 1);
	inside--;
	pthread_cond_signal(&cond);
	drop();
	return x;
}
static void permits(void)
{
	n = n < 3 ? 3 : n;
	ALL(i) start(enters, i);
	join_all();
}


/* The writer is told that the last reader has gone, and does not see the next one. */
static void *reads(void *x)
{
	hold();
	count++;
	drop();
	a++;
	hold();
	if (!--count)
		pthread_cond_signal(&cond);
	drop();
	return x;
}
static void *writes(void *x)
{
	hold();
	if (count)
		pthread_cond_wait(&cond, &lock);
	assert(!count);
	drop();
	return x;
}
static void readers(void)
{
	n = n < 2 ? 2 : n;
	ALL(i) start(reads, i);
	start(writes, 0);
	join_all();
}


/* Two looks at one thing and one at another, all under the lock: each of the two is stopped between its steps. */
static void set(volatile int *cell, int value)
{
	hold();
	*cell = value;
	drop();
}
static int get(volatile int *cell)
{
	int value;
	hold();
	value = *cell;
	drop();
	return value;
}
static void *announces(void *x)
{
	set(&a, 1);
	set(&b, 1);
	set(&b, 0);
	return x;
}
static void *looks_twice(void *x)
{
	int first = get(&a), now = get(&a), announced = get(&b);
	assert(first == now || !announced);
	return x;
}
static void twice(void)
{
	start(announces, 0);
	ALL(i) start(looks_twice, i);
	join_all();
}


/* It is moved there and back, and who looks finds it in neither place. */
static void *moves(void *x)
{
	cells[1] = 1;
	cells[0] = 0;
	cells[0] = 1;
	cells[1] = 0;
	return x;
}
static void *seeks(void *x)
{
	int there = cells[1], here = cells[0];
	assert(here || there);
	return x;
}
static void moved(void)
{
	cells[0] = 1;
	ALL(i) start(seeks, i);
	start(moves, 0);
	join_all();
}


/* The answer to a request that was taken back is taken for that to the next. */
static void *asks(void *x)
{
	int answer;
	if (b)
		return x;
	a = 2;
	answer = b;
	assert(!answer || answer == 2);
	return x;
}
static void *answers(void *x)
{
	b = a;
	return x;
}
static void *adds(void *x)
{
	hold();
	count++;
	drop();
	return x;
}
static void request(void)
{
	a = 1;
	start(asks, 0);
	ALL(i) start(adds, i);
	start(answers, 0);
	join_all();
}


/* Two buffers, one to read and one to write: who is slow reads what is written. */
static void *flips(void *x)
{
	for (int k = 1; k < 3; k++) {
		int free = !ready;
		cells[2 * free] = k;
		cells[2 * free + 1] = k;
		ready = free;
	}
	return x;
}
static void *reads_buffer(void *x)
{
	int k = ready, p = cells[2 * k], q = cells[2 * k + 1];
	assert(p == q);
	return x;
}
static void buffers(void)
{
	ALL(i) start(reads_buffer, i);
	start(flips, 0);
	join_all();
}


/* Each lets the other one go first before it says that it wants to go itself. */
static void *lets(void *x)
{
	int me = (int)(long)x;
	ready = !me;
	cells[me] = 1;
	if (!cells[!me] || ready == me) {
		assert(!inside);
		inside = 1;
		inside = 0;
	}
	cells[me] = 0;
	return x;
}
static void polite(void)
{
	start(lets, 0);
	ALL(i) start(adds, i);
	start(lets, 1);
	join_all();
}


/* What is free goes to who waits, and to who comes along before that one has noticed. */
static void *inherits(void *x)
{
	hold();
	if (a) {
		b++;
		pthread_cond_wait(&cond, &lock);
		b--;
	}
	a = 1;
	drop();
	inside++;
	assert(inside == 1);
	inside--;
	hold();
	a = 0;
	if (b)
		pthread_cond_signal(&cond);
	drop();
	return x;
}
static void heirs(void)
{
	n = n < 3 ? 3 : n;
	ALL(i) start(inherits, i);
	join_all();
}

static const struct shape shapes[] = {
	{ "box", box },
	{ "crowd", crowd },
	{ "permits", permits },
	{ "readers", readers },
	{ "twice", twice },
	{ "moved", moved },
	{ "request", request },
	{ "buffers", buffers },
	{ "polite", polite },
	{ "heirs", heirs },
};

int main(int argc, char **argv)
{
	return run_shape(shapes, sizeof(shapes) / sizeof(*shapes), argc, argv);
}
