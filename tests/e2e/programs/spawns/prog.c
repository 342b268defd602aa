/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts another program and reads what it says. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char said[16];

static void *ask(void *arg)
{
	FILE *from = popen("echo hello", "r");

	(void)arg;
	if (from && fgets(said, sizeof(said), from) && pclose(from) == 0)
		return said;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	void *got;

	pthread_create(&thread, NULL, ask, NULL);
	pthread_join(thread, &got);
	return got && !strcmp(said, "hello\n") ? 0 : 1;
}
