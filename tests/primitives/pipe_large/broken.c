/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads send each other more than a pipe holds before either reads. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#define SIZE 200000

static char data[SIZE];
static int there[2], back[2];

static void exchange(int to, int from)
{
	char got[1000];

	if (write(to, data, SIZE) == SIZE)
		for (size_t n = 0; n < SIZE; n += sizeof(got))
			if (read(from, got, sizeof(got)) <= 0)
				return;
}

static void *answer(void *arg)
{
	(void)arg;
	exchange(back[1], there[0]);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	if (pipe(there) || pipe(back))
		return 77;
	pthread_create(&thread, NULL, answer, NULL);
	exchange(there[1], back[0]);
	pthread_join(thread, NULL);
	return 0;
}
