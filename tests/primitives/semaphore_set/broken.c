/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two System V semaphores, one after the other, in opposite order. */
#include <pthread.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int set;

static void change(unsigned short which, short by)
{
	struct sembuf one = {which, by, SEM_UNDO};

	semop(set, &one, 1);
}

static void *take_both(void *arg)
{
	const unsigned short first = arg != NULL;

	change(first, -1);
	change(!first, -1);
	change(!first, 1);
	change(first, 1);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	set = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600);
	if (set < 0)
		return 77;
	change(0, 1);
	change(1, 1);
	pthread_create(&threads[0], NULL, take_both, NULL);
	pthread_create(&threads[1], NULL, take_both, &set);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	semctl(set, 0, IPC_RMID);
	return 0;
}
