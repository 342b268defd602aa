/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads add to one sum without a lock. Which one's addition is lost shows in two ways; a flag that is looked at
 * too early, which is another mistake, in a third. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int sum, flag;

static void *add(void *arg)
{
	int seen = sum;

	sum = seen + *(int *)arg;
	return NULL;
}

static void *set_flag(void *arg)
{
	(void)arg;
	flag = 1;
	return NULL;
}

int main(void)
{
	int one = 1, two = 2, early;
	pthread_t a, b, c;

	pthread_create(&c, NULL, set_flag, NULL);
	early = !flag;
	pthread_join(c, NULL);
	pthread_create(&a, NULL, add, &one);
	pthread_create(&b, NULL, add, &two);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (early)
		exit(9);
	assert(sum != 1);
	if (sum == 2)
		exit(5);
	return 0;
}
