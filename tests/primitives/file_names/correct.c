/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who looks for the file and opens it keeps others from taking it away in between. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER;
static char name[] = "/tmp/vtb-names-XXXXXX";

static void *clean(void *arg)
{
	pthread_mutex_lock(&names);
	unlink(name);
	pthread_mutex_unlock(&names);
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
	pthread_mutex_lock(&names);
	if (access(name, R_OK) == 0) {
		fd = open(name, O_RDONLY);
		unlink(name);
		assert(fd >= 0);
	}
	pthread_mutex_unlock(&names);
	pthread_join(thread, NULL);
	return 0;
}
