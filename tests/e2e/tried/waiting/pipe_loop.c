/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event loop that sleeps in read() of a pipe; who posts to it writes a byte, unless one is under way.
 * Bug: the loop says that it is awake only after it has looked at its list.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct task {
	struct task *next;
	int number;
};

struct loop {
	int pipe[2];
	pthread_mutex_t mutex;
	struct task *tasks;
	bool signalled; /* a byte is in the pipe, or the loop is awake */
	int done, expected;
};

static void loop_init(struct loop *l, int expected)
{
	int r = pipe(l->pipe);

	assert(r == 0);
	pthread_mutex_init(&l->mutex, NULL);
	l->tasks = NULL;
	l->signalled = false;
	l->done = 0;
	l->expected = expected;
}

static void loop_post(struct loop *l, int number)
{
	struct task *t = malloc(sizeof(*t));
	bool wake;

	assert(t);
	t->number = number;
	pthread_mutex_lock(&l->mutex);
	t->next = l->tasks;
	l->tasks = t;
	wake = !l->signalled;
	l->signalled = true;
	pthread_mutex_unlock(&l->mutex);
	if (wake && write(l->pipe[1], "x", 1) != 1)
		abort();
}

static struct task *take_all(struct loop *l)
{
	struct task *all;

	pthread_mutex_lock(&l->mutex);
	all = l->tasks;
	l->tasks = NULL;
#ifdef FIXED
	l->signalled = false;
#endif
	pthread_mutex_unlock(&l->mutex);
	return all;
}

static void run_all(struct loop *l, struct task *all)
{
	while (all) {
		struct task *next = all->next;

		l->done++;
		free(all);
		all = next;
	}
}

static void *loop_run(void *arg)
{
	struct loop *l = arg;
	char byte;

	while (l->done < l->expected) {
		if (read(l->pipe[0], &byte, 1) != 1)
			break;
		run_all(l, take_all(l));
#ifndef FIXED
		pthread_mutex_lock(&l->mutex);
		l->signalled = false;
		pthread_mutex_unlock(&l->mutex);
#endif
	}
	return NULL;
}

int main(void)
{
	struct loop loop;
	pthread_t thread;

	loop_init(&loop, 2);
	pthread_create(&thread, NULL, loop_run, &loop);
	loop_post(&loop, 1);
	loop_post(&loop, 2);
	pthread_join(thread, NULL);
	assert(loop.done == 2);
	return 0;
}
