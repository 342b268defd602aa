// SPDX-License-Identifier: GPL-2.0-or-later
// The threads of C11: mtx, cnd, tss with destructor, call_once, thrd_join with results, timed waits.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#define WORKERS 2
#define JOBS 4

struct job {
	struct job *next;
	int n;
};

static once_flag once = ONCE_FLAG_INIT;
static mtx_t lock;
static cnd_t more, all_done;
static tss_t scratch;
static struct job *first, **last;
static int pending, closed;
static atomic_int freed;

static void drop(void *p)
{
	free(p);
	atomic_fetch_add(&freed, 1);
}

static void init(void)
{
	assert(mtx_init(&lock, mtx_timed) == thrd_success);
	assert(cnd_init(&more) == thrd_success && cnd_init(&all_done) == thrd_success);
	assert(tss_create(&scratch, drop) == thrd_success);
	last = &first;
}

static void post(int n)
{
	struct job *j = malloc(sizeof(*j));

	assert(j);
	*j = (struct job){ .n = n };
	mtx_lock(&lock);
	*last = j;
	last = &j->next;
	pending++;
	cnd_signal(&more);
	mtx_unlock(&lock);
}

static int work(void *arg)
{
	int done = 0;
	int *sum;

	(void)arg;
	call_once(&once, init);
	tss_set(scratch, calloc(1, sizeof(int)));
	sum = tss_get(scratch);
	mtx_lock(&lock);
	for (;;) {
		struct job *j;

		while (!first && !closed)
			cnd_wait(&more, &lock);
		if (!first)
			break;
		j = first;
		first = j->next;
		if (!first)
			last = &first;
		mtx_unlock(&lock);
		*sum += j->n;
		free(j);
		done++;
		mtx_lock(&lock);
		if (!--pending)
			cnd_broadcast(&all_done);
	}
	mtx_unlock(&lock);
	assert(*sum <= 10);
	thrd_exit(done);
}

int main(void)
{
	thrd_t workers[WORKERS];
	struct timespec soon;
	int total = 0, done;

	for (int i = 0; i < WORKERS; i++)
		assert(thrd_create(&workers[i], work, NULL) == thrd_success);
	call_once(&once, init);
	for (int i = 1; i <= JOBS; i++)
		post(i);
	mtx_lock(&lock);
	while (pending)
		cnd_wait(&all_done, &lock);
	timespec_get(&soon, TIME_UTC);
	soon.tv_nsec += 1000000;
	soon.tv_sec += soon.tv_nsec / 1000000000;
	soon.tv_nsec %= 1000000000;
	while (cnd_timedwait(&all_done, &lock, &soon) != thrd_timedout)
		assert(!pending);
	closed = 1;
	cnd_broadcast(&more);
	mtx_unlock(&lock);
	for (int i = 0; i < WORKERS; i++) {
		assert(thrd_join(workers[i], &done) == thrd_success);
		total += done;
	}
	assert(total == JOBS && freed == WORKERS);
	tss_delete(scratch);
	cnd_destroy(&more);
	cnd_destroy(&all_done);
	mtx_destroy(&lock);
	return 0;
}
