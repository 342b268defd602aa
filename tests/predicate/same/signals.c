/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A handler asserts: of a signal behind all, and of one from another thread. */
#include "two.h"

#include <signal.h>

static volatile int x;
static pthread_t main_thread;

static void handler(int signal)
{
	(void)signal;
	assert(x != 1);
}

static void one(void)
{
	x = 1;
	x = HOW == 1 ? 1 : 0;
}

static void two(void)
{
	if (HOW == 1)
		x = 2;
	else
		pthread_kill(main_thread, SIGUSR1);
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };

	main_thread = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	both();
	if (HOW == 1)
		raise(SIGUSR1);
	return 0;
}
