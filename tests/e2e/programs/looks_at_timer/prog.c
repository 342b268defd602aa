/* SPDX-License-Identifier: GPL-2.0-or-later */
/* looks_at_timer HOW FAILS: a timer is set; one thread waits for it, or looks without waiting whether it has gone off,
 * and then at what another one writes. It fails if that is FAILS: what was written by then, and 10 more if it had. */
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const char *how;
static int timer, signals, found;
static volatile int written;
static sigset_t alarms;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static int looks_by_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	const int all = epoll_create1(0);

	epoll_ctl(all, EPOLL_CTL_ADD, timer, &event);
	return epoll_wait(all, &event, 1, 0) > 0;
}

/* Has it gone off? Who waits does not count. */
static int looks(void)
{
	static const struct timespec at_once;
	struct pollfd of_timer = {timer, POLLIN, 0};
	struct signalfd_siginfo record;
	sigset_t pending;
	uint64_t count;
	int signal;

	if (is("rounds"))
		return 0;
	if (is("reads"))
		return read(timer, &count, sizeof(count)) > 0;
	if (is("polls"))
		return poll(&of_timer, 1, 0) > 0;
	if (is("epolls"))
		return looks_by_epoll();
	if (is("reads-signal"))
		return read(signals, &record, sizeof(record)) > 0;
	if (is("takes-signal"))
		return sigtimedwait(&alarms, NULL, &at_once) > 0;
	if (is("pending"))
		return !sigpending(&pending) && sigismember(&pending, SIGALRM);
	if (is("waits-signal"))
		return sigwait(&alarms, &signal) != 0;
	return read(signals, &record, sizeof(record)) < 0; /* waits-reading */
}

/* It goes off again and again, and is looked at twice as often. */
static void awaits_two(void)
{
	static const struct itimerspec often = {.it_value = {.tv_nsec = 2000000}, .it_interval = {.tv_nsec = 2000000}};
	uint64_t count;
	int seen = 0;

	timerfd_settime(timer, 0, &often, NULL);
	while (seen < 2)
		if (read(timer, &count, sizeof(count)) > 0)
			seen++;
		else
			usleep(1000);
}

static void *reader(void *arg)
{
	if (is("rounds"))
		awaits_two();
	found = 10 * looks();
	found += written;
	return arg;
}

static void *writer(void *arg)
{
	written = 1;
	return arg;
}

int main(int argc, char **argv)
{
	static const struct itimerspec soon = {.it_value = {.tv_nsec = 30000000}};
	static const struct itimerval alarm_soon = {.it_value = {.tv_usec = 30000}};
	pthread_t threads[2];

	how = argc > 2 ? argv[1] : "";
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	signals = signalfd(-1, &alarms, is("reads-signal") ? SFD_NONBLOCK : 0);
	if (strstr(how, "signal") || is("pending") || is("waits-reading"))
		setitimer(ITIMER_REAL, &alarm_soon, NULL);
	else
		timerfd_settime(timer, 0, &soon, NULL);
	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, writer, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(found != atoi(argv[2]));
	return 0;
}
