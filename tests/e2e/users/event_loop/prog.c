// SPDX-License-Identifier: GPL-2.0-or-later
// An event loop: epoll over a socket pair for each client, an eventfd that others wake it with, and a timer.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define CLIENTS 2

struct task {
	struct task *next;
	void (*call)(void *);
	void *arg;
};

struct loop {
	int epoll, wake, timer;
	pthread_mutex_t lock;
	struct task *tasks;
	int stopped, ticks, echoed;
};

static void watch(struct loop *l, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	assert(epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) == 0);
}

static void post(struct loop *l, void (*call)(void *), void *arg)
{
	struct task *t = malloc(sizeof(*t));
	uint64_t one = 1;

	assert(t);
	t->call = call;
	t->arg = arg;
	pthread_mutex_lock(&l->lock);
	t->next = l->tasks;
	l->tasks = t;
	pthread_mutex_unlock(&l->lock);
	assert(write(l->wake, &one, sizeof(one)) == sizeof(one));
}

static void run_tasks(struct loop *l)
{
	struct task *t;
	uint64_t n;

	assert(read(l->wake, &n, sizeof(n)) == sizeof(n) && n);
	pthread_mutex_lock(&l->lock);
	t = l->tasks;
	l->tasks = NULL;
	pthread_mutex_unlock(&l->lock);
	while (t) {
		struct task *next = t->next;

		t->call(t->arg);
		free(t);
		t = next;
	}
}

static void echo(struct loop *l, int fd)
{
	char text[64];
	ssize_t got = read(fd, text, sizeof(text));

	if (got <= 0) {
		epoll_ctl(l->epoll, EPOLL_CTL_DEL, fd, NULL);
		close(fd);
		return;
	}
	assert(send(fd, text, (size_t)got, MSG_NOSIGNAL) == got);
	l->echoed++;
}

static void *serve(void *arg)
{
	struct loop *l = arg;
	struct epoll_event events[4];

	while (!l->stopped) {
		int n = epoll_wait(l->epoll, events, 4, -1);

		assert(n > 0 || errno == EINTR);
		for (int i = 0; i < n; i++) {
			uint64_t times;

			if (events[i].data.fd == l->wake)
				run_tasks(l);
			else if (events[i].data.fd == l->timer)
				l->ticks += read(l->timer, &times, sizeof(times)) == sizeof(times);
			else
				echo(l, events[i].data.fd);
		}
	}
	return NULL;
}

static void stop(void *arg)
{
	((struct loop *)arg)->stopped = 1;
}

static void *ask(void *arg)
{
	int fd = *(int *)arg;
	char text[8];

	for (int i = 0; i < 2; i++) {
		assert(write(fd, "hello", 5) == 5);
		assert(read(fd, text, sizeof(text)) == 5 && memcmp(text, "hello", 5) == 0);
	}
	close(fd);
	return NULL;
}

int main(void)
{
	struct itimerspec every = { .it_value.tv_nsec = 10000000, .it_interval.tv_nsec = 10000000 };
	struct loop loop = { .epoll = epoll_create1(EPOLL_CLOEXEC), .wake = eventfd(0, EFD_CLOEXEC) };
	pthread_t server, clients[CLIENTS];
	int pairs[CLIENTS][2];

	pthread_mutex_init(&loop.lock, NULL);
	loop.timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	assert(loop.epoll >= 0 && loop.wake >= 0 && loop.timer >= 0);
	assert(timerfd_settime(loop.timer, 0, &every, NULL) == 0);
	watch(&loop, loop.wake);
	watch(&loop, loop.timer);
	for (int i = 0; i < CLIENTS; i++) {
		assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]) == 0);
		watch(&loop, pairs[i][0]);
	}
	assert(pthread_create(&server, NULL, serve, &loop) == 0);
	for (int i = 0; i < CLIENTS; i++)
		assert(pthread_create(&clients[i], NULL, ask, &pairs[i][1]) == 0);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	post(&loop, stop, &loop);
	pthread_join(server, NULL);
	assert(loop.echoed == 2 * CLIENTS);
	close(loop.epoll);
	close(loop.wake);
	close(loop.timer);
	return 0;
}
