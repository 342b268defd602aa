// SPDX-License-Identifier: GPL-2.0-or-later
// A library with a recursive lock, handlers at fork and at exit; callbacks call back into it.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void sink(const char *line, void *arg);

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
	sink *call;
	void *arg;
} sinks[4];
static int used, depth, forks;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
	forks++;
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void make_lock(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

/* In the child it is made anew: its owner's number is that of a thread of the parent. */
static void init(void)
{
	make_lock();
	pthread_atfork(before_fork, after_fork, make_lock);
}

static void add_sink(sink *call, void *arg)
{
	pthread_once(&once, init);
	pthread_mutex_lock(&lock);
	assert(used < 4);
	sinks[used].call = call;
	sinks[used++].arg = arg;
	pthread_mutex_unlock(&lock);
}

static void say(const char *line)
{
	pthread_once(&once, init);
	pthread_mutex_lock(&lock);
	if (depth++ < 2)
		for (int i = 0; i < used; i++)
			sinks[i].call(line, sinks[i].arg);
	depth--;
	pthread_mutex_unlock(&lock);
}

static void counts(const char *line, void *arg)
{
	*(int *)arg += (int)strlen(line);
}

static void warns(const char *line, void *arg)
{
	(void)arg;
	if (line[0] == '!')
		say("warned");
}

static void *work(void *arg)
{
	say("line");
	say(arg);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	int letters = 0, status;
	pid_t child;

	add_sink(counts, &letters);
	add_sink(warns, NULL);
	assert(pthread_create(&a, NULL, work, "!x") == 0 && pthread_create(&b, NULL, work, "y") == 0);
	child = fork();
	assert(child >= 0);
	if (!child) {
		say("from the child");
		_exit(letters >= 14 ? 0 : 1);
	}
	assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(letters == 4 + 2 + 6 + 4 + 1 && forks == 1);
	return 0;
}
