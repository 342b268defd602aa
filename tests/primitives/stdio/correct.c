/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads print whole lines; stdio locks each call. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static void *print(void *arg)
{
	(void)arg;
	assert(fputs("one line\n", stdout) >= 0);
	assert(fflush(stdout) == 0);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, print, NULL);
	pthread_create(&threads[1], NULL, print, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
