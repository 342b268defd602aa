/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that was there when it was looked for may be gone when it is opened. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static char name[] = "/tmp/vtb-names-XXXXXX";

static void *clean(void *arg)
{
	unlink(name);
	return arg;
}

int main(void)
{
	pthread_t thread;
	int fd = mkstemp(name);

	if (fd < 0)
		return 77;
	close(fd);
	pthread_create(&thread, NULL, clean, NULL);
	if (access(name, R_OK) == 0) {
		fd = open(name, O_RDONLY);
		unlink(name);
		assert(fd >= 0);
	}
	pthread_join(thread, NULL);
	return 0;
}
