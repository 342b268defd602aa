/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three threads, each adds four times to one number: 12! / (4! 4! 4!) = 34 650 different orders, in runs of about 30 events. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void *adds(void *arg)
{
	for (int i = 0; i < 4; i++)
		atomic_fetch_add(&sum, 1);
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, adds, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return sum == 12 ? 0 : 1;
}
