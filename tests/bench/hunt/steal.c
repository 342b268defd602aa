/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A work-stealing queue: its owner takes tasks from the one end, a thief from the other. A task is a sum over
 * numbers that only its thread touches: of some 2 400 points in a run 60 are at what both threads use. Exit status 1: a
 * task was lost or done twice. */
#include <pthread.h>
#include <stdlib.h>

enum { TASKS = 6, NUMBERS = 190 };

static struct {
	pthread_mutex_t lock;
	int first, end;
	int tasks[TASKS];
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* No task: -1. */
static int take(int steal)
{
	int task = -1;

	pthread_mutex_lock(&queue.lock);
	if (queue.first < queue.end)
		task = steal ? queue.tasks[queue.first++] : queue.tasks[--queue.end];
	pthread_mutex_unlock(&queue.lock);
	return task;
}

static long work(long *numbers, int task)
{
	long sum = 0;

	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = task + i;
	for (int i = 0; i < NUMBERS; i++)
		sum += numbers[i];
	return sum - (long)NUMBERS * (NUMBERS - 1) / 2; /* NUMBERS times the task */
}

static void *drain(void *steal)
{
	long *numbers = malloc(NUMBERS * sizeof(*numbers)), *done = malloc(sizeof(*done));
	int task;

	*done = 0;
	while ((task = take(steal != NULL)) >= 0)
		*done += work(numbers, task);
	free(numbers);
	return done;
}

int main(void)
{
	pthread_t thief;
	long *stolen, *own, all;

	for (int i = 0; i < TASKS; i++)
		queue.tasks[queue.end++] = i;
	pthread_create(&thief, NULL, drain, &queue);
	own = drain(NULL);
	pthread_join(thief, (void **)&stolen);
	all = *own + *stolen;
	free(own);
	free(stolen);
	return all != (long)NUMBERS * TASKS * (TASKS - 1) / 2;
}
