// SPDX-License-Identifier: GPL-2.0-or-later
// A daemon's skeleton: signals are blocked, one thread takes them with sigwait; others work until it says stop.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORKERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int reloads, stopping, begun;
static atomic_int handled;
static volatile sig_atomic_t woken;

static void on_wake(int sig)
{
	(void)sig;
	woken = 1;
	atomic_fetch_add(&handled, 1);
}

static void *takes_signals(void *set)
{
	for (;;) {
		int sig;

		assert(sigwait(set, &sig) == 0);
		pthread_mutex_lock(&lock);
		if (sig == SIGHUP)
			reloads++;
		else
			stopping = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		if (sig == SIGTERM)
			return NULL;
	}
}

static void *work(void *arg)
{
	int *seen = arg;

	pthread_mutex_lock(&lock);
	begun++;
	pthread_cond_broadcast(&changed);
	while (!stopping) {
		pthread_cond_wait(&changed, &lock);
		if (*seen < reloads)
			*seen = reloads;
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	struct sigaction wake = { .sa_handler = on_wake, .sa_flags = SA_RESTART };
	pthread_t taker, workers[WORKERS];
	int seen[WORKERS] = { 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTERM);
	assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
	assert(sigaction(SIGUSR1, &wake, NULL) == 0);
	assert(pthread_create(&taker, NULL, takes_signals, &set) == 0);
	for (int i = 0; i < WORKERS; i++)
		assert(pthread_create(&workers[i], NULL, work, &seen[i]) == 0);
	pthread_mutex_lock(&lock);
	while (begun < WORKERS)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	assert(pthread_kill(workers[0], SIGUSR1) == 0);
	assert(kill(getpid(), SIGHUP) == 0);
	pthread_mutex_lock(&lock);
	while (!reloads)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	assert(raise(SIGUSR1) == 0 && woken);
	assert(kill(getpid(), SIGTERM) == 0);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	pthread_join(taker, NULL);
	assert(reloads == 1 && handled >= 1 && handled <= 2);
	return 0;
}
