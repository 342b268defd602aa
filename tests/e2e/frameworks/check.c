/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <check.h>
#include <pthread.h>

static int balance;

static void *deposit(void *arg)
{
	int seen = balance;

	balance = seen + 1;
	return arg;
}

START_TEST(alone)
{
	balance = 0;
	deposit(NULL);
	ck_assert_int_eq(balance, 1);
}
END_TEST

START_TEST(together)
{
	pthread_t a, b;

	balance = 0;
	pthread_create(&a, NULL, deposit, NULL);
	pthread_create(&b, NULL, deposit, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	ck_assert_int_eq(balance, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("account");
	TCase *one = tcase_create("one"), *pair = tcase_create("pair");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(one, alone);
	tcase_add_test(pair, together);
	suite_add_tcase(suite, one);
	suite_add_tcase(suite, pair);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
