/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timed_shapes SHAPE N: bugs of 11 shapes among about N threads in which time, a signal, a wake-up without a signal or
 * a third thread has a say, or what was initialised once is used too early. Some order of what they do breaks an
 * assertion, or leaves all of them waiting. */
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "many_threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static volatile int count, ready, low, high;
static atomic_int x, y, begun, stop;
static int *volatile table;
static pthread_t first;

/* All are expected to wait by the time the notifier has slept. */
static void *waits_once(void *a)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	return a;
}
static void *notifies_late(void *a)
{
	usleep(1000);
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	return a;
}
static void early_signal(void)
{
	for (int i = 1; i < n; i++)
		start(waits_once, i);
	start(notifies_late, 0);
	join_all();
}


/* A deadline is taken for an answer. */
static void *asks(void *a)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec = (end.tv_nsec + 100000000) % 1000000000;
	end.tv_sec++;
	pthread_mutex_lock(&lock);
	while (!ready && !pthread_cond_timedwait(&cond, &lock, &end))
		;
	assert(table);
	pthread_mutex_unlock(&lock);
	return a;
}
static void *answers(void *a)
{
	pthread_mutex_lock(&lock);
	table = malloc(4);
	ready = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	return a;
}
static void deadline(void)
{
	for (int i = 1; i < n; i++)
		start(asks, i);
	start(answers, 0);
	join_all();
}


/* A handler and the thread that it interrupts add to one list. */
static void adds(int by)
{
	int seen = count;

	count = seen + by;
}
static void adds_one(int number)
{
	(void)number;
	adds(1);
	ready = 1;
}
static void *sleeps_blocked(void *a)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (!ready)
		usleep(500);
	return a;
}
static void alarm_count(void)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 1000 } };

	signal(SIGALRM, adds_one);
	for (int i = 1; i < n; i++)
		start(sleeps_blocked, i);
	setitimer(ITIMER_REAL, &soon, NULL);
	adds(2);
	adds(2);
	join_all();
	assert(count == 5);
}
static void *kills(void *a)
{
	pthread_kill(first, SIGUSR1);
	return a;
}
static void *naps(void *a)
{
	usleep(10);
	return a;
}
static void sent_count(void)
{
	signal(SIGUSR1, adds_one);
	first = pthread_self();
	start(kills, 0);
	for (int i = 2; i < n; i++)
		start(naps, i);
	adds(10);
	join_all();
	while (!ready)
		usleep(1000);
	assert(count == 11);
}


/* Two play in turns and do not look again when they are woken. */
static void *plays(void *a)
{
	const int me = (int)(long)a;

	for (int k = 0; k < 2; k++) {
		pthread_mutex_lock(&lock);
		if (count % 2 != me)
			pthread_cond_wait(&cond, &lock);
		assert(count % 2 == me);
		count++;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&lock);
	}
	return a;
}
static void turns(void)
{
	start(plays, 0);
	start(plays, 1);
	for (int i = 2; i < n; i++)
		start(naps, i);
	join_all();
}


/* The first one initialises, and the others do not wait until it has. */
static void *uses_table(void *a)
{
	if (!atomic_exchange(&begun, 1)) {
		int *made = malloc(sizeof(*made));

		*made = 7;
		table = made;
	}
	assert(table && *table == 7);
	return a;
}
static void once(void)
{
	ALL(i) start(uses_table, i);
	join_all();
}


/* One passes on what another has set; who looks at both sees them in the wrong order. */
static void *sets_x(void *a)
{
	x = 1;
	return a;
}
static void *passes_on(void *a)
{
	if (x)
		y = 1;
	return a;
}
static void *sees_both(void *a)
{
	const int was = x;

	assert(!y || was);
	return a;
}
static void passed(void)
{
	start(sets_x, 0);
	start(passes_on, 0);
	for (int i = 1; i < n; i++)
		start(sees_both, i);
	join_all();
}


/* A flag without the lock, and the wake-up is lost; the thread has looked at it twice before. */
static void *works(void *a)
{
	for (int k = 0; !stop; k++) {
		pthread_mutex_lock(&lock);
		if (!count && !stop)
			pthread_cond_wait(&cond, &lock);
		if (count)
			count--;
		pthread_mutex_unlock(&lock);
	}
	return a;
}
static void stopped(void)
{
	count = 2;
	for (int i = 1; i < n; i++)
		start(works, i);
	stop = 1;
	pthread_cond_broadcast(&cond);
	join_all();
}


/* What is slept for is not over: who sleeps frees what the other one still uses. */
static void *beats(void *a)
{
	usleep(500);
	if (!stop) {
		assert(*table == 7);
		*table = 7;
	}
	return a;
}
static void freed(void)
{
	table = malloc(sizeof(*table));
	*table = 7;
	for (int i = 1; i < n; i++)
		start(beats, i);
	usleep(10000);
	*table = 0;
	stop = 1;
	join_all();
}


/* Two words that a handler changes. */
static void raises(int number)
{
	(void)number;
	low = low + 1;
	high = high + 1;
}
static void words(void)
{
	const struct itimerval soon = { .it_value = { .tv_usec = 1000 } };

	signal(SIGALRM, raises);
	for (int i = 1; i < n; i++)
		start(naps, i);
	setitimer(ITIMER_REAL, &soon, NULL);
	for (int k = 0; k < 3; k++) {
		const int a = low, b = high;

		assert(a == b);
	}
	usleep(2000);
	join_all();
}


/* Who polls gives up after a few rounds, and takes what is there. */
static void *answers_in_time(void *a)
{
	usleep(100);
	x = 7;
	ready = 1;
	return a;
}
static void *polls(void *a)
{
	for (int k = 0; k < 4 && !ready; k++)
		usleep(1000);
	assert(x == 7);
	return a;
}
static void polled(void)
{
	for (int i = 1; i < n; i++)
		start(polls, i);
	start(answers_in_time, 0);
	join_all();
}

static const struct shape shapes[] = {
	{ "early_signal", early_signal }, { "deadline", deadline }, { "alarm_count", alarm_count },
	{ "sent_count", sent_count },     { "turns", turns },       { "once", once },
	{ "passed", passed },             { "stopped", stopped },   { "freed", freed },
	{ "words", words },               { "polled", polled },
};

int main(int argc, char **argv)
{
	return run_shape(shapes, sizeof(shapes) / sizeof(*shapes), argc, argv);
}
