/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A log that is rotated while a line is written: the descriptor was looked up before, and is not open just then. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int fd;

static int current(void)
{
	int now;

	pthread_mutex_lock(&lock);
	now = fd;
	pthread_mutex_unlock(&lock);
	return now;
}

static void *writes(void *arg)
{
	assert(write(current(), "line\n", 5) == 5);
	return arg;
}

int main(void)
{
	pthread_t t;

	fd = open("/dev/null", O_WRONLY);
	pthread_create(&t, 0, writes, 0);
	pthread_mutex_lock(&lock);
	close(fd);
	fd = open("/dev/null", O_WRONLY);
	pthread_mutex_unlock(&lock);
	pthread_join(t, 0);
	return 0;
}
