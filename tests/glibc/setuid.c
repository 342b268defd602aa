/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setgid and setuid change the ids of every thread of the process, also of those that wait. Only root can show that: status 77. */
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int done, good;

static void *waits(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&lock);
	while (!done)
		pthread_cond_wait(&changed, &lock);
	good += syscall(SYS_getuid) == 65534 && syscall(SYS_getgid) == 65534 && getuid() == 65534;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	int r;

	if (getuid())
		return 77;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, waits, NULL);
	r = setgid(65534);
	r |= setuid(65534);
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("set %d, threads that see it %d, back %d\n", r, good, setuid(0));
	return 0;
}
