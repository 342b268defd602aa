/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads increment one counter K times each under a lock. */
#include "yardstick.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, times;

static void *run(void *arg)
{
	const int k = times;

	(void)arg;
	for (int i = 0; i < k; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	times = number(argc, argv);
	run_all(2, run);
	return 0;
}
