/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread looks again and again whether a child has ended, which another thread lets it do. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

static void *feed(void *arg)
{
	assert(write(ends[1], "x", 1) == 1);
	return arg;
}

int main(void)
{
	pthread_t thread;
	char byte;
	pid_t pid, ended;

	if (pipe(ends) != 0)
		return 77;
	pid = fork();
	if (pid == 0)
		_exit(read(ends[0], &byte, 1) != 1);
	pthread_create(&thread, NULL, feed, NULL);
	do
		ended = waitpid(pid, NULL, WNOHANG);
	while (ended == 0);
	assert(ended == pid);
	pthread_join(thread, NULL);
	return 0;
}
