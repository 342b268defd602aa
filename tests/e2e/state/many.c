/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Correct, with some ten thousands of classes of runs: there is much to search, and nothing to find. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counted, given, taken, left;

static void *give(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		counted++;
		pthread_mutex_unlock(&lock);
		given = counted + taken;
		left += given;
	}
	return NULL;
}

static void *take(void *unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		counted += 2;
		pthread_mutex_unlock(&lock);
		taken = given;
		left -= taken;
	}
	return NULL;
}

int main(void)
{
	pthread_t giver, taker;

	pthread_create(&giver, NULL, give, NULL);
	pthread_create(&taker, NULL, take, NULL);
	pthread_join(giver, NULL);
	pthread_join(taker, NULL);
	return 0;
}
