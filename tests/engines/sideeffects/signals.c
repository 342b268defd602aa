/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets a handler and a mask: both are put back. */
#include <signal.h>

#include "common.h"

static void (*before)(int);
static int blocked;

static void handler(int signal)
{
	(void)signal;
}

static void first(void)
{
	sigset_t set;

	before = signal(SIGUSR1, handler);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	blocked = sigismember(&set, SIGUSR2);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void second(void)
{
}

static int good(void)
{
	return before == SIG_DFL && !blocked;
}
