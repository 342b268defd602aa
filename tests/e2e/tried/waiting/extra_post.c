/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One printer for all; who cannot print gives it back on the way out, and once more. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

static sem_t printer;
static int pages, printing;

static bool print(int n)
{
	bool done = false;

	sem_wait(&printer);
	if (n <= 0) {
		sem_post(&printer);
#ifdef FIXED
		return false;
#else
		goto out;
#endif
	}
	printing++;
	assert(printing == 1);
	pages += n;
	printing--;
	done = true;
	goto out;
out:
	sem_post(&printer); /* of all ways out */
	return done;
}

static void *prints(void *arg)
{
	print(*(int *)arg);
	return arg;
}

int main(void)
{
	int n[] = { 0, 2, 3 };
	pthread_t threads[3];

	sem_init(&printer, 0, 1);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, prints, &n[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert(pages == 5);
	return 0;
}
