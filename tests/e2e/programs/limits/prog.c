// SPDX-License-Identifier: GPL-2.0-or-later
// A correct program that makes argv[2] of what argv[1] names, within what the system allows. With a third argument it
// fails behind the last of them, and what is told of that takes knowing of them all.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t *mutexes;
static bool fails;

static void *nothing(void *arg)
{
	return arg;
}

static void *holds(void *last)
{
	pthread_mutex_lock(last);
	return NULL;
}

static void threads(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t t;

		assert(pthread_create(&t, NULL, nothing, NULL) == 0);
		pthread_join(t, NULL);
	}
}

static void timers(int n)
{
	struct sigevent nobody = {.sigev_notify = SIGEV_NONE};
	timer_t *all = calloc((size_t)n, sizeof(*all));

	for (int i = 0; i < n; i++)
		assert(timer_create(CLOCK_MONOTONIC, &nobody, &all[i]) == 0);
	for (int i = 0; i < n; i++)
		assert(timer_settime(all[i], 0, &(struct itimerspec){.it_value = {.tv_sec = i + 1}}, NULL) == 0);
	for (int i = 0; i < n; i++) {
		struct itimerspec left;

		assert(timer_gettime(all[i], &left) == 0 && left.it_value.tv_sec <= i + 1 && left.it_value.tv_sec >= i);
	}
}

static void epolls(int n)
{
	const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	int last = -1;

	for (int i = 0; i < n; i++) {
		last = epoll_create1(0);
		assert(epoll_ctl(last, EPOLL_CTL_ADD, timer, &(struct epoll_event){.events = EPOLLIN}) == 0);
	}
	timerfd_settime(timer, 0, &(struct itimerspec){.it_value = {.tv_sec = 1}}, NULL);
	assert(epoll_wait(last, &(struct epoll_event){0}, 1, -1) == 1);
}

static void descriptors(int n)
{
	for (int i = 0; i < n; i++)
		assert(timerfd_create(CLOCK_MONOTONIC, 0) >= 0);
}

static sigset_t only(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

static void signalfds(int n)
{
	const sigset_t set = only(SIGUSR1);

	for (int i = 0; i < n; i++)
		assert(signalfd(-1, &set, 0) >= 0);
}

static void signals(int n)
{
	const sigset_t set = only(SIGRTMIN);
	siginfo_t info;

	for (int i = 0; i < n; i++)
		assert(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) == 0);
	for (int i = 0; i < n; i++)
		assert(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == i);
}

static void robust(int n)
{
	pthread_mutexattr_t attr;
	pthread_t t;

	mutexes = calloc((size_t)n, sizeof(*mutexes));
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	for (int i = 0; i < n; i++) {
		pthread_mutex_init(&mutexes[i], &attr);
		if (i < n - 1)
			pthread_mutex_lock(&mutexes[i]);
	}
	pthread_create(&t, NULL, holds, &mutexes[n - 1]);
	pthread_join(t, NULL);
	assert(pthread_mutex_lock(&mutexes[n - 1]) == EOWNERDEAD);
}

static void semaphores(int n)
{
	char name[64];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "/vtb-limits-%d-%d", (int)getpid(), i);
		assert(sem_open(name, O_CREAT | O_EXCL, 0600, 1) != SEM_FAILED);
		sem_unlink(name);
	}
}

static void file_locks(int n)
{
	for (int i = 0; i < n; i++) {
		FILE *f = tmpfile();

		assert(f && flock(fileno(f), LOCK_EX) == 0);
	}
}

static void ids(int n)
{
	for (int i = 0; i < n; i++) {
		const int id = semget(IPC_PRIVATE, 1, 0600);
		struct sembuf up = {.sem_op = 1};

		assert(id >= 0 && semop(id, &up, 1) == 0);
		semctl(id, 0, IPC_RMID);
	}
}

static void sembufs(int n)
{
	struct sembuf *up = calloc((size_t)n, sizeof(*up));
	const int id = semget(IPC_PRIVATE, 1, 0600);

	for (int i = 0; i < n; i++)
		up[i].sem_op = 1;
	assert(semop(id, up, (size_t)n) == -1 && errno == E2BIG);
	semctl(id, 0, IPC_RMID);
}

/* Before main, and given back in it. */
static void **early_blocks;

__attribute__((constructor)) static void make_early(int argc, char **argv)
{
	const int n = argc > 2 && !strcmp(argv[1], "EARLY") ? atoi(argv[2]) : 0;

	early_blocks = calloc((size_t)n + 1, sizeof(*early_blocks));
	for (int i = 0; i < n; i++)
		early_blocks[i] = malloc(24);
}

static void early(int n)
{
	for (int i = 0; i < n; i++)
		free(early_blocks[i]);
	free(early_blocks);
}

static int depth;
static char *volatile block;

__attribute__((noinline)) static void innermost(void)
{
	block = calloc(1, 8);
	free(block);
	depth += fails && block[0];
}

__attribute__((noinline)) static void last_caller(void)
{
	innermost();
	depth--;
}

__attribute__((noinline)) static void frames(int n)
{
	depth++;
	if (n > 0)
		frames(n - 1);
	else
		last_caller();
	depth--;
}

static pthread_cond_t *conds;

static void lost(int n)
{
	conds = calloc((size_t)n, sizeof(*conds));
	for (int i = 0; i < n; i++) {
		pthread_cond_init(&conds[i], NULL);
		pthread_cond_signal(&conds[i]);
	}
	if (!fails)
		return;
	mutexes = calloc(1, sizeof(*mutexes));
	pthread_mutex_init(mutexes, NULL);
	pthread_mutex_lock(mutexes);
	pthread_cond_wait(&conds[n - 1], mutexes);
}

#define PAGE 4096
static char pages_of[1 << 17][PAGE]; /* of which runs change some: each run finds them as they were */

static void pages(int n)
{
	assert(n < 1 << 17);
	for (int i = 0; i < n; i++) {
		assert(!pages_of[i][i % PAGE]);
		pages_of[i][i % PAGE] = 1;
	}
}

/* Of directories that were there before: the test has made them. */
static void levels(int n)
{
	(void)n;
	assert(rename("levels", "moved") == 0);
}

static const struct {
	const char *name;
	void (*make)(int n);
} makers[] = {
	{"THREADS", threads}, {"EPOLLS", epolls}, {"DESCRIPTORS", descriptors}, {"TIMERS", timers}, {"SIGNALFDS", signalfds},
	{"SIGNALS", signals}, {"ROBUST", robust}, {"SEMAPHORES", semaphores}, {"FILE_LOCKS", file_locks}, {"IDS", ids},
	{"SEMBUFS", sembufs}, {"EARLY", early}, {"FRAMES", frames}, {"LOST", lost}, {"PAGES", pages}, {"LEVELS", levels},
};

int main(int argc, char **argv)
{
	const sigset_t set = only(SIGRTMIN);
	pthread_t t;

	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL);
	fails = argc == 4;
	for (size_t i = 0; argc >= 3 && i < sizeof(makers) / sizeof(*makers); i++)
		if (!strcmp(argv[1], makers[i].name)) {
			makers[i].make(atoi(argv[2]));
			return 0;
		}
	return 2;
}
