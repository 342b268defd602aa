// SPDX-License-Identifier: GPL-2.0-or-later
// SIGCHLD is blocked and read from a signalfd in an epoll loop.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int worked;

static void *works(void *arg)
{
	pthread_mutex_lock(&lock);
	worked++;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void await(int loop, int fd, int children)
{
	struct signalfd_siginfo info;
	struct epoll_event event;

	while (children) {
		assert(epoll_wait(loop, &event, 1, -1) == 1 && event.data.fd == fd);
		while (read(fd, &info, sizeof(info)) == sizeof(info))
			assert(info.ssi_signo == SIGCHLD);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			children--;
	}
}

int main(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	sigset_t set;
	pthread_t t;
	int fd, loop;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	loop = epoll_create1(EPOLL_CLOEXEC);
	event.data.fd = fd;
	epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event);
	pthread_create(&t, NULL, works, NULL);
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			usleep(500);
			_exit(0);
		}
	await(loop, fd, 2);
	pthread_join(t, NULL);
	assert(worked == 1);
	return 0;
}
