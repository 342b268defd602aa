/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that is there before main: what one run writes to it is not there in the next. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int fd;

__attribute__((constructor)) static void make_file(void)
{
	fd = memfd_create("early", 0);
}

static void *put(void *arg)
{
	assert(pwrite(fd, "a", 1, 0) == 1);
	return arg;
}

static void *get(void *arg)
{
	char c;

	assert(pread(fd, &c, 1, 0) == 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, put, NULL);
	pthread_create(&b, NULL, get, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
