/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread closes what another is still to read from: told as that. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int fd;

static void *ends(void *arg)
{
	close(fd);
	return arg;
}

int main(void)
{
	pthread_t t;
	char c;

	fd = open("/dev/zero", O_RDONLY);
	pthread_create(&t, 0, ends, 0);
	assert(read(fd, &c, 1) == 1);
	pthread_join(t, 0);
	return 0;
}
