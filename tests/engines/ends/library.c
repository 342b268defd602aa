/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library with handlers for exit() that its constructor registers, before main. Built as `one` and as `two`, which
 * needs it; with MIXED in the environment `two` has one more handler of `one` registered between its own. */
#include <stdio.h>
#include <stdlib.h>

extern void *__dso_handle;
int __cxa_atexit(void (*handler)(void *), void *arg, void *module);
void tell_of_one(const char *what);

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
#endif

__attribute__((constructor)) static void begin(void)
{
	tell("first");
#ifndef IS_ONE
	if (getenv("MIXED"))
		tell_of_one("in between");
#endif
	tell("second");
}
