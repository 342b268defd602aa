/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that waits for input is woken by shutdown(), not by close(). Another one waits at a descriptor that is
 * closed: what comes then it gets, if it has begun to wait before. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

static int shut[2], closed[2];

static void *take_end(void *arg)
{
	char byte;

	(void)arg;
	assert(read(shut[0], &byte, 1) == 0);
	return NULL;
}

static void *take_byte(void *arg)
{
	char byte;
	const ssize_t r = read(closed[0], &byte, 1);

	(void)arg;
	assert(r == 1 || (r < 0 && errno == EBADF));
	return NULL;
}

int main(void)
{
	pthread_t end, byte;

	socketpair(AF_UNIX, SOCK_STREAM, 0, shut);
	assert(pipe(closed) == 0);
	pthread_create(&end, NULL, take_end, NULL);
	shutdown(shut[0], SHUT_RDWR);
	pthread_join(end, NULL);
	close(shut[0]);
	signal(SIGPIPE, SIG_IGN);
	pthread_create(&byte, NULL, take_byte, NULL);
	close(closed[0]);
	if (write(closed[1], "x", 1) < 0)
		assert(errno == EPIPE);
	close(closed[1]);
	pthread_join(byte, NULL);
	return 0;
}
