/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pthread_kill: the handler runs in the thread it is sent to, once, even if that thread has not yet begun; the mask is each thread's own. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>

#define THREADS 3

static __thread volatile sig_atomic_t got;
static __thread int number;
static int counts[THREADS], blocked[THREADS];

static void on_signal(int signal)
{
	(void)signal;
	got++;
}

static void *waits(void *arg)
{
	sigset_t set;

	number = (int)(long)arg;
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	blocked[number] = sigismember(&set, SIGUSR2);
	if (number == 1) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR2);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	}
	while (!got)
		sched_yield();
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	counts[number] = (int)got + (sigismember(&set, SIGUSR2) ? 100 : 0);
	return NULL;
}

int main(void)
{
	const struct sigaction action = {.sa_handler = on_signal};
	pthread_t t[THREADS];
	sigset_t set;

	sigaction(SIGUSR1, &action, NULL);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, waits, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_kill(t[i], SIGUSR1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	for (int i = 0; i < THREADS; i++)
		printf("thread %d: %d, inherited %d\n", i, counts[i], blocked[i]);
	printf("main: %d, blocked %d\n", (int)got, sigismember(&set, SIGUSR2));
	return 0;
}
