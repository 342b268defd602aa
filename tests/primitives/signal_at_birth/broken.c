/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A signal is sent to a thread that may not have begun yet: who sees that it is to be sent has not handled it yet. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t handled;
static volatile int sent;

static void handle(int signal)
{
	(void)signal;
	handled = 1;
}

static void *look(void *arg)
{
	const int after = sent;

	(void)arg;
	assert(!after || handled);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	signal(SIGUSR1, handle);
	pthread_create(&thread, NULL, look, NULL);
	sent = 1;
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	return 0;
}
