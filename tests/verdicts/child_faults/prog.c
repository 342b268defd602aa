/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: its children die of a fault and by abort(), as in a death test, and it sees them die of just that. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile uintptr_t nowhere = 8;

static void fault(void)
{
	*(volatile char *)nowhere = 1;
}

static void dies_of(void (*act)(void), int signal)
{
	int status;
	const pid_t child = fork();

	if (!child)
		act();
	assert(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == signal);
}

static void *run(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t thread;

	signal(SIGSEGV, SIG_DFL);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	dies_of(fault, SIGSEGV);
	dies_of(abort, SIGABRT);
	return 0;
}
