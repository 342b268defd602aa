/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recv and read that do not wait, until there is something: loops that must not keep the clock of a sender that sleeps from moving. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], tube[2];

static void *send_later(void *arg)
{
	(void)arg;
	usleep(1000);
	assert(send(ends[1], "x", 1, 0) == 1);
	usleep(1000);
	assert(write(tube[1], "y", 1) == 1);
	return NULL;
}

int main(void)
{
	pthread_t sender;
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || pipe2(tube, O_NONBLOCK) != 0)
		return 77;
	pthread_create(&sender, NULL, send_later, NULL);
	while (recv(ends[0], &byte, 1, MSG_DONTWAIT) < 0)
		continue;
	assert(byte == 'x');
	while (read(tube[0], &byte, 1) < 0)
		continue;
	assert(byte == 'y');
	pthread_join(sender, NULL);
	return 0;
}
