/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes settings of the process that the next run must find as they were. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include "common.h"

static char room[65536];
static struct rlimit limit_before;
static const struct sched_param none;
static int first_before, flags_before, mode_before;

static void first(void)
{
	static const stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	stack_t now;

	if (sigaltstack(NULL, &now))
		abort();
	first_before = now.ss_sp != room && sched_getscheduler(0) == SCHED_OTHER; /* the fewer accesses, the likelier */
	if (sigaltstack(&stack, NULL) || pthread_setschedparam(pthread_self(), SCHED_BATCH, &none))
		abort();
}

static void second(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CORE, &limit_before))
		abort();
	flags_before = fcntl(0, F_GETFD);
	mode_before = fcntl(1, F_GETFL);
	if (flags_before < 0 || mode_before < 0 || fcntl(0, F_SETFD, FD_CLOEXEC) ||
	    fcntl(1, F_SETFL, mode_before | O_NONBLOCK))
		abort();
	limit = limit_before;
	limit.rlim_cur = limit.rlim_cur ? 0 : 4096;
	setrlimit(RLIMIT_CORE, &limit); /* no if the hard limit is 0 */
}

static int good(void)
{
	printf("%ld ", (long)limit_before.rlim_cur);
	printf("%d ", flags_before);
	return !flags_before && !(mode_before & O_NONBLOCK) && first_before;
}
