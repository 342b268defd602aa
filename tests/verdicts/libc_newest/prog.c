/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function of libc that libtsan wraps and that has two versions: the program must get the new one, which takes no buffer. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static void *look(void *arg)
{
	(void)arg;
	errno = 0;
	assert(!realpath("no-such-file", NULL) && errno == ENOENT); /* the old one: EINVAL */
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, look, NULL);
	pthread_join(thread, NULL);
	return 0;
}
