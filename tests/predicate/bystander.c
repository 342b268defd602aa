/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two orders decide alike whether it fails, and only one of them is why: nothing is done with what is noted. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int note, ready, copy;

static void *prepare(void *arg)
{
	pthread_mutex_lock(&lock);
	note = 1;
	ready = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *use(void *arg)
{
	int is_ready;

	pthread_mutex_lock(&lock);
	is_ready = ready;
	copy = note;
	pthread_mutex_unlock(&lock);
	assert(is_ready);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, prepare, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
