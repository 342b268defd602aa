/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses of all sizes in several functions, among them a cold one, one that ends in a jump, and a table of addresses in the code's way. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

struct all {
	uint8_t a;
	uint16_t b;
	uint32_t c;
	uint64_t d;
	__int128 e;
} things;
volatile int number;

__attribute__((noinline)) static int chosen(int i)
{
	switch (i) {
	case 0: return things.a;
	case 1: return things.b;
	case 2: return (int)things.c;
	case 3: return (int)things.d;
	case 4: number++; return 7;
	case 5: return number;
	case 6: things.c = 12; return 8;
	default: return 9;
	}
}

__attribute__((noinline, cold)) static void rarely(void)
{
	things.e += 5;
	things.b += 3;
}

__attribute__((noinline)) void sets(uint32_t *p)
{
	*p = 1;
}

static void *body(void *arg)
{
	sets(arg);
	if (chosen((int)things.d) == 3)
		rarely();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;
	int sum = 0;

	(void)argv;
	pthread_create(&t, NULL, body, &things.c);
	for (int i = 0; i < argc + 7; i++)
		sum += chosen(i);
	pthread_join(t, NULL);
	return sum == 12345;
}
