/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * two_streams HOW: two threads count without a lock and say so on standard output and standard error. HOW: "plain";
 * "long", with more than reports show on one of them; "child", where a process of its own prints, too; "one", where
 * standard error is turned to standard output; "uuid", where each process prints something else.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int counted;

static void *count(void *arg)
{
	const int seen = counted;

	printf("thread %s read %d\n", (const char *)arg, seen);
	counted = seen + 1;
	fprintf(stderr, "warning: %s & \"</pre>\"\n", (const char *)arg);
	return NULL;
}

static void before(const char *how)
{
	char text[64];
	FILE *uuid;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; !strcmp(how, "long") && i < 1000; i++)
		printf("line %d of many\n", i);
	if (!strcmp(how, "child"))
		assert(system("echo a child; echo its trouble >&2") == 0);
	if (!strcmp(how, "one"))
		assert(dup2(STDOUT_FILENO, STDERR_FILENO) == STDERR_FILENO);
	if (!strcmp(how, "uuid")) {
		uuid = fopen("/proc/sys/kernel/random/uuid", "r");
		assert(uuid && fgets(text, sizeof(text), uuid));
		fclose(uuid);
		printf("uuid %s", text);
	}
}

int main(int argc, char **argv)
{
	pthread_t one, two;

	before(argc > 1 ? argv[1] : "plain");
	pthread_create(&one, NULL, count, "one");
	pthread_create(&two, NULL, count, "two");
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	assert(counted == 2);
	return 0;
}
