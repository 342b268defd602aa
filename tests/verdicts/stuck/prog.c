/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits in a system call without a model, for ever: no failure, but nothing is shown either; the hunt must end and say where it sat. */
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>

static int n;

static void *work(void *arg)
{
	n++;
	return arg;
}

int main(void)
{
	char bytes[2];
	int ends[2];
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) || send(ends[0], "x", 1, 0) != 1)
		return 77;
	recv(ends[1], bytes, sizeof(bytes), MSG_WAITALL); /* something is there, but not all */
	return n == 1 ? 0 : 1;
}
