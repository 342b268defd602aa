/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every access without a lock here is as it should be: before threads start, of what was made and is not yet known to
 * others, taken out under the lock, handed over by a semaphore or a barrier, atomic, only read, after the join. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
	struct job *next;
	int input, result;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, late_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t half;
static sem_t ready;
static struct job *queue;
static int limit, finished, phase, handed;
static atomic_int stop;

static void push(struct job *job)
{
	pthread_mutex_lock(&lock);
	job->next = queue;
	queue = job;
	pthread_mutex_unlock(&lock);
}

static struct job *pop(void)
{
	struct job *job;

	pthread_mutex_lock(&lock);
	job = queue;
	if (job)
		queue = job->next;
	pthread_mutex_unlock(&lock);
	return job;
}

static void finish(int n)
{
	pthread_mutex_lock(&lock);
	finished += n;
	pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
	struct job *job = pop();
	int n = 0;

	if (job) {
		job->result = job->input < limit ? job->input : limit; /* ours since pop() */
		free(job);
		n = 1;
	}
	finish(n);
	pthread_mutex_lock(&lock);
	phase++;
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&half);
	pthread_mutex_lock(&late_lock); /* another lock, in another phase */
	phase++;
	pthread_mutex_unlock(&late_lock);
	if (atomic_load(&stop))
		return arg;
	sem_wait(&ready);
	handed++; /* posted by main, which has done with it */
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	struct job *job = calloc(1, sizeof(*job));

	limit = 3;
	finished = 0;
	sem_init(&ready, 0, 0);
	pthread_barrier_init(&half, NULL, 2);
	pthread_create(&threads[0], NULL, worker, NULL);
	job->input = 7;
	push(job);
	pthread_mutex_lock(&lock);
	handed = 1;
	pthread_mutex_unlock(&lock);
	sem_post(&ready);
	atomic_store(&stop, 0);
	pthread_barrier_wait(&half);
	pthread_mutex_lock(&late_lock);
	phase++;
	pthread_mutex_unlock(&late_lock);
	pthread_join(threads[0], NULL);
	return finished <= 1 && phase == 3 && handed == 2 && limit == 3 ? 0 : 1;
}
