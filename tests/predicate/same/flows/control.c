/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asserted has gone an unusual way, by who is called when. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>

#include "flow.h"

#if WAY == 1 /* the handler of a signal */
static volatile int caught;
static int shown;
static void handler(int s)
{
	(void)s;
	caught = shown;
}
static int flow(int v)
{
	signal(SIGUSR1, handler);
	shown = v;
	raise(SIGUSR1);
	return caught;
}
#elif WAY == 2 /* whether there is a signal */
static volatile int times;
static void handler(int s)
{
	(void)s;
	times = times + 1;
}
static int flow(int v)
{
	signal(SIGUSR1, handler);
	for (int i = 0; i < v; i++)
		raise(SIGUSR1);
	return times;
}
#elif WAY == 3 /* what a thread ends with */
static int input;
static void *ends(void *arg)
{
	(void)arg;
	if (input == 1)
		pthread_exit((void *)1);
	return (void *)2;
}
static int flow(int v)
{
	pthread_t t;
	void *r;

	input = v;
	pthread_create(&t, NULL, ends, NULL);
	pthread_join(t, &r);
	return (int)(intptr_t)r;
}
#elif WAY == 4 /* a jump out of what qsort calls */
static jmp_buf out;
static int rule;
static int leaves(const void *a, const void *b)
{
	if (rule == 1)
		longjmp(out, 1);
	return *(const int *)a - *(const int *)b;
}
static int flow(int v)
{
	int cells[3] = { 3, 1, 2 };

	rule = v;
	if (setjmp(out))
		return 1;
	qsort(cells, 3, sizeof(*cells), leaves);
	return 2;
}
#elif WAY == 5 /* a key's destructor */
static pthread_key_t key;
static int left;
static void gone(void *value)
{
	left = (int)(intptr_t)value;
}
static void *with_key(void *arg)
{
	pthread_setspecific(key, arg);
	return NULL;
}
static int flow(int v)
{
	pthread_t t;

	pthread_key_create(&key, gone);
	pthread_create(&t, NULL, with_key, (void *)(intptr_t)v);
	pthread_join(t, NULL);
	return left;
}
#elif WAY == 6 /* pthread_once: which routine */
static int chosen;
static void first(void)
{
	chosen = 1;
}
static void second(void)
{
	chosen = 2;
}
static int flow(int v)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, v == 1 ? first : second);
	return chosen;
}
#elif WAY == 7 /* cleanup handlers */
static int cleaned, rule;
static void clean(void *arg)
{
	cleaned = *(int *)arg;
}
static void *work(void *arg)
{
	pthread_cleanup_push(clean, &rule);
	pthread_exit(arg);
	pthread_cleanup_pop(0);
	return NULL;
}
static int flow(int v)
{
	pthread_t t;

	rule = v;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return cleaned;
}
#elif WAY == 8 /* a semaphore's count */
static sem_t sem;
static int flow(int v)
{
	int n;

	sem_init(&sem, 0, 0);
	for (int i = 0; i < v; i++)
		sem_post(&sem);
	sem_getvalue(&sem, &n);
	return n;
}
#elif WAY == 9 /* whether a lock is free */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flow(int v)
{
	if (v == 1)
		pthread_mutex_lock(&lock);
	return pthread_mutex_trylock(&lock) ? 1 : 2;
}
#elif WAY == 10 /* sigsetjmp out of a handler */
static sigjmp_buf back;
static void handler(int s)
{
	(void)s;
	siglongjmp(back, 1);
}
static int flow(int v)
{
	signal(SIGUSR2, handler);
	if (sigsetjmp(back, 1))
		return 1;
	if (v == 1)
		raise(SIGUSR2);
	return 2;
}
#elif WAY == 11 /* two setjmps in one function */
static jmp_buf first, second;
static int rule;
KEPT static void leave(void)
{
	if (rule == 1)
		longjmp(first, 1);
	longjmp(second, 1);
}
static int flow(int v)
{
	rule = v;
	if (setjmp(first))
		return 1;
	if (setjmp(second))
		return 2;
	leave();
	return 9;
}
#endif
