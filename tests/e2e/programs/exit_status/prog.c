/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads add to one sum without a lock; what is lost shows in the exit status only, where main returns or, with an
 * argument, where it calls exit(). */
#include <pthread.h>
#include <stdlib.h>

static int sum;

static void *add(void *arg)
{
	int seen = sum;

	sum = seen + *(int *)arg;
	return NULL;
}

static void leave(int status)
{
	exit(status);
}

int main(int argc, char **argv)
{
	int one = 1, two = 2;
	pthread_t a, b;

	(void)argv;
	pthread_create(&a, NULL, add, &one);
	pthread_create(&b, NULL, add, &two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (argc > 1)
		leave(sum == 3 ? 0 : 3);
	return sum == 3 ? 0 : 4;
}
