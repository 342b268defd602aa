/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole of the runtime in one program, with no tool behind it: calls pass through the hooks to libc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#include "real.h"
#include "rt.h"

#undef memcpy
#undef memset

static void *add(void *arg)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&m);
	++*(int *)arg;
	pthread_mutex_unlock(&m);
	return arg;
}

static void threads_and_locks_are_libcs_while_nobody_asked_for_more(void **state)
{
	pthread_t threads[4];
	void *result;
	int n = 0;

	(void)state;
	assert_int_equal(vtb_rt.mode, VTB_MODE_OFF);
	assert_true((void *)vtb_real.pthread_create != (void *)pthread_create);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add, &n), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_ptr_equal(result, &n);
	}
	assert_int_equal(n, 4);
}

static void texts_and_memory_are_libcs_as_well(void **state)
{
	char text[32], *block = malloc(100);
	sem_t s;

	(void)state;
	assert_non_null(block);
	strcpy(block, "seventy");
	snprintf(text, sizeof(text), "%s %d", block, 7);
	assert_string_equal(text, "seventy 7");
	free(block);
	assert_int_equal(sem_init(&s, 0, 0), 0);
	assert_int_equal(sem_trywait(&s), -1);
	assert_int_equal(sem_post(&s), 0);
	assert_int_equal(sem_trywait(&s), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_and_locks_are_libcs_while_nobody_asked_for_more),
		cmocka_unit_test(texts_and_memory_are_libcs_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
