// SPDX-License-Identifier: GPL-2.0-or-later
// The main thread waits for its child by sigsuspend(), beside a worker.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t ended;
static int worked;

static void on_child(int signal)
{
	(void)signal;
	ended = 1;
}

static void *works(void *arg)
{
	pthread_mutex_lock(&lock);
	worked++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	const struct sigaction action = { .sa_handler = on_child };
	sigset_t blocked, before;
	pthread_t t;
	pid_t pid;

	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &blocked, &before);
	pthread_create(&t, NULL, works, NULL);
	pid = fork();
	if (pid == 0) {
		usleep(500);
		_exit(0);
	}
	while (!ended)
		sigsuspend(&before);
	assert(waitpid(pid, NULL, 0) == pid);
	pthread_join(t, NULL);
	assert(worked == 1);
	return 0;
}
