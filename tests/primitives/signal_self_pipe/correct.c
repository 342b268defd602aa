/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The self-pipe of event loops: the handler blocks every signal while it writes into a pipe that the loop reads. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static volatile int handled;

static void handle(int number)
{
	const char byte = (char)number;

	handled = 1;
	assert(write(ends[1], &byte, 1) == 1);
}

static void *send_it(void *arg)
{
	(void)arg;
	kill(getpid(), SIGUSR1);
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	pthread_t thread;
	char byte = 0;

	assert(pipe(ends) == 0);
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, send_it, NULL);
	assert(read(ends[0], &byte, 1) == 1 && byte == SIGUSR1 && handled);
	pthread_join(thread, NULL);
	return 0;
}
