/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child_orders HOW FAILS: a thread lets a child process go on, another one looks at what it has done. It fails if that
 * is FAILS: 0 before, 1 behind. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILE_NAME "made"

static const char *how;
static int ends[2], others[2], found, set, signals;
static volatile int *shared;
static pid_t child;
extern char **environ;

static int is(const char *name)
{
	return !strcmp(how, name);
}

static void await(int fd)
{
	char byte;

	if (read(fd, &byte, 1) < 0)
		_exit(1);
}

/* ---- the child */

static void rings(int signal)
{
	(void)signal;
}

static void waits_for_timer(void)
{
	static const struct itimerval soon = {.it_value = {.tv_usec = 200000}};

	signal(SIGALRM, rings);
	setitimer(ITIMER_REAL, &soon, NULL);
	pause();
}

static void waits(void)
{
	if (is("futex"))
		while (!shared[1])
			syscall(SYS_futex, &shared[1], FUTEX_WAIT, 0, NULL, NULL, 0);
	else if (is("semop"))
		semop(set, &(struct sembuf){.sem_op = -1}, 1);
	else if (is("semaphore"))
		sem_wait((sem_t *)&shared[8]);
	else if (is("drains"))
		for (int i = 0; i < 17; i++) {
			static char block[4096];

			if (write(ends[1], block, sizeof(block)) < 0)
				_exit(1);
		}
	else if (is("sleeps"))
		usleep(200000);
	else if (is("timer"))
		waits_for_timer();
	else
		await(ends[0]);
}

static void acts(void)
{
	close(is("drains") ? ends[0] : ends[1]);
	waits();
	if (shared)
		shared[0] = 1;
	if (is("reads"))
		close(open(FILE_NAME, O_CREAT | O_WRONLY, 0600));
	if (shared || is("reads"))
		await(others[0]); /* which nobody writes to */
	_exit(0);
}

static void starts(void)
{
	child = fork();
	if (child == 0)
		acts();
}

/* Its parent ends before it does. */
static void starts_orphan(void)
{
	const pid_t between = fork();

	if (between == 0) {
		close(others[1]);
		starts();
		_exit(0);
	}
	waitpid(between, NULL, 0);
}

/* ---- the threads */

static void spawns(void)
{
	char *words[] = {"sh", "-c", "echo > " FILE_NAME, NULL};
	pid_t pid;

	assert(!posix_spawn(&pid, "/bin/sh", NULL, NULL, words, environ));
}

static void *lets_go(void *arg)
{
	static char block[4096];

	if (is("futex")) {
		__atomic_store_n(&shared[1], 1, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &shared[1], FUTEX_WAKE, 1, NULL, NULL, 0);
	} else if (is("semop")) {
		semop(set, &(struct sembuf){.sem_op = 1}, 1);
	} else if (is("semaphore")) {
		sem_post((sem_t *)&shared[8]);
	} else if (is("drains")) {
		assert(read(ends[0], block, sizeof(block)) > 0);
	} else if (is("spawns")) {
		spawns();
	} else if (is("sends")) {
		syscall(SYS_pidfd_send_signal, set, SIGKILL, NULL, 0);
	} else if (!is("sleeps") && !is("timer")) {
		assert(write(ends[1], "x", 1) == 1);
	}
	return arg;
}

static void *looks(void *arg)
{
	static const struct timespec at_once;
	struct signalfd_siginfo record;
	siginfo_t info = {0};
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	if (is("waitid"))
		found = !waitid(P_ALL, 0, &info, WEXITED | WNOHANG) && info.si_pid;
	else if (is("signalfd"))
		found = read(signals, &record, sizeof(record)) > 0;
	else if (is("sigtimedwait"))
		found = sigtimedwait(&ended, NULL, &at_once) > 0;
	else if (is("reads") || is("spawns"))
		found = !access(FILE_NAME, F_OK);
	else if (shared)
		found = shared[0];
	else
		found = waitpid(child, NULL, WNOHANG) > 0;
	return arg;
}

static void together(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, a, NULL);
	pthread_create(&threads[1], NULL, b, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

static void prepare(void)
{
	sigset_t ended;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	pthread_sigmask(is("signalfd") || is("sigtimedwait") ? SIG_BLOCK : SIG_UNBLOCK, &ended, NULL);
	if (is("signalfd"))
		signals = signalfd(-1, &ended, SFD_NONBLOCK);
	if (strstr("shared orphan futex semaphore semop drains sleeps", how))
		shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (is("semaphore"))
		sem_init((sem_t *)&shared[8], 1, 0);
	if (is("semop"))
		set = semget(IPC_PRIVATE, 1, 0600);
	assert(!pipe(ends) && !pipe(others));
}

/* Nobody else is there while it waits for a child that sleeps. */
static int waits_alone(void)
{
	char line[8] = "";
	FILE *from = popen("sleep 0.1; echo 5", "r");

	assert(from && fgets(line, sizeof(line), from) && !pclose(from) && !system("sleep 0.1"));
	together(lets_go, lets_go);
	return atoi(line) == 5;
}

int main(int argc, char **argv)
{
	how = argc > 2 ? argv[1] : "";
	prepare();
	if (is("alone"))
		return !waits_alone();
	if (is("orphan"))
		starts_orphan();
	else if (!is("spawns"))
		starts();
	if (is("sends"))
		set = (int)syscall(SYS_pidfd_open, child, 0);
	together(looks, lets_go);
	if (is("semop"))
		semctl(set, 0, IPC_RMID);
	unlink(FILE_NAME);
	if (child > 0)
		kill(child, SIGKILL);
	assert(found != atoi(argv[2]));
	return 0;
}
