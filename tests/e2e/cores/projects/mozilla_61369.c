/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread asks for its own handle, which its creator has not stored yet. */
#include "../two.h"

static pthread_t handle;

static void *work(void *arg)
{
	assert(handle);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	handle = thread;
	pthread_join(thread, NULL);
	return 0;
}
