/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two spin locks in opposite order. */
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t first, second;

static void *forth(void *arg)
{
	(void)arg;
	pthread_spin_lock(&first);
	pthread_spin_lock(&second);
	pthread_spin_unlock(&second);
	pthread_spin_unlock(&first);
	return NULL;
}

static void *back(void *arg)
{
	(void)arg;
	pthread_spin_lock(&second);
	pthread_spin_lock(&first);
	pthread_spin_unlock(&first);
	pthread_spin_unlock(&second);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_spin_init(&first, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&second, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&threads[0], NULL, forth, NULL);
	pthread_create(&threads[1], NULL, back, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
