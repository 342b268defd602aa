// SPDX-License-Identifier: GPL-2.0-or-later
// A process that uses its own ids: for signals, below /proc, in a lock file, against its child's.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t at_start; /* a library may keep it to see a fork */
static pid_t signalled_by;
static volatile int handled;

__attribute__((constructor)) static void keep(void)
{
	at_start = getpid();
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	signalled_by = info->si_pid;
	handled++;
}

static void *works(void *arg)
{
	char path[64], name[32];
	FILE *f;

	assert(getpid() == at_start && gettid() != getpid());
	assert(syscall(SYS_gettid) == gettid() && syscall(SYS_getpid) == getpid());
	assert(kill(getpid(), 0) == 0 && tgkill(getpid(), gettid(), 0) == 0);
	assert(tgkill(getpid(), gettid() + 12345, 0) < 0 && errno == ESRCH);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", getpid(), gettid());
	f = fopen(path, "r");
	assert(f && fgets(name, sizeof(name), f));
	fclose(f);
	return arg;
}

static void await(int n)
{
	while (handled < n)
		usleep(1000);
	assert(handled == n && signalled_by == getpid());
}

static void signals(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &action, NULL);
	kill(getpid(), SIGUSR1);
	await(1);
	tgkill(getpid(), gettid(), SIGUSR1);
	await(2);
	raise(SIGUSR1);
	await(3);
}

static void child(void)
{
	const pid_t parent = getpid();
	int status;
	const pid_t pid = fork();

	if (pid == 0)
		_exit(getppid() == parent && getpid() != parent && kill(parent, 0) == 0 ? 0 : 1);
	assert(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	(void)argv;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, works, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(getpid() == at_start && gettid() == getpid());
	signals();
	if (argc == 1)
		child();
	return 0;
}
