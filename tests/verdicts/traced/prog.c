/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Has itself traced: what follows is the tracer's doing and no bug of this program. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/ptrace.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *arg)
{
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, add, NULL))
		return 2;
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	pthread_join(thread, NULL);
	return counter != 1;
}
