/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of two System V semaphores: both are taken at once, or neither. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>

static int set;
static volatile int counter;

static void change(short by)
{
	const struct timespec long_time = {.tv_sec = 1000};
	struct sembuf both[2] = {{0, by, 0}, {1, by, 0}};

	while (semtimedop(set, both, 2, &long_time) < 0)
		;
}

static void *add(void *arg)
{
	(void)arg;
	change(-1);
	counter = counter + 1;
	change(1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	set = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
	if (set < 0)
		return 77;
	change(1);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	semctl(set, 0, IPC_RMID);
	assert(counter == 2);
	return 0;
}
