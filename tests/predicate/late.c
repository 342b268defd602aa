/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many variables that are touched less often than the one that the assertion is about: they come first, unless it is
 * known that they cannot matter. */
#include <assert.h>
#include <pthread.h>

#define EIGHT(x) x##0++, x##1++, x##2++, x##3++, x##4++, x##5++, x##6++, x##7++
#define DECLARE(x) x##0, x##1, x##2, x##3, x##4, x##5, x##6, x##7

static int DECLARE(a), DECLARE(b), DECLARE(c), DECLARE(d), balance;

static void *pay(void *arg)
{
	EIGHT(a);
	EIGHT(b);
	EIGHT(c);
	EIGHT(d);
	for (int i = 0; i < 3; i++)
		balance++;
	return arg;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, pay, NULL);
	pthread_create(&two, NULL, pay, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	assert(balance == 6);
	return 0;
}
