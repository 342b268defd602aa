/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads add to a counter without a lock; what the first argument says happens beside that.
 * replay/tests.cmake makes variants of this file: they put code in place of the comments above, inside and below. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long counter;
static const char *mode = "";

/* clang does not instrument a read that a write to the same place follows in straight-line code. gcc does, and makes one
 * instruction of both when nothing is instrumented, which tier break has to cope with. */
#ifdef __clang__
__attribute__((noinline)) static void between(void)
{
	__asm__ volatile("");
}
#else
static void between(void)
{
}
#endif

/* above */
static void add(long amount)
{
	/* inside */
	long seen = counter;

	between();
	counter = seen + amount;
}
/* below */

static void *worker(void *arg)
{
	add((long)arg);
	if (!strcmp(mode, "crash"))
		raise(SIGSEGV);
	if (!strcmp(mode, "hang"))
		for (;;)
			kill(getpid(), SIGSTOP); /* nothing that control has a model for */
	return NULL;
}

/* A child that outlives us and has left our process group. */
static void leave_daemon(void)
{
	if (fork() == 0) {
		setsid();
		sleep(1000);
		_exit(0);
	}
}

static void print_much(void)
{
	for (int i = 0; i < 100000; i++)
		printf("line %d of many\n", i);
}

static volatile long scratch;

static void many_accesses(void)
{
	for (int i = 0; i < 10000; i++)
		scratch = scratch + 1;
}

static void end_server(void)
{
	kill(getppid(), SIGKILL);
}

__attribute__((constructor)) static void early(void)
{
	if (getenv("LOST_UPDATE_CONSTRUCTOR"))
		abort();
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	mode = argc > 1 ? argv[1] : "";
	if (!strcmp(mode, "daemon"))
		leave_daemon();
	if (!strcmp(mode, "print"))
		print_much();
	if (!strcmp(mode, "many"))
		many_accesses();
	if (!strcmp(mode, "kill-server"))
		end_server();
	if (!strcmp(mode, "close"))
		for (int i = 0; i < 1024; i++)
			close(i);
	if (!strcmp(mode, "chdir") && chdir("/") < 0)
		return 9;
	pthread_create(&a, NULL, worker, (void *)1L);
	pthread_create(&b, NULL, worker, (void *)2L);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("counter %ld\n", counter);
	return counter == 3 ? 0 : 1;
}
