/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dies in some schedules, as the first argument says: by a bad address, by a signal nobody can catch, or never ends. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int first;
static const char *mode = "";

static void *one(void *arg)
{
	first = 1;
	return arg;
}

static void *other(void *arg)
{
	if (first)
		return arg;
	if (!strcmp(mode, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(mode, "kill"))
		kill(getpid(), SIGKILL);
	while (!strcmp(mode, "hang"))
		kill(getpid(), SIGSTOP); /* nothing that control has a model for */
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	mode = argc > 1 ? argv[1] : "";
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
