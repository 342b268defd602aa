/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct: a thread spins on an atomic flag until the other one has set it. No schedule may hang on the spin. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int message;
static atomic_int posted;

static void *post(void *arg)
{
	(void)arg;
	message = 7;
	atomic_store(&posted, 1);
	return NULL;
}

static void *spin(void *arg)
{
	(void)arg;
	while (!atomic_load(&posted))
		;
	assert(message == 7);
	return NULL;
}

int main(void)
{
	pthread_t spinner, poster;

	pthread_create(&spinner, NULL, spin, NULL);
	pthread_create(&poster, NULL, post, NULL);
	pthread_join(spinner, NULL);
	pthread_join(poster, NULL);
	return 0;
}
