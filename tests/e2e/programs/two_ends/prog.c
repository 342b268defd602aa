/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two updates are lost in two ways: the status says which. */
#include <pthread.h>

static int apples, pears;

static void *buy(void *arg)
{
	int seen = apples;

	apples = seen + 1;
	seen = pears;
	pears = seen + 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, buy, 0);
	pthread_create(&b, 0, buy, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return apples != 2 ? 1 : pears != 2 ? 2 : 0;
}
