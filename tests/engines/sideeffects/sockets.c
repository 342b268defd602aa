/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Talks to itself over a pair of sockets. */
#include <sys/socket.h>

#include "common.h"

static int ends[2];
static char got;

static void first(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || send(ends[0], "x", 1, 0) != 1)
		abort();
}

static void second(void)
{
}

static int good(void)
{
	return recv(ends[1], &got, 1, 0) == 1 && got == 'x' && ends[0] == 3;
}
