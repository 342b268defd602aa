// SPDX-License-Identifier: GPL-2.0-or-later
// An event loop as libevent's: the handler of SIGCHLD writes to a pipe, the loop polls that and collects the children.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2], ended, jobs_left = 2;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_child(int signal)
{
	const int error = errno;

	(void)signal;
	assert(write(ends[1], "c", 1) == 1);
	errno = error;
}

static void *starts(void *arg)
{
	const pid_t pid = fork();

	if (pid == 0) {
		usleep(1000);
		_exit(3);
	}
	assert(pid > 0);
	return arg;
}

static void collect(void)
{
	int status;

	while (waitpid(-1, &status, WNOHANG) > 0) {
		assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
		pthread_mutex_lock(&lock);
		jobs_left--;
		ended++;
		pthread_mutex_unlock(&lock);
	}
}

static int is_busy(void)
{
	int left;

	pthread_mutex_lock(&lock);
	left = jobs_left;
	pthread_mutex_unlock(&lock);
	return left;
}

static void *loop(void *arg)
{
	struct pollfd wakes = { ends[0], POLLIN, 0 };
	char bytes[16];

	while (is_busy()) {
		if (poll(&wakes, 1, -1) < 0) {
			assert(errno == EINTR);
			continue;
		}
		while (read(ends[0], bytes, sizeof(bytes)) > 0)
			;
		collect();
	}
	return arg;
}

int main(void)
{
	const struct sigaction action = { .sa_handler = on_child, .sa_flags = SA_RESTART };
	pthread_t loops, t[2];

	assert(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
	sigaction(SIGCHLD, &action, NULL);
	pthread_create(&loops, NULL, loop, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, starts, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	pthread_join(loops, NULL);
	assert(ended == 2);
	return 0;
}
