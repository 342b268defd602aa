/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asks for userfaultfd, which makes accesses wait. Whether the kernel gives it is no matter here. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

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
	syscall(SYS_userfaultfd, 0);
	pthread_join(thread, NULL);
	return counter != 1;
}
