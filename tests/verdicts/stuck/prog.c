/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits in a system call without a model, for ever: no failure, but nothing is shown either; the hunt must end and say where it sat. */
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/file.h>

static int n;

static void *work(void *arg)
{
	n++;
	return arg;
}

int main(void)
{
	const int first = open("/proc/self/exe", O_RDONLY), second = open("/proc/self/exe", O_RDONLY);
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	flock(first, LOCK_EX);
	flock(second, LOCK_EX); /* another open file: waits for the first */
	return n == 1 ? 0 : 1;
}
