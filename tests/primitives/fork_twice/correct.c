/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads that start a program each, at the same time. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static void *start(void *arg)
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		execlp("true", "true", (char *)NULL);
		_exit(9);
	}
	assert(waitpid(child, &status, 0) == child && status == 0);
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, start, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
