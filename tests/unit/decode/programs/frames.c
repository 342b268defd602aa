/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stacks can be: structs by value, varargs, alloca and arrays of variable length, recursion, setjmp, a signal handler, thread-local data. */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3

struct big {
	long v[12];
	struct big *self;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct big *shared;
static volatile sig_atomic_t signals;
static __thread long mine[4];
static __thread jmp_buf back;
static long total;

static struct big twice(struct big b)
{
	for (int i = 0; i < 12; i++)
		b.v[i] *= 2;
	return b;
}

static long sum(int n, ...)
{
	va_list args;
	long s = 0;

	va_start(args, n);
	for (int i = 0; i < n; i++)
		s += i & 1 ? (long)va_arg(args, double) : va_arg(args, long);
	va_end(args);
	return s;
}

static long deep(long *p, int n)
{
	long local = n + *p;

	return n ? deep(&local, n - 1) + local : local;
}

static void leave(struct big *b, int n)
{
	if (n == 0)
		longjmp(back, (int)b->v[1] + 1);
	leave(b, n - 1);
}

static long lengths(int n)
{
	long array[n], *more = alloca((size_t)n * sizeof(long)), s = 0;

	memset(array, 0, sizeof(array));
	for (int i = 0; i < n; i++) {
		more[i] = i;
		array[n - 1 - i] += more[i];
		s += array[i];
	}
	return s;
}

static void on_signal(int number)
{
	signals += number;
}

static void *work(void *arg)
{
	struct big local = { .v = { (long)arg, 2, 3 } };
	long s = 0;

	for (int i = 0; i < 4; i++) {
		mine[i] = (long)arg * i;
		pthread_mutex_lock(&lock);
		*shared = twice(*shared);
		shared->v[i] = (long)arg;
		shared->self = shared;
		s += shared->self->v[3];
		pthread_mutex_unlock(&lock);
		if (setjmp(back) == 0)
			leave(&local, 3);
		s += sum(4, 1L, 2.0, mine[i], 4.0) + deep(&s, 4) + lengths(3 + i);
		local = twice(local);
		if (i == 1)
			raise(SIGUSR1);
		s += mine[i] + local.v[i];
	}
	pthread_mutex_lock(&lock);
	total += s;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;

	signal(SIGUSR1, on_signal);
	for (int r = 0; r < rounds; r++) {
		shared = calloc(1, sizeof(*shared));
		shared->v[2] = 1;
		for (long i = 0; i < THREADS; i++)
			pthread_create(&thread[i], NULL, work, (void *)(i + 1));
		for (int i = 0; i < THREADS; i++)
			pthread_join(thread[i], NULL);
		free(shared);
	}
	printf("%d %d\n", total != 0, (int)signals);
	return 0;
}
