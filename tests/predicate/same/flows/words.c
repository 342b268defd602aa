/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asserted has gone through an object that a word of the frame points to: now to this one, now to that. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "flow.h"

static int a, b;

#if WAY == 1 /* one after the other */
static int flow(int v)
{
	int *volatile p = &a;

	*p = 7;
	p = &b;
	*p = v;
	return b;
}
#elif WAY == 2 /* exchanged in a loop */
static int flow(int v)
{
	int *volatile p = &a, *volatile q = &b, *volatile t;

	for (volatile int i = 0; i < 3; i++) {
		t = p;
		p = q;
		q = t;
	}
	*p = v;
	return b;
}
#elif WAY == 3 /* changed before a jump back, used behind it */
static jmp_buf back;
static int flow(int v)
{
	int *volatile p = &a;

	if (!setjmp(back)) {
		p = &b;
		longjmp(back, 1);
	}
	*p = v;
	return b;
}
#elif WAY == 4 /* the same, and the jump is another function's */
static jmp_buf back;
KEPT static void jump(int v)
{
	sink += v;
	longjmp(back, v);
}
static int flow(int v)
{
	volatile intptr_t n = 0;
	int *volatile p = &a;

	switch (setjmp(back)) {
	case 0:
		p = &b;
		n = 5;
		jump(v);
		break;
	case 1:
		n = 1;
		break;
	default:
		n -= 3;
	}
	*p = (int)n;
	return b;
}
#elif WAY == 5 /* halves of it are written */
static int *table[2] = { &a, &b };
static int flow(int v)
{
	volatile union {
		int *whole;
		unsigned half[2];
	} p = { .whole = &a };
	volatile unsigned *from = (volatile unsigned *)&table[1];

	p.half[0] = from[0];
	p.half[1] = from[1];
	*p.whole = v;
	return b;
}
#elif WAY == 6 /* moved on in memory */
static int cells[4];
static int flow(int v)
{
	int *volatile p = cells;

	p++;
	p += 2;
	--p;
	*p = v;
	return cells[2];
}
#elif WAY == 7 /* all its bits turned, twice */
static int flow(int v)
{
	volatile uintptr_t p = (uintptr_t)&a;

	p = (uintptr_t)&b;
	p = ~p;
	p = -p;
	p = -p;
	p = ~p;
	*(int *)p = v;
	return b;
}
#elif WAY == 8 /* swapped with what a register holds */
static int flow(int v)
{
	int *volatile p = &a, *other = &b;

	__asm__ volatile("xchgq %0, %1" : "+m"(p), "+r"(other) : : "memory");
	*p = v;
	return *other == 0 ? b : 9;
}
#elif WAY == 9 /* pushed here, popped there */
static int flow(int v)
{
	int *volatile p = &a, *volatile q = &b;

	__asm__ volatile("subq $128, %%rsp\n\tpushq %1\n\tpopq %0\n\taddq $128, %%rsp" : "=r"(p) : "r"(q) : "memory", "cc");
	*p = v;
	return b;
}
#elif WAY == 10 /* by its address, in another function */
KEPT static void turn(int *volatile *at)
{
	*at = &b;
}
static int flow(int v)
{
	int *volatile p = &a;

	turn(&p);
	*p = v;
	return b;
}
#elif WAY == 11 /* by its address, in another thread */
static int *volatile *where;
static void *turns(void *arg)
{
	*where = &b;
	return arg;
}
static int flow(int v)
{
	int *volatile p = &a;
	pthread_t t;

	where = &p;
	pthread_create(&t, NULL, turns, NULL);
	pthread_join(t, NULL);
	*p = v;
	return b;
}
#elif WAY == 12 /* behind the neighbour's address */
static int flow(int v)
{
	struct {
		int *volatile first, *volatile second;
	} both = { &a, &a };
	int *volatile *at = &both.first;

	at[sink > 0] = &b;
	*both.second = v;
	return b;
}
#elif WAY == 13 /* chosen by what was read the time before */
static int flow(int v)
{
	int *volatile p = &a;
	volatile int state = 0;

	while (state < 3) {
		switch (state) {
		case 0:
			state = 2;
			break;
		case 1:
			*p = v;
			state = 3;
			break;
		default:
			p = &b;
			state = 1;
		}
	}
	return b;
}
#elif WAY == 14 /* set on one way only, into the middle of a loop */
static int flow(int v)
{
	int *volatile p;
	volatile int n = 0;

	if (sink > 0)
		goto middle;
	p = &a;
again:
	*p = 7;
middle:
	p = &b;
	*p = v;
	if (n++ < 1)
		goto again;
	*p = v;
	return b;
}
#elif WAY == 15 /* handed over on the stack, with others before it */
KEPT static void put(int n1, int n2, int n3, int n4, int n5, int n6, int *p, int *q, int v)
{
	sink += n1 + n2 + n3 + n4 + n5 + n6;
	p = sink > 0 ? q : p;
	*p = v;
}
static int flow(int v)
{
	put(1, 2, 3, 4, 5, 6, &a, &b, v);
	return b;
}
#elif WAY == 16 /* one of an unknown number of arguments */
KEPT static void put(int n, ...)
{
	va_list list;
	int *volatile p = &a;

	va_start(list, n);
	while (n--)
		p = va_arg(list, int *);
	va_end(list);
	*p = sink;
}
static int flow(int v)
{
	sink = v;
	put(8, &a, &a, &a, &a, &a, &a, &a, &b);
	return b;
}
#elif WAY == 17 /* below a block of unknown size */
static int flow(int v)
{
	int *volatile p = &a;
	char *block = __builtin_alloca((size_t)(sink & 3) * 16 + 16);

	block[0] = 1;
	p = &b;
	memset(block, 0, 16);
	*p = v;
	return b;
}
#elif WAY == 18 /* copied as part of a structure */
struct pair {
	int *volatile to;
	long more;
};
KEPT static struct pair made(void)
{
	return (struct pair){ &b, 1 };
}
static int flow(int v)
{
	struct pair p = { &a, 0 };

	*p.to = 7;
	p = made();
	*p.to = v;
	return b;
}
#elif WAY == 19 /* the last call of a function, with the words of its frame */
KEPT static int last(int *p, int v)
{
	*p = v;
	return b;
}
KEPT static int next(int *volatile p, int v)
{
	int *volatile q = p;

	p = &b;
	q = p;
	return last(q, v);
}
static int flow(int v)
{
	return next(&a, v);
}
#elif WAY == 20 /* compared and exchanged */
static int flow(int v)
{
	int *volatile p = &a, *expected = &a;

	__atomic_compare_exchange_n(&p, &expected, &b, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	*p = v;
	return b;
}
#elif WAY == 21 /* of the function that called, in one that is nested in it by inlining */
static inline __attribute__((always_inline)) void set(int *volatile *at, int *to)
{
	*at = to;
}
static int flow(int v)
{
	int *volatile p = &a;

	set(&p, &b);
	*p = v;
	set(&p, &a);
	return b + *p;
}
#elif WAY == 22 /* two bits of it by or, after it was masked */
static int cells[4] __attribute__((aligned(16)));
static int flow(int v)
{
	volatile uintptr_t p = (uintptr_t)&cells[0];

	p |= 12;
	p &= ~(uintptr_t)4;
	*(int *)p = v;
	return cells[2];
}
#endif
