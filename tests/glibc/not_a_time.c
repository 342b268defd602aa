/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits until 1000000000 nanoseconds after a second: who is told that this is no time, and who if it has to wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const struct timespec bad = { 1, 1000000000 }, negative = { 1, -1 }, past = { 1, 0 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void say(const char *what, int r)
{
	printf("%s: %s\n", what, r ? strerror(r) : "fine");
}

static void say_errno(const char *what, long r)
{
	say(what, r < 0 ? errno : 0);
}

/* What is asked for is taken by the other thread. */
static void *meet(void *arg)
{
	(void)arg;
	say("mutex taken", pthread_mutex_timedlock(&mutex, &bad));
	say("mutex taken, negative", pthread_mutex_timedlock(&mutex, &negative));
	say("mutex taken, in time", pthread_mutex_timedlock(&mutex, &past));
	say("mutex taken, other clock", pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
	say("robust mutex taken", pthread_mutex_timedlock(&robust, &bad));
	say("to read, taken", pthread_rwlock_timedrdlock(&rwlock, &bad));
	say("to write, taken", pthread_rwlock_timedwrlock(&rwlock, &bad));
	say("to write, in time", pthread_rwlock_timedwrlock(&rwlock, &past));
	return NULL;
}

static void locks(void)
{
	pthread_mutexattr_t attr;
	pthread_t t;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&robust, &attr);
	say("mutex free", pthread_mutex_timedlock(&mutex, &bad));
	say("robust mutex free", pthread_mutex_timedlock(&robust, &bad));
	say("robust mutex tried again", pthread_mutex_trylock(&robust));
	say("to read", pthread_rwlock_timedrdlock(&rwlock, &bad));
	say("to write", pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &bad));
	pthread_rwlock_wrlock(&rwlock);
	pthread_create(&t, NULL, meet, NULL);
	pthread_join(t, NULL);
	pthread_rwlock_unlock(&rwlock);
}

static void others(void)
{
	cnd_t c11;
	sem_t full;
	int word = 0;

	say("condition", pthread_cond_timedwait(&cond, &mutex, &bad));
	say("condition, clock", pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &bad));
	say("condition, other clock", pthread_cond_clockwait(&cond, &mutex, CLOCK_PROCESS_CPUTIME_ID, &past));
	say("condition, in time", pthread_cond_timedwait(&cond, &mutex, &past));
	say("mutex kept", pthread_mutex_trylock(&mutex));
	cnd_init(&c11);
	printf("C11 condition: %d\n", cnd_timedwait(&c11, (mtx_t *)&mutex, &bad) == thrd_error);
	sem_init(&full, 0, 1);
	say_errno("semaphore", sem_timedwait(&full, &bad));
	say_errno("semaphore, in time", sem_timedwait(&full, &past));
	say_errno("futex", syscall(SYS_futex, &word, FUTEX_WAIT, 0, &bad, NULL, 0));
	say_errno("futex until", syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &bad, NULL, FUTEX_BITSET_MATCH_ANY));
	say("sleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &bad, NULL));
	say("sleep by the thread's own clock", clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &past, NULL));
	say("sleep by no clock", clock_nanosleep(99, 0, &past, NULL));
}

static void queues(void)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	const mqd_t q = mq_open("/vtb-not-a-time", O_CREAT | O_RDWR, 0600, &attr);
	char buf[8] = "";

	if (q < 0) /* not on this machine */
		return;
	mq_unlink("/vtb-not-a-time");
	say_errno("receive", mq_timedreceive(q, buf, 8, NULL, &bad));
	say_errno("receive into too little", mq_receive(q, buf, 4, NULL));
	say_errno("send", mq_send(q, "12345678", 8, 0));
	say_errno("send to a full queue", mq_timedsend(q, "12345678", 8, 0, &bad));
	say_errno("send too much", mq_send(q, "123456789", 9, 0));
	mq_close(q);
}

int main(void)
{
	locks();
	others();
	queues();
	return 0;
}
