/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inline assembler with operands of all kinds: what it computes must be what it computes without vtb. bug: one thread
 * leaves the lock out. fault: it is taken where nothing is. fork: a child process does the same once more. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct table {
	long pad;
	int cell[4];
	unsigned char byte;
	unsigned short half;
	uint64_t word;
	__uint128_t wide __attribute__((aligned(16)));
};

static struct table table;
static volatile int lock;
static long total;
static int leave_out;

static void take(volatile int *l)
{
	int one = 1;

	do {
		while (({ int v; __asm__ volatile("movl %1, %0" : "=r"(v) : "m"(*l)); v; }))
			__asm__ volatile("pause");
		one = 1;
		__asm__ volatile("xchgl %0, %1" : "+r"(one), "+m"(*l) : : "memory");
	} while (one);
}

static void give(volatile int *l)
{
	__asm__ volatile("movl $0, %0" : "=m"(*l) : : "memory");
}

/* All of it changes `table` in a known way. */
static void __attribute__((noinline)) forms(struct table *t, long i)
{
	int on_stack[4] = { 1, 2, 3, 4 }, was, flags;
	uint64_t old;
	unsigned char set;

	__asm__ volatile("lock addl $3, %0" : "+m"(table.cell[0]));                                /* rip, immediate */
	__asm__ volatile("lock incl 8(%0,%1,4)" : : "r"(t), "r"(i) : "memory");                    /* base, index */
	__asm__ volatile("movq %0, %%r12\n\tmovq %1, %%r13\n\tlock decl 8(%%r12,%%r13,4)\n\tlock incl 8(%%r12,%%r13,4)"
	                 : : "r"(t), "r"(i) : "r12", "r13", "memory");
	__asm__ volatile("movq %0, %%r13\n\taddl $5, 8(%%r13)" : : "r"(t) : "r13", "memory");      /* no lock: two steps */
	__asm__ volatile("lock xaddq %0, %1" : "=r"(old), "+m"(t->word) : "0"(7ul));
	__asm__ volatile("movb %1, %0" : "=m"(t->byte) : "q"((unsigned char)(t->byte + 1)));
	__asm__ volatile("movw %1, %0" : "=m"(t->half) : "r"((unsigned short)(t->half + 2)));
	was = 100;
	__asm__ volatile("lock cmpxchgl %3, %1\n\tsete %2" : "+a"(was), "+m"(on_stack[1]), "=q"(set) : "r"(9)); /* fails */
	assert(was == 2 && !set && on_stack[1] == 2);
	__asm__ volatile("lock cmpxchgl %3, %1\n\tsete %2" : "+a"(was), "+m"(on_stack[1]), "=q"(set) : "r"(9));
	assert(set && on_stack[1] == 9);
	/* flags live across a plain access */
	__asm__ volatile("cmpl %2, %2\n\tmovl %1, %0\n\tsete %b0\n\tmovzbl %b0, %0"
	                 : "=&q"(flags) : "m"(t->cell[2]), "r"(was));
	assert(flags == 1);
	/* vectors, and what lies below the stack pointer */
	__asm__ volatile("movups %1, %%xmm3\n\tmovups %%xmm3, %0" : "=m"(t->wide) : "m"(*on_stack) : "xmm3");
	__asm__ volatile("movq $77, -16(%%rsp)\n\tlock incl %1\n\tmovq -16(%%rsp), %0" : "=r"(old), "+m"(t->cell[3]));
	assert(old == 77);
	assert(!memcmp(&t->wide, on_stack, 16));
}

static void *work(void *arg)
{
	if (!leave_out || arg)
		take(&lock);
	forms(&table, 1);
	total++;
	if (!leave_out || arg)
		give(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	int status;

	leave_out = argc > 1 && !strcmp(argv[1], "bug");
	if (argc > 1 && !strcmp(argv[1], "fault"))
		take(NULL);
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		pid_t child = fork();

		if (!child) {
			take(&lock);
			forms(&table, 1);
			give(&lock);
			_exit(table.cell[0] == 24 ? 0 : 3);
		}
		waitpid(child, &status, 0);
		assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	assert(total == 2);
	assert(table.cell[0] == 16 && table.cell[1] == 2 && table.cell[3] == 2);
	assert(table.word == 14 && table.byte == 2 && table.half == 4);
	puts("ok");
	return 0;
}
