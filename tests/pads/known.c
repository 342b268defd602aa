/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Atomic operations of every form that a pad may tell of before it is made (runtime/hooks/pads/pads_known.c): by each
 * register, in each width, by numbers. Behind each one stands a read of what it has made of `x`; pads.py holds the two
 * values against each other. Two threads in turns, so that there is something to schedule.
 */
#include <pthread.h>
#include <stdint.h>

volatile uint64_t x __attribute__((aligned(8)));
uint64_t by; /* the asm statements name them */
static uint64_t sum;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* What is pushed lies below the red zone. The read is of the width of the operation. */
#define OPERATION(wide, op, reg, type)                                                                          \
	do {                                                                                                    \
		by = by * 6364136223846793005ull + 1442695040888963407ull;                                      \
		__asm__ volatile("leaq -128(%%rsp), %%rsp\n\tpushq %%" wide "\n\tmovq by(%%rip), %%" wide "\n\t" op \
		                 " %%" reg ", x(%%rip)\n\tpopq %%" wide "\n\tleaq 128(%%rsp), %%rsp"            \
		                 :                                                                              \
		                 :                                                                              \
		                 : "memory", "cc");                                                             \
		sum += *(volatile type *)&x;                                                                    \
	} while (0);
#define WIDTHS(op, q, l, w, b) \
	OPERATION(q, op, q, uint64_t) OPERATION(q, op, l, uint32_t) OPERATION(q, op, w, uint16_t) OPERATION(q, op, b, uint8_t)
#define REGISTERS(op)                                                                                              \
	WIDTHS(op, "rax", "eax", "ax", "al") WIDTHS(op, "rbx", "ebx", "bx", "bl") WIDTHS(op, "rcx", "ecx", "cx", "cl") \
	WIDTHS(op, "rdx", "edx", "dx", "dl") WIDTHS(op, "rsi", "esi", "si", "sil") WIDTHS(op, "rdi", "edi", "di", "dil") \
	WIDTHS(op, "rbp", "ebp", "bp", "bpl") NUMBERED(op, "8") NUMBERED(op, "9") NUMBERED(op, "10") NUMBERED(op, "11")  \
	NUMBERED(op, "12") NUMBERED(op, "13") NUMBERED(op, "14") NUMBERED(op, "15")
#define NUMBERED(op, n) WIDTHS(op, "r" n, "r" n "d", "r" n "w", "r" n "b")

#define BY_NUMBER(op, type)                                             \
	do {                                                            \
		__asm__ volatile(op : : : "memory", "cc");              \
		sum += *(volatile type *)&x;                            \
	} while (0);
#define NUMBER(op, n)                                                                                      \
	BY_NUMBER(op "q $" n ", x(%%rip)", uint64_t) BY_NUMBER(op "l $" n ", x(%%rip)", uint32_t)          \
	BY_NUMBER(op "w $" n ", x(%%rip)", uint16_t) BY_NUMBER(op "b $" n ", x(%%rip)", uint8_t)
#define NO_NUMBER(op)                                                                              \
	BY_NUMBER(op "q x(%%rip)", uint64_t) BY_NUMBER(op "l x(%%rip)", uint32_t)                  \
	BY_NUMBER(op "w x(%%rip)", uint16_t) BY_NUMBER(op "b x(%%rip)", uint8_t)

/* One that finds what it expects, and one that does not. */
#define EXCHANGE(type, value)                                                                                    \
	do {                                                                                                     \
		type expected = (type)x;                                                                         \
                                                                                                                 \
		__atomic_compare_exchange_n((type *)(uint64_t)&x, &expected, (type)(value), 0, __ATOMIC_SEQ_CST, \
		                            __ATOMIC_SEQ_CST);                                                   \
		sum += *(volatile type *)&x;                                                                     \
		expected = (type)(x + 1);                                                                        \
		__atomic_compare_exchange_n((type *)(uint64_t)&x, &expected, (type)(value), 0, __ATOMIC_SEQ_CST, \
		                            __ATOMIC_SEQ_CST);                                                   \
		sum += *(volatile type *)&x;                                                                     \
	} while (0);

static void *run(void *arg)
{
	pthread_mutex_lock(&turn);
	by += (uint64_t)arg;
	REGISTERS("xchg")
	REGISTERS("lock xadd")
	REGISTERS("lock; add")
	REGISTERS("lock sub")
	REGISTERS("lock or")
	REGISTERS("lock xor")
	REGISTERS("lock and")
	NUMBER("lock add", "1")
	NUMBER("lock sub", "-1")
	NUMBER("lock xor", "0x55")
	NUMBER("lock or", "-128")
	NUMBER("lock and", "127")
	BY_NUMBER("lock addl $100000, x(%%rip)", uint32_t)
	BY_NUMBER("lock addq $-32768, x(%%rip)", uint64_t)
	NO_NUMBER("lock inc")
	NO_NUMBER("lock dec")
	NO_NUMBER("lock neg")
	NO_NUMBER("lock not")
	EXCHANGE(uint64_t, 0x123456789abcdefull)
	EXCHANGE(uint32_t, 77)
	EXCHANGE(uint16_t, 65535)
	EXCHANGE(uint8_t, 200)
	__atomic_store_n(&x, 5, __ATOMIC_RELEASE);
	sum += x;
	__atomic_store_n(&x, sum, __ATOMIC_RELEASE);
	sum += x;
	sum += __atomic_load_n(&x, __ATOMIC_ACQUIRE);
	pthread_mutex_unlock(&turn);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	for (uint64_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
