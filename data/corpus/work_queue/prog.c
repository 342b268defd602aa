/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers take the next job's number without a lock: a job can be done twice, or its update can get lost. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define JOBS 2

static int next_job;
static int done[JOBS];

static void *work(void *arg)
{
	int job = next_job;

	(void)arg;
	next_job = job + 1;
	if (job < JOBS)
		done[job]++;
	return NULL;
}

int main(void)
{
	pthread_t workers[JOBS];

	for (int i = 0; i < JOBS; i++)
		pthread_create(&workers[i], NULL, work, NULL);
	for (int i = 0; i < JOBS; i++)
		pthread_join(workers[i], NULL);
	for (int i = 0; i < JOBS; i++)
		assert(done[i] == 1);
	return 0;
}
