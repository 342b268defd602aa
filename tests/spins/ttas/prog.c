/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Test and test-and-set lock by atomic_flag and a hint. Broken: the flag's answer is not looked at. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;
static atomic_bool hint;
static int n;

static void lock(void)
{
	for (;;) {
		while (atomic_load(&hint))
			;
#ifdef BROKEN
		atomic_flag_test_and_set(&taken);
		break;
#else
		if (!atomic_flag_test_and_set(&taken))
			break;
#endif
	}
	atomic_store(&hint, true);
}

static void unlock(void)
{
	atomic_store(&hint, false);
	atomic_flag_clear(&taken);
}

static void *add(void *arg)
{
	lock();
	n++;
	unlock();
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, add, NULL);
	add(NULL);
	pthread_join(t, NULL);
	assert(n == 2);
	return 0;
}
