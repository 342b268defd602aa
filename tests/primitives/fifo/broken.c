/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A named pipe: who opens it to write does not wait for a reader, and there may be none. It has lost its name before the threads begin. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static int message;

static void *send(void *arg)
{
	const int fd = open(path, O_WRONLY | O_NONBLOCK);

	(void)arg;
	assert(fd >= 0);
	message = 7;
	assert(write(fd, "x", 1) == 1);
	close(fd);
	return NULL;
}

static void *receive(void *arg)
{
	const int fd = open(path, O_RDONLY);
	char byte;

	(void)arg;
	assert(fd >= 0);
	assert(read(fd, &byte, 1) == 1 && message == 7);
	assert(read(fd, &byte, 1) == 0);
	close(fd);
	return NULL;
}

int main(void)
{
	char directory[] = "/tmp/vtb-fifo-XXXXXX", name[64];
	pthread_t threads[2];

	if (!mkdtemp(directory))
		return 77;
	snprintf(name, sizeof(name), "%s/fifo", directory);
	if (mkfifo(name, 0600) != 0)
		return 77;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", open(name, O_PATH));
	unlink(name);
	rmdir(directory);
	pthread_create(&threads[0], NULL, receive, NULL);
	pthread_create(&threads[1], NULL, send, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
