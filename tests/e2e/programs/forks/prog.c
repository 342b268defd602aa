/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A threaded program that forks without exec in the middle of a run; the child uses a thread of its own. */
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int child(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, add, NULL))
		return 4;
	pthread_join(thread, NULL);
	return 0;
}

int main(void)
{
	pthread_t thread;
	int status;
	pid_t pid;

	pthread_create(&thread, NULL, add, NULL);
	pid = fork();
	if (pid == 0)
		_exit(child());
	if (waitpid(pid, &status, 0) != pid || status)
		return 5;
	pthread_join(thread, NULL);
	return counter == 1 ? 0 : 6;
}
