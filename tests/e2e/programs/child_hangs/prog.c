/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fork while the parent holds a lock that its child takes: the child never ends, the parent waits for it. */
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *start(void *arg)
{
	pid_t child;

	pthread_mutex_lock(&lock);
	child = fork();
	if (!child) {
		pthread_mutex_lock(&lock);
		_exit(0);
	}
	pthread_mutex_unlock(&lock);
	waitpid(child, NULL, 0);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, start, NULL);
	pthread_join(t, NULL);
	return 0;
}
