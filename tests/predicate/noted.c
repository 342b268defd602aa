/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing fails; only what note() is given depends on the order of two writes. */
#include <pthread.h>

static int x, other;
static volatile int noted;

__attribute__((noinline)) static void note(int value)
{
	noted = value;
}

__attribute__((noinline)) static void idle(int value)
{
	(void)value;
}

static void *write_one(void *arg)
{
	x = 1;
	other = 1;
	return arg;
}

static void *write_two(void *arg)
{
	x = 2;
	other = 2;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, write_one, NULL);
	pthread_create(&b, NULL, write_two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	note(x);
	idle(1);
	return 0;
}
