/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ten threads and main; the ten print 15 lines each, a write() for a line. */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 10, LINES = 15 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void *prints(void *name)
{
	for (int i = 0; i < LINES; i++) {
		pthread_mutex_lock(&lock);
		done++;
		pthread_mutex_unlock(&lock);
		printf("%s has done step %d\n", (const char *)name, i);
	}
	return NULL;
}

int main(void)
{
	static char names[THREADS][16];
	pthread_t t[THREADS];

	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	for (int i = 0; i < THREADS; i++) {
		snprintf(names[i], sizeof(names[i]), "thread %d", i);
		pthread_create(&t[i], NULL, prints, names[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return done != THREADS * LINES;
}
