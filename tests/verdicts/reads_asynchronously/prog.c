/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads with a thread that libc makes for it, inside: no bug, and nothing that could be controlled. */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>

static char text[16];
static int counter;

static void *add(void *arg)
{
	__atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	struct aiocb request = { .aio_fildes = open("/dev/zero", O_RDONLY), .aio_buf = text, .aio_nbytes = sizeof(text) };
	const struct aiocb *const list[] = { &request };
	pthread_t thread;

	if (pthread_create(&thread, NULL, add, NULL) || aio_read(&request))
		return 2;
	while (aio_error(&request) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	pthread_join(thread, NULL);
	return counter != 1;
}
