/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * begins CASE [N]: main sets something up, then two threads share a little of it. What stands before they are made:
 *
 *     plain     reads, writes, copies, blocks that are freed and handed out again, a lock, an atomic, a line of output
 *     right     the same, and the threads make no mistake
 *     weak      a weak compare-exchange in the middle, which may fail for no reason
 *     sleeps    a sleep
 *     handles   a handler for a signal that a thread sends to main later
 *     raises    a signal to itself
 *     timer     a timer that signals main while it sets up the rest
 *     freed     a block that the threads use is freed there: the first of them fails
 *     held      a lock is held until they are made
 *     fails     main fails before there is a thread
 *     nested    the thread that main makes makes the other one
 *     again     main does once more what it did there, in the same line, while the threads do
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int n = 40; /* numbers in the table */
static int *table, shared, handled;
static char text[64];
static _Atomic int word;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *mode;

static void on_signal(int signal)
{
	handled += signal;
}

static void count_up(void)
{
	shared++;
}

static void set_up(void)
{
	table = malloc((size_t)n * sizeof(*table));
	for (int i = 0; i < n; i++) {
		char *block = malloc(24);

		snprintf(block, 24, "%d", i);
		table[i] = (int)strlen(block);
		if (i % 2)
			free(block);
		if (i % 10 == 3) {
			pthread_mutex_lock(&lock);
			shared = table[i];
			pthread_mutex_unlock(&lock);
		}
		if (i % 10 == 5)
			atomic_fetch_add(&word, 1);
		if (!strcmp(mode, "again"))
			count_up();
	}
	memcpy(text, "set up", 7);
	puts(text);
}

static void in_between(void)
{
	int is = atomic_load(&word);

	if (!strcmp(mode, "weak"))
		while (!atomic_compare_exchange_weak(&word, &is, is + 1))
			;
	if (!strcmp(mode, "sleeps"))
		nanosleep(&(struct timespec){ .tv_nsec = 1000 }, NULL);
	if (!strcmp(mode, "handles") || !strcmp(mode, "raises") || !strcmp(mode, "timer"))
		signal(SIGUSR1, on_signal);
	if (!strcmp(mode, "raises"))
		raise(SIGUSR1);
	if (!strcmp(mode, "timer")) {
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
		const struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
		timer_t timer;

		if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &soon, NULL))
			exit(1);
	}
	if (!strcmp(mode, "freed"))
		free(table);
	if (!strcmp(mode, "held"))
		pthread_mutex_lock(&lock);
	if (!strcmp(mode, "fails"))
		abort();
	for (int i = 0; i < n; i++)
		shared += strcmp(mode, "freed") ? table[i] : i;
}

static void *add(void *arg)
{
	int before = shared;

	pthread_mutex_lock(&lock);
	if (!strcmp(mode, "right") || !strcmp(mode, "again"))
		before = shared;
	shared = before + table[(long)arg];
	pthread_mutex_unlock(&lock);
	if (!strcmp(mode, "handles") && arg)
		kill(getpid(), SIGUSR1);
	return NULL;
}

static void *make_other(void *arg)
{
	pthread_t other;

	if (pthread_create(&other, NULL, add, (void *)1))
		exit(1);
	add(arg);
	pthread_join(other, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	int expected;

	mode = argc > 1 ? argv[1] : "plain";
	n = argc > 2 ? atoi(argv[2]) : n;
	set_up();
	in_between();
	expected = shared + (strcmp(mode, "freed") ? table[0] + table[1] : 0);
	if (!strcmp(mode, "nested")) {
		if (pthread_create(&a, NULL, make_other, NULL))
			return 1;
	} else if (pthread_create(&a, NULL, add, NULL) || pthread_create(&b, NULL, add, (void *)1)) {
		return 1;
	}
	if (!strcmp(mode, "held"))
		pthread_mutex_unlock(&lock);
	for (int i = 0; i < 2 && !strcmp(mode, "again"); i++, expected++)
		count_up();
	pthread_join(a, NULL);
	if (strcmp(mode, "nested"))
		pthread_join(b, NULL);
	return shared != expected;
}
