/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fork while another thread may hold a lock: in the child nobody is left to give it back. */
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, NULL);
	if (fork() == 0) {
		add(NULL);
		_exit(0);
	}
	pthread_join(thread, NULL);
	wait(NULL);
	return 0;
}
