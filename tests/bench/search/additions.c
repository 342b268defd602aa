/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three threads, each adds n times (4) to one number: (3n)! / (n!)^3 different orders, in runs of 3n + 16 events or so;
 * 34 650 for 4, 17 153 136 for 6. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int sum;
static int times = 4;

static void *adds(void *arg)
{
	for (int i = 0; i < times; i++)
		atomic_fetch_add(&sum, 1);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	if (argc > 1)
		times = atoi(argv[1]);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, adds, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return sum == 3 * times ? 0 : 1;
}
