/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two failures, for which a thread must be stopped twice: a hunt looks for a while before it meets them. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int first, second, third, noise[4], *block;

static void *change(void *unused)
{
	(void)unused;
	for (int i = 0; i < 4; i++)
		noise[i]++;
	first = 1;
	second = first + third;
	first = 2;
	third = 1;
	return NULL;
}

static void *look(void *unused)
{
	(void)unused;
	for (int i = 0; i < 4; i++)
		noise[i]++;
	if (first == 1 && second == 0) {
		const int then = second;

		if (first == 2)
			assert(then == second || third == 0);
	}
	if (third && second == 1 && first == 2)
		*block = 1;
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	block = malloc(sizeof(*block));
	pthread_create(&a, NULL, change, NULL);
	pthread_create(&b, NULL, look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(noise[0] + noise[1] + noise[2] + noise[3] == 8);
	free(block);
	return 0;
}
