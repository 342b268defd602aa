/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values in vector registers that no instruction names where a pad stands: handed on to a function of a library, come
 * from one, kept by a caller that knows what its callee leaves alone (gcc's -fipa-ra). Two threads with different
 * values go through the same functions; `count` has none of it.
 */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline))
#define TEXT 16

volatile int shared;
static const char *wrong;

APART static double handed_on(double x)
{
	shared = 1;
	return ldexp(x, 1);
}

/* A function of the program's, in another file as far as can be seen, that is called as some of libc's are. */
__asm__(".globl sem_scale\nsem_scale: jmp ldexp@PLT\n");
double sem_scale(double x, int n);

APART static double handed_to_own(double x)
{
	shared = 6;
	return sem_scale(x, 3);
}

/* Nobody here sees that `text` becomes a number. */
APART static double handed_back(const char *text)
{
	const double y = strtod(text, NULL);

	shared = 2;
	return y;
}

/* Of printf() and its like it is known that they have none, where they are told so. */
APART static int printed(char *text, double x)
{
	shared = 7;
	return snprintf(text, TEXT, "%g", x);
}

static double (*volatile scale)(double, int) = ldexp;

APART static double through_pointer(double x)
{
	shared = 3;
	return scale(x, 2);
}

/* Called like this they are not known to belong to somebody with numbers in vector registers. */
static double (*volatile hand_on)(double) = handed_on;
static double (*volatile hand_to_own)(double) = handed_to_own;
static double (*volatile hand_back)(const char *) = handed_back;
static double (*volatile go_through)(double) = through_pointer;
static int (*volatile print)(char *, double) = printed;

APART static void plain(void)
{
	shared = 4;
}

APART static double kept(double x)
{
	double sum = x;

	for (int i = 0; i < 4; i++) {
		plain();
		sum += x;
	}
	return sum;
}

/* x87 has room for eight numbers: those of a thread that is stopped must not count for others. */
APART static int of_x87(double x)
{
	long double wide = (long double)x * 3;

	__asm__ volatile("" : "+t"(wide));
	shared = 5;
	__asm__ volatile("" : "+t"(wide));
	return wide == (long double)(3 * x);
}

static const char *const texts[] = { "0", "3", "6" };

static void *run(void *arg)
{
	const double x = (double)(uintptr_t)arg;
	char text[TEXT];

	for (unsigned round = 0; round < 4; round++) {
		if (hand_on(x) != 2 * x)
			wrong = "handed on";
		if (hand_to_own(x) != 8 * x)
			wrong = "handed to a function of its own";
		if (hand_back(texts[(uintptr_t)arg]) != 3 * x)
			wrong = "handed back";
		if (go_through(x) != 4 * x)
			wrong = "called through a pointer";
		if (print(text, x) != 1 || strtod(text, NULL) != x)
			wrong = "printed";
		if (kept(x) != 5 * x)
			wrong = "kept by the caller";
		if (!of_x87(x))
			wrong = "in x87";
	}
	return NULL;
}

/* Only this one's pads have no vector registers to keep. */
static void *count(void *arg)
{
	for (int i = 0; i < 4; i++)
		shared = i;
	return arg;
}

int main(void)
{
	pthread_t threads[3];

	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, i == 2 ? count : run, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (wrong) {
		printf("a value was lost: %s\n", wrong);
		fflush(stdout);
		__builtin_trap();
	}
	puts("all as it was");
	return 0;
}
