/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library with handlers for exit() that its constructor registers, before main. Built as `one` and as `two`, which
 * needs it; with MIXED in the environment `two` has one more handler of `one` registered between its own. A handler of
 * `one` ends and joins its helper, if main has started it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__dso_handle;
int __cxa_atexit(void (*handler)(void *), void *arg, void *module);
void tell_of_one(const char *what);
void start_helper(void);

static int times;

static void say(void *what)
{
	printf("%s: %s, call %d\n", LIBRARY, (const char *)what, ++times);
}

static void tell(const char *what)
{
	__cxa_atexit(say, (void *)what, &__dso_handle);
}

#ifdef IS_ONE
void tell_of_one(const char *what)
{
	tell(what);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static pthread_t helper;
static int started, ends;

static void *help(void *arg)
{
	pthread_mutex_lock(&lock);
	while (!ends)
		pthread_cond_wait(&ended, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

void start_helper(void)
{
	started = !pthread_create(&helper, NULL, help, NULL);
}

static void end_helper(void *what)
{
	if (!started)
		return;
	pthread_mutex_lock(&lock);
	ends = 1;
	pthread_mutex_unlock(&lock);
	pthread_cond_signal(&ended);
	pthread_join(helper, NULL);
	say(what);
}
#endif

__attribute__((constructor)) static void begin(void)
{
	tell("first");
#ifdef IS_ONE
	__cxa_atexit(end_helper, "helper", &__dso_handle);
#else
	if (getenv("MIXED"))
		tell_of_one("in between");
#endif
	tell("second");
}
