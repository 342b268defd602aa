/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A spin on a flag that the other thread may reset before it was seen. */
#include <pthread.h>
#include <stddef.h>

static volatile int flag;

static void *set_flag(void *arg)
{
	(void)arg;
	flag = 1;
	flag = 2;
	flag = 0;
	return NULL;
}

static void *wait_for_flag(void *arg)
{
	(void)arg;
	if (flag == 2)
		while (flag != 1)
			;
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, wait_for_flag, NULL);
	pthread_create(&threads[1], NULL, set_flag, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
