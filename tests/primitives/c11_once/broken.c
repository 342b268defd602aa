/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An initialiser guarded by a plain flag runs twice. */
#include <assert.h>
#include <threads.h>

static volatile int initialised;
static int calls;

static int work(void *arg)
{
	(void)arg;
	if (!initialised) {
		calls++;
		initialised = 1;
	}
	return 0;
}

int main(void)
{
	thrd_t threads[2];

	for (int i = 0; i < 2; i++)
		thrd_create(&threads[i], work, NULL);
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], NULL);
	assert(calls == 1);
	return 0;
}
