/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program to look at and to record: it does what its first argument says. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int shared;

static void *worker(void *arg)
{
	shared++;
	return arg;
}

static void run_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, worker, NULL);
	pthread_join(t, NULL);
}

/* A child outside our process group that lives for long. */
static void leave_daemon(void)
{
	if (fork() == 0) {
		setsid();
		sleep(1000);
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	run_thread();
	if (!strcmp(mode, "exit"))
		return atoi(argv[2]);
	if (!strcmp(mode, "kill"))
		raise(SIGKILL);
	if (!strcmp(mode, "daemon"))
		leave_daemon();
	if (!strcmp(mode, "wait"))
		for (;;)
			pause();
	if (!strcmp(mode, "exit-file")) { /* fails when the file is there, and makes it: the second run fails */
		FILE *f = fopen(argv[2], "r");

		if (f)
			return 1;
		fclose(fopen(argv[2], "w"));
	}
	return 0;
}
