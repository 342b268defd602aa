/* SPDX-License-Identifier: GPL-2.0-or-later */
/* late_shapes SHAPE N: bugs of 7 shapes among about N threads in which something comes too late or comes back: all of a
 * circle have taken their first lock, memory is given back under who still uses it, a value has returned, a waiter is
 * told before it waits, a signal comes between two reads. */
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "many_threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, forks[MOST];
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t spoons[MOST], seats;

/* Each takes what lies on its left, then what lies on its right, twice. */
static void *dines(void *a)
{
	const long i = (long)a;

	for (int k = 0; k < 2; k++) {
		pthread_mutex_lock(&forks[i]);
		pthread_mutex_lock(&forks[(i + 1) % n]);
		pthread_mutex_unlock(&forks[(i + 1) % n]);
		pthread_mutex_unlock(&forks[i]);
	}
	return a;
}
static void dining(void)
{
	ALL(i) pthread_mutex_init(&forks[i], NULL);
	ALL(i) start(dines, i);
	join_all();
}

/* The same with semaphores, and one seat too many. */
static void *sits(void *a)
{
	const long i = (long)a;

	sem_wait(&seats);
	sem_wait(&spoons[i]);
	sem_wait(&spoons[(i + 1) % n]);
	sem_post(&spoons[(i + 1) % n]);
	sem_post(&spoons[i]);
	sem_post(&seats);
	return a;
}
static void sitting(void)
{
	sem_init(&seats, 0, (unsigned)n);
	ALL(i) sem_init(&spoons[i], 0, 1);
	ALL(i) start(sits, i);
	join_all();
}

/* A node is taken, and is back before who wants to take it has seen that. */
static atomic_int top, used[4];
static volatile int below[4] = { 1, 2, -1, -1 };
static int pop(void)
{
	for (;;) {
		int first = top;
		int next = first < 0 ? -1 : below[first];

		if (first < 0 || atomic_compare_exchange_strong(&top, &first, next))
			return first;
	}
}
static void *pops(void *a)
{
	pop();
	return a;
}
static void *pops_and_pushes(void *a)
{
	const int first = pop(), second = pop();
	int old = top, third;

	if (first >= 0) {
		do
			below[first] = old;
		while (!atomic_compare_exchange_strong(&top, &old, first));
	}
	if (second >= 0)
		used[second]++;
	third = pop();
	assert(third < 0 || !used[third]);
	return a;
}
static void came_back(void)
{
	start(pops_and_pushes, 0);
	for (int i = 1; i < n; i++)
		start(pops, i);
	join_all();
}

/* A timer's thread is still at it when its memory goes. */
static void ticks(union sigval v)
{
	volatile int *count = v.sival_ptr;

	*count = *count + 1;
}
static void *naps(void *a)
{
	usleep(500);
	return a;
}
static void ticking(void)
{
	int *count = calloc(1, sizeof(*count));
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = ticks, .sigev_value.sival_ptr = count };
	const struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
	timer_t t;

	timer_create(CLOCK_MONOTONIC, &e, &t);
	timer_settime(t, 0, &soon, NULL);
	for (int i = 1; i < n; i++)
		start(naps, i);
	join_all();
	usleep(2000);
	timer_delete(t);
	free(count);
}

/* A list is walked while somebody takes a node out of it and gives it back. */
static struct node {
	int value;
	struct node *next;
} *volatile head;
static void *walks(void *a)
{
	int sum = 0;

	for (struct node *p = head; p; p = p->next)
		sum += p->value;
	assert(sum == 2 || sum == 3);
	return a;
}
static void *unlinks(void *a)
{
	struct node *out;

	pthread_mutex_lock(&lock);
	out = head->next;
	head->next = out->next;
	pthread_mutex_unlock(&lock);
	free(out);
	return a;
}
static void unlinked(void)
{
	for (int i = 0; i < 3; i++) {
		struct node *p = malloc(sizeof(*p));

		*p = (struct node){ i, head };
		head = p;
	}
	start(unlinks, 0);
	for (int i = 1; i < n; i++)
		start(walks, i);
	join_all();
}

/* Workers are told to leave without the mutex under which they look whether they were told. */
static int jobs;
static atomic_int leave;
static sem_t done;
static void *works(void *a)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!leave && !jobs)
			pthread_cond_wait(&cond, &lock);
		if (!jobs) {
			pthread_mutex_unlock(&lock);
			return a;
		}
		jobs--;
		pthread_mutex_unlock(&lock);
		sem_post(&done);
	}
}
static void left(void)
{
	sem_init(&done, 0, 0);
	ALL(i) start(works, i);
	for (int k = 0; k < 2; k++) {
		pthread_mutex_lock(&lock);
		jobs++;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&lock);
	}
	for (int k = 0; k < 2; k++)
		sem_wait(&done);
	leave = 1;
	pthread_cond_broadcast(&cond);
	join_all();
}

/* A handler changes two words, and in the run as it comes it is never called. */
static volatile int low, high;
static void raises(int number)
{
	(void)number;
	low = low + 1;
	high = high + 1;
}
static void *blocks(void *a)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	usleep(100);
	return a;
}
static void torn(void)
{
	const struct itimerval later = { .it_value.tv_usec = 2000 };

	signal(SIGALRM, raises);
	for (int i = 1; i < n; i++)
		start(blocks, i);
	setitimer(ITIMER_REAL, &later, NULL);
	for (int k = 0; k < 3; k++) {
		const int a = low, b = high;

		assert(a == b);
	}
	join_all();
}

int main(int argc, char **argv)
{
	static const struct shape shapes[] = {
		{ "dining", dining },     { "sitting", sitting }, { "came_back", came_back }, { "ticking", ticking },
		{ "unlinked", unlinked }, { "left", left },       { "torn", torn },
	};

	return run_shape(shapes, sizeof(shapes) / sizeof(shapes[0]), argc, argv);
}
