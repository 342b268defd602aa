/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child process answers after a while, over a pipe, a pair of sockets, or by its end; the parent gives each a minute. */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define LATE_USEC 60000

static void *nothing(void *arg)
{
	return arg;
}

static pid_t start(const int *ends)
{
	const pid_t child = fork();

	if (child == 0) {
		usleep(LATE_USEC);
		_exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
	}
	return child;
}

static int waits_for(int fd, const char *how)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };
	struct timeval minute = { .tv_sec = 60 };
	fd_set set;

	if (strcmp(how, "select"))
		return poll(&one, 1, 60000);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, &set, NULL, NULL, &minute);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "poll";
	pthread_t thread;
	int ends[2], status;
	pid_t child;

	if (strcmp(how, "pair") ? pipe(ends) != 0 : socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 77;
	child = start(ends);
	if (strcmp(how, "pair") && strcmp(how, "end"))
		close(ends[1]);
	pthread_create(&thread, NULL, nothing, NULL);
	if (!strcmp(how, "end"))
		alarm(60); /* kills */
	else
		assert(waits_for(ends[0], how) == 1);
	assert(waitpid(child, &status, 0) == child && status == 0);
	pthread_join(thread, NULL);
	return 0;
}
