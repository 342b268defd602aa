/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses that a compiler gives no hook (blind_...; at -O0 those of inline_... are calls) and others, all of them
 * hooked or private (seen_...). */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct word {
	int a;
};
struct pair {
	long a, b;
};
struct large {
	long a[6];
};
struct bits {
	unsigned a : 3, b : 5, c;
};
struct node {
	struct node *next;
	long value;
	struct large in;
};
#define F __attribute__((noipa))

static volatile long number;
static struct large global;
static struct pair global_pair;
static int table[64];
static const int constants[] = { 3, 5, 7, 11, 13 };
static _Thread_local long own;
static _Atomic long counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

F static int take_word(struct word x)
{
	return x.a;
}
F static long take_pair(struct pair x)
{
	return x.a + x.b;
}
F static long take_large(struct large x)
{
	return x.a[0] + x.a[5];
}
F static struct word make_word(int x)
{
	return (struct word){ x };
}
F static struct pair make_pair(long x)
{
	return (struct pair){ x, x + 1 };
}
F static struct large seen_make_large(long x)
{
	return (struct large){ { x, 1, 2, 3, 4, x } };
}

F int blind_argument_word(struct word *p)
{
	return take_word(*p);
}
F long blind_argument_pair(struct pair *p)
{
	return take_pair(*p);
}
F long blind_argument_large(struct large *p)
{
	return take_large(*p);
}
F long blind_argument_of_a_part(struct node *p)
{
	return take_large(p->next->in);
}
F long blind_argument_global(void)
{
	return take_large(global) + take_pair(global_pair);
}
F long blind_argument_element(struct pair *p, int i)
{
	return take_pair(p[i]);
}
F void blind_result_word(struct word *p)
{
	*p = make_word(3);
}
F void blind_result_pair(struct pair *p)
{
	*p = make_pair(3);
}
F void blind_result_large(struct large *p)
{
	*p = seen_make_large(3);
}
F void blind_result_global(void)
{
	global_pair = make_pair(4);
}
/* What was told before a call is not told again behind it. */
F long blind_later(struct word *p)
{
	int x = p->a;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return x + take_word(*p);
}
F long blind_on_one_way(struct word *p, int c)
{
	long x = 0;
	if (c)
		x = p->a;
	return x + take_word(*p);
}
F long blind_in_a_loop(struct pair *p, int n)
{
	long x = 0;
	for (int i = 0; i < n; i++)
		x += p[i].a + take_pair(p[i]);
	return x;
}
F void blind_bits(struct bits *p)
{
	p->a = 1;
}
F int blind_assembler(volatile int *p)
{
	__asm__ volatile("addl $1, %0" : "+m"(*p));
	return 1;
}
F __attribute__((no_sanitize("thread"))) long blind_without_hooks(long *p)
{
	return *p + 1;
}
F void inline_copy(char *p)
{
	memcpy(p, "other", 5);
}
F void inline_fill(char *p)
{
	memset(p, 0, 24);
}

F struct pair seen_return_pair(struct pair *p)
{
	return *p;
}
F struct large seen_return_large(struct large *p)
{
	return *p;
}
F struct large seen_hand_on(struct large *p)
{
	return seen_return_large(p);
}
F void seen_copy(struct large *p, struct large *q)
{
	*p = *q;
}
F void seen_copy_pair(struct pair *p, struct pair *q)
{
	*p = *q;
}
F struct large seen_in_place(long x)
{
	struct large l = { { x } };
	for (int i = 1; i < 6; i++)
		l.a[i] = l.a[i - 1] + x;
	return l;
}
F long seen_own_argument(long x)
{
	struct large l = { { x } };
	l.a[x & 3]++;
	return take_large(l);
}
F long seen_loop(long *p, int n)
{
	long x = 0;
	for (int i = 0; i < n; i++)
		x += p[i] * p[n - i];
	return x;
}
F void seen_step(int *p, unsigned n)
{
	for (unsigned i = 1; i < n; i += 3)
		p[i] = p[i - 1] + table[i & 63];
}
F long seen_nested(int (*p)[7], int n)
{
	long x = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 7; k++)
			x += p[i][k]++;
	return x;
}
F long seen_list(struct node *p)
{
	long x = 0;
	for (; p; p = p->next)
		if (p->value > 3)
			x += p->value;
		else
			p->value += x;
	return x;
}
F long seen_choice(long *p, long *q, int c)
{
	return c ? *p : *q;
}
F int seen_switch(int i)
{
	switch (i) {
	case 0:
		return table[1];
	case 1:
		return table[2]++;
	case 2:
		number++;
		return 1;
	case 3:
		return (int)number;
	case 4:
		table[5] = 1;
		return 3;
	case 5:
		return table[6] + table[7];
	default:
		return 0;
	}
}
F int seen_constants(int i)
{
	int x = 0;
	while (i-- > 0)
		x += constants[i % 5];
	return x;
}
F long seen_stack(int n)
{
	long a[n + 4], b[16];
	for (int i = 0; i < n + 4; i++)
		a[i] = i;
	for (int i = 0; i < 16; i++)
		b[i] = a[i % n] + i;
	return b[n & 15];
}
F long seen_arguments(int n, ...)
{
	va_list l;
	long x = 0;
	va_start(l, n);
	while (n-- > 0)
		x += va_arg(l, long);
	va_end(l);
	return x;
}
F long seen_thread_local(long x)
{
	own += x;
	return own;
}
F long seen_atomic(long x)
{
	while (!atomic_load(&counter))
		x++;
	atomic_fetch_add(&counter, x);
	return counter;
}
F long seen_double(double *p, float *q)
{
	*q = (float)*p;
	return (long)(*p * *q);
}
F void seen_swap(char *p, int n)
{
	for (int i = 0; i < n / 2; i++) {
		char c = p[i];
		p[i] = p[n - 1 - i];
		p[n - 1 - i] = c;
	}
}
F long seen_allocated(int n)
{
	long *p = calloc((size_t)n + 1, sizeof(*p)), x;
	for (int i = 0; i < n; i++)
		p[i + 1] = p[i] + i;
	x = p[n];
	free(p);
	return x;
}
F void seen_end(void)
{
	if (number == 7)
		abort();
	number = 3;
}
static int order(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
F void seen_called_back(void)
{
	qsort(table, 64, sizeof(*table), order);
}
/* Who gives a function the place for its result: not on the stack, here. */
F struct large *given(struct large *p)
{
	memset(p, 0, sizeof(*p));
	return p;
}
F long inline_given(struct node *p)
{
	return given(&p->in)->a[3];
}
F long seen_given(void)
{
	struct large l;
	return given(&l)->a[3];
}

int main(int argc, char **argv)
{
	return argc + (argv[0] != NULL) > 100 ? (int)seen_hand_on(&global).a[0] : 0;
}
