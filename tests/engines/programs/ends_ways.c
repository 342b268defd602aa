/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What exit() does: handlers, which print, streams that are flushed. With the argument `loaded` main loads a library,
 * whose destructors are the loader's to call. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int sum;

static void say_late(void)
{
	printf("late %d\n", sum);
}

static void *adder(void *arg)
{
	(void)arg;
	sum++;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	atexit(say_late);
	if (argc > 1 && !strcmp(argv[1], "loaded") && !dlopen("libm.so.6", RTLD_NOW))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, adder, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	fputs("main ends", stdout); /* flushed by exit() alone */
	return 0;
}
