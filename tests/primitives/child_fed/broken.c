/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child that ends when another thread tells it how, perhaps before it knows, while this one waits for it. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static volatile char answer;

static void *feed(void *arg)
{
	const char byte = answer;

	assert(write(ends[1], &byte, 1) == 1);
	return arg;
}

static int child(void)
{
	char byte = 0;

	return read(ends[0], &byte, 1) == 1 ? byte : 99;
}

int main(void)
{
	pthread_t thread;
	int status;
	pid_t pid;

	if (pipe(ends) != 0)
		return 77;
	pid = fork();
	if (pid == 0)
		_exit(child());
	pthread_create(&thread, NULL, feed, NULL);
	answer = 7;
	assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	pthread_join(thread, NULL);
	assert(WEXITSTATUS(status) == 7);
	return 0;
}
