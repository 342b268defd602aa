/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timer that is left armed: it must not go off in the next run. */
#include <sys/time.h>

#include "common.h"

static struct itimerval left;

static void first(void)
{
	const struct itimerval long_time = {.it_value = {1000, 0}};

	if (getitimer(ITIMER_REAL, &left) || setitimer(ITIMER_REAL, &long_time, NULL))
		abort();
}

static void second(void)
{
}

static int good(void)
{
	return left.it_value.tv_sec == 0 && left.it_value.tv_usec == 0;
}
