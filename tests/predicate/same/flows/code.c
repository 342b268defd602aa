/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asserted has gone an unusual way, in code. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "flow.h"

#if WAY == 1 /* SSE registers, packed */
typedef int quad __attribute__((vector_size(16)));
static quad lanes;
KEPT static quad shuffled(quad q)
{
	return (quad){ q[3], q[2], q[1], q[0] } * 3;
}
static int flow(int v)
{
	lanes = (quad){ v, 7, 8, 9 };
	return shuffled(lanes)[3] / 3;
}
#elif WAY == 2 /* x87 */
static long double deep;
KEPT static long double root(long double x)
{
	return __builtin_sqrtl(x * x) + 0.5L;
}
static int flow(int v)
{
	deep = root(v);
	return (int)deep;
}
#elif WAY == 3 /* rep movs, by hand */
static char from[16], to[16];
static int flow(int v)
{
	void *d = to, *s = from;
	size_t n = 16;

	from[9] = (char)v;
	__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
	return to[9];
}
#elif WAY == 4 /* carry and borrow */
static unsigned long low, high;
static int flow(int v)
{
	unsigned char c;
	unsigned long r, h = 0;

	low = (unsigned long)v;
	c = __builtin_sub_overflow(low, 2ul, &r);
	h = high - c;
	return h == 0 ? 2 : 1;
}
#elif WAY == 5 /* sbb mask by hand */
static unsigned word;
static int flow(int v)
{
	unsigned m;

	word = (unsigned)v;
	__asm__("cmpl $2, %1\n\tsbbl %0, %0" : "=r"(m) : "r"(word) : "cc");
	return m ? 1 : 2;
}
#elif WAY == 6 /* computed goto */
static int flow(int v)
{
	static void *const ways[] = { &&none, &&one, &&two };
	int r;

	goto *ways[v & 3];
one:
	r = 1;
	goto out;
two:
	r = 2;
	goto out;
none:
	r = 9;
out:
	return r;
}
#elif WAY == 7 /* a tail call through a pointer, chosen by a comparison */
KEPT static int give1(int v)
{
	sink += v;
	return 1;
}
KEPT static int give2(int v)
{
	sink -= v;
	return 2;
}
static int (*const gives[])(int) = { give1, give2 };
KEPT static int tail(int v)
{
	return gives[v == 2](v);
}
static int flow(int v)
{
	return tail(v);
}
#elif WAY == 8 /* of a thread's own memory, through another's pointer */
static __thread int own;
static int *theirs;
static int flow(int v)
{
	theirs = &own;
	*theirs = v;
	return own;
}
#elif WAY == 9 /* bit-fields */
static struct {
	unsigned a : 3, b : 2, c : 11, d : 16;
} bits;
static int flow(int v)
{
	bits.a = 7;
	bits.b = (unsigned)v & 3;
	bits.c = 1000;
	return (int)(bits.b);
}
#elif WAY == 10 /* a struct that comes back in two registers, one of them SSE */
struct mixed {
	double real;
	long whole;
};
KEPT static struct mixed mix(int v)
{
	return (struct mixed){ v * 0.5, 3 - v };
}
static struct mixed last;
static int flow(int v)
{
	last = mix(v);
	return (int)(last.real * 2);
}
#elif WAY == 11 /* varargs of floating point */
KEPT static double sum(int n, ...)
{
	va_list list;
	double s = 0;

	va_start(list, n);
	while (n--)
		s += va_arg(list, double);
	va_end(list);
	return s;
}
static int flow(int v)
{
	return (int)sum(3, 1.25, (double)v, -1.25);
}
#elif WAY == 12 /* alloca and a frame of unknown size */
KEPT static int *put(int *at, int v)
{
	at[v] = v;
	return at;
}
static int flow(int v)
{
	int n = 3 + v, *at = __builtin_alloca((size_t)n * sizeof(int));

	memset(at, 0, (size_t)n * sizeof(int));
	put(at, v);
	return at[1] ? 1 : 2;
}
#elif WAY == 13 /* popcnt, bsf, bswap, xchg, xadd, cpu flags through lahf */
static unsigned long word;
static int flow(int v)
{
	word = 1ul << (v * 5);
	word = __builtin_bswap64(word);
	word = __builtin_bswap64(word);
	return __builtin_ctzl(word) / 5;
}
#elif WAY == 14 /* push and pop, pushf */
static int flow(int v)
{
	unsigned long flags;

	__asm__ volatile("cmpl $1, %1\n\tpushfq\n\tpopq %0" : "=r"(flags) : "r"(v) : "cc", "memory");
	return flags & 64 ? 1 : 2;
}
#elif WAY == 15 /* an address as a number */
static int cells[3] = { 0, 1, 2 };
static uintptr_t mask = 0x5555;
static int flow(int v)
{
	uintptr_t at = (uintptr_t)&cells[v] ^ mask;

	sink++;
	return *(int *)(at ^ mask);
}
#elif WAY == 16 /* a nested function's trampoline-free frame: pointer to a local through a global */
static int *where;
KEPT static void set(int v)
{
	*where = v;
}
static int flow(int v)
{
	int mine = 0;

	where = &mine;
	set(v);
	return *(volatile int *)&mine;
}
#elif WAY == 17 /* swap of pointers by memcpy */
static int a = 1, b = 2, *p = &a, *q = &b;
static int flow(int v)
{
	int *t;

	if (v == 2) {
		memcpy(&t, &p, sizeof(p));
		memcpy(&p, &q, sizeof(p));
		memcpy(&q, &t, sizeof(p));
	}
	return *p;
}
#elif WAY == 18 /* AVX-free: movmskpd, comparison of doubles */
static double d[2];
static int flow(int v)
{
	d[0] = v;
	d[1] = sqrt(d[0]);
	return d[1] > 1.2 ? 2 : 1;
}
#elif WAY == 19 /* divided: quotient and remainder of one instruction, and div() */
static int flow(int v)
{
	div_t r = div(v * 7 + 3, 7);

	return r.quot;
}
#elif WAY == 20 /* loop instruction, string scan by hand */
static char buf[8];
static int flow(int v)
{
	unsigned long n = 8;
	char *at = buf;

	memset(buf, 'x', 8);
	buf[v] = 0;
	__asm__ volatile("repne scasb" : "+D"(at), "+c"(n) : "a"(0) : "cc", "memory");
	return (int)(at - buf) - 1;
}
#elif WAY == 21 /* a weak alias, a function with two names */
int real_name(int v);
KEPT int real_name(int v)
{
	return v;
}
int other_name(int v) __attribute__((alias("real_name")));
static int (*volatile by)(int) = other_name;
static int flow(int v)
{
	return by(v);
}
#elif WAY == 22 /* wide shifts: shld, rcl */
static unsigned long w;
static int flow(int v)
{
	unsigned __int128 x = (unsigned __int128)v << 100;

	w = (unsigned long)(x >> 64);
	return (int)(w >> 36);
}
#endif
