/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What child processes do meets what threads do. */
#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int balance, ends[2], ready;
static pid_t child;

/* An update is lost, around a child that answers, or one that is waited for. */
static void *answered(void *arg)
{
	FILE *from = popen("echo 5", "r");
	int value = 0;

	assert(from && fscanf(from, "%d", &value) == 1);
	pclose(from);
	balance += value;
	return arg;
}

static void *waited(void *arg)
{
	const int before = balance;

	assert(system("true") == 0);
	balance = before + 5;
	return arg;
}

static void *add(void *arg)
{
	balance += 5;
	return arg;
}

static void *look(void *arg)
{
	struct pollfd in = {.fd = ends[0], .events = POLLIN};

	ready = poll(&in, 1, 0);
	return arg;
}

static void together(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, a, NULL);
	pthread_create(&threads[1], NULL, b, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

/* Is something there when it is looked? */
static void writes(int msec, int polls)
{
	assert(pipe(ends) == 0);
	if (fork() == 0) {
		if (polls)
			poll(NULL, 0, msec);
		else
			usleep(1000u * (unsigned)msec);
		_exit(write(ends[1], "x", 1) != 1);
	}
	together(look, add);
	assert(ready == (msec > 0));
	wait(NULL);
}

static void *stop(void *arg)
{
	kill(child, SIGKILL);
	return arg;
}

/* The child has the other end, until it is killed. */
static void kills(void)
{
	assert(pipe(ends) == 0);
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	close(ends[1]);
	together(look, stop);
	assert(ready == 0);
	wait(NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "writes"))
		writes(0, 0);
	else if (!strcmp(how, "sleeps"))
		writes(300, 0);
	else if (!strcmp(how, "polls"))
		writes(300, 1);
	else if (!strcmp(how, "kills"))
		kills();
	else if (!strcmp(how, "answers"))
		together(answered, add);
	else
		together(waited, waited);
	assert(ends[1] || balance == 10);
	return 0;
}
