/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread pool in C (cthreadpool-dev, which brings its source): four jobs, two workers, wait, destroy. */
#include <thpool.h>

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int sum;

static void work(void *arg)
{
	sum += (int)(intptr_t)arg;
}

int main(void)
{
	threadpool pool = thpool_init(2);

	for (intptr_t i = 1; i <= 4; i++)
		thpool_add_work(pool, work, (void *)i);
	thpool_wait(pool);
	assert(sum == 10);
	thpool_destroy(pool);
	return 0;
}
