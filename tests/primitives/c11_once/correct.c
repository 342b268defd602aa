/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_once and tss. */
#include <assert.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static int calls;

static void initialise(void)
{
	calls++;
}

static int work(void *arg)
{
	(void)arg;
	call_once(&once, initialise);
	assert(calls == 1);
	return 0;
}

int main(void)
{
	thrd_t threads[2];

	for (int i = 0; i < 2; i++)
		thrd_create(&threads[i], work, NULL);
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], NULL);
	return 0;
}
