/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets a handler and a mask: both are put back. */
#include <signal.h>

#include "common.h"

static void (*before)(int);
static sigset_t was, usr2;

static void handler(int signal)
{
	(void)signal;
}

__attribute__((constructor)) static void prepare(void)
{
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
}

/* Few operations, so that it is often the first to end. */
static void first(void)
{
	before = signal(SIGUSR1, handler);
	pthread_sigmask(SIG_BLOCK, &usr2, &was);
}

static void second(void)
{
}

static int good(void)
{
	return before == SIG_DFL && !sigismember(&was, SIGUSR2);
}
