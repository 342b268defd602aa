/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The child of vfork() ends in the memory of its parent. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, add, NULL))
		return 2;
	const pid_t child = vfork();

	if (child == 0)
		_exit(0);
	if (child < 0 || waitpid(child, NULL, 0) != child)
		return 3;
	pthread_join(thread, NULL);
	return counter != 1;
}
