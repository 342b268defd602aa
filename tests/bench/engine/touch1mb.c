/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three threads that dirty 1 MB between them: what rolling back costs when there is much to roll back. */
#include <pthread.h>
#include <string.h>

#define PART (350 << 10)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char memory[3][PART];
static int sum;

static void *body(void *arg)
{
	char *mine = memory[(long)arg];

	memset(mine, 1 + (int)(long)arg, PART);
	pthread_mutex_lock(&lock);
	sum += mine[PART - 1];
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];

	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, body, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return sum != 6;
}
