/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timed_child HOW: waits, and then makes a file. It names no function that sets a timer and leaves no trace of it. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SOON 200000 /* microseconds */

static void rings(int signal)
{
	(void)signal;
}

int main(int argc, char **argv)
{
	static const struct itimerspec soon = {.it_value = {.tv_nsec = SOON * 1000}};
	static const struct timeval patience = {.tv_usec = SOON};
	const char *how = argc > 1 ? argv[1] : "";
	uint64_t count;
	timer_t timer;
	int ends[2], fd;

	signal(SIGALRM, rings);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 1;
	if (!strcmp(how, "timer")) {
		timer_create(CLOCK_MONOTONIC, NULL, &timer);
		timer_settime(timer, 0, &soon, NULL);
		pause();
	} else if (!strcmp(how, "descriptor")) {
		fd = timerfd_create(CLOCK_MONOTONIC, 0);
		timerfd_settime(fd, 0, &soon, NULL);
		fd = read(fd, &count, sizeof(count)) < 0;
	} else if (!strcmp(how, "socket")) {
		setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		recv(ends[0], &count, 1, 0);
	} else if (!strcmp(how, "quiet")) {
		recv(ends[0], &count, 1, 0);
	} else if (read(0, &count, 1) < 0) {
		return 1;
	}
	close(open("made", O_CREAT | O_WRONLY, 0600));
	pause();
	return 0;
}
