/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BufWriter: three writers fill a buffer, a checker counts what is there. It takes the buffer for full when it gets the lock. */
#include <assert.h>

#include "../table1.h"

#define WRITERS 3
#define PER_WRITER 4
#define N (WRITERS * PER_WRITER)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[N], size, written[WRITERS];

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	work(me, WRITERS + 1, 10);
	if (me == WRITERS) { /* the checker */
		linger(400);
		pthread_mutex_lock(&lock);
		for (int i = 0; i < size; i++)
			assert(buffer[i]);
		assert(size == N);
		pthread_mutex_unlock(&lock);
		return NULL;
	}
	for (int i = 0; i < PER_WRITER; i++) {
		pthread_mutex_lock(&lock);
		buffer[size++] = me + 1;
		written[me]++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[WRITERS + 1];

	table1_begin(argc, argv);
	start_all(workers, WRITERS + 1, worker);
	join_all(workers, WRITERS + 1);
	return 0;
}
