/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child without exec that has a thread of its own and returns from main, and a thread in the parent. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
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

int main(void)
{
	pthread_t threads[1];

	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		pthread_create(&threads[0], NULL, add, NULL);
		pthread_join(threads[0], NULL);
		return counter != 1;
	}
	pthread_create(&threads[0], NULL, add, NULL);
	for (int i = 0; i < 1; i++)
		pthread_join(threads[i], NULL);
	assert(waitpid(pid, &status, 0) == pid && status == 0);
	assert(counter == 1);
	return 0;
}
