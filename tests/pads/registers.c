/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything a pad must leave alone: flags, general registers, x87 and vector registers (all 256 bits), mxcsr, the 128
 * bytes below the stack
 * pointer. registers [ROUNDS]. Two threads with different patterns go through the same accesses; one asm statement
 * loads all registers, makes accesses of
 * every kind, and stores the registers again. Built with -mno-red-zone: the red zone is this file's own.
 */
#include <cpuid.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state {
	uint64_t gpr[14]; /* rax rcx rdx rbx rsi rdi r8 .. r15 */
	uint64_t flags;
	uint32_t mxcsr, pad;
	uint8_t ymm[16][32];
	uint64_t red_zone[16];
	long double st;
};

volatile uint64_t shared, swapped; /* the asm statement names them */
static _Thread_local struct state in, out;
static int avx;
static unsigned rounds = 64;

#define FLAGS 0x8d5u /* carry, parity, adjust, zero, sign, overflow */

#define EACH_VECTOR(x) x("0") x("1") x("2") x("3") x("4") x("5") x("6") x("7") x("8") x("9") x("10") x("11") x("12") x("13") x("14") x("15")

/* rbp: in, rdi: out, both kept; the other registers come from `in`. */
#define LOAD_GPR(r, at) "movq " #at "(%%rbp), %%" r "\n\t"
#define KEEP_GPR(r, at) "movq %%" r ", " #at "(%%rdi)\n\t"

#define GO(load_vector, keep_vector) \
	__asm__ volatile( \
		"pushq %%rbp\n\tmovq %%rsi, %%rbp\n\t" \
		load_vector \
		"ldmxcsr 120(%%rbp)\n\tfldt 768(%%rbp)\n\t" \
		"leaq -128(%%rsp), %%rsp\n\t" \
		"movl $16, %%ecx\n\t" \
		"1: movq 632(%%rbp,%%rcx,8), %%rax\n\tmovq %%rax, -8(%%rsp,%%rcx,8)\n\tdecl %%ecx\n\tjnz 1b\n\t" \
		"leaq 128(%%rsp), %%rsp\n\t" \
		"pushq 112(%%rbp)\n\tpopfq\n\t" \
		LOAD_GPR("rax", 0) LOAD_GPR("rcx", 8) LOAD_GPR("rdx", 16) LOAD_GPR("rbx", 24) LOAD_GPR("rsi", 32) LOAD_GPR("r8", 48) LOAD_GPR("r9", 56) \
		LOAD_GPR("r10", 64) LOAD_GPR("r11", 72) LOAD_GPR("r12", 80) LOAD_GPR("r13", 88) LOAD_GPR("r14", 96) LOAD_GPR("r15", 104) \
		"movq %%r15, shared(%%rip)\n\tmovq shared(%%rip), %%r15\n\tmovq 104(%%rbp), %%r15\n\t" /* another thread may have written in between */ \
		KEEP_GPR("rax", 0) KEEP_GPR("rcx", 8) KEEP_GPR("rdx", 16) KEEP_GPR("rbx", 24) KEEP_GPR("rsi", 32) KEEP_GPR("r8", 48) KEEP_GPR("r9", 56) \
		KEEP_GPR("r10", 64) KEEP_GPR("r11", 72) KEEP_GPR("r12", 80) KEEP_GPR("r13", 88) KEEP_GPR("r14", 96) KEEP_GPR("r15", 104) \
		"movb $1, shared+1(%%rip)\n\t" \
		"movq %%rbx, %%rax\n\txchgq %%rax, swapped(%%rip)\n\tmovq %%rbx, swapped(%%rip)\n\t" \
		"leaq -112(%%rsp), %%rsp\n\tpushfq\n\tpopq %%rax\n\tleaq 112(%%rsp), %%rsp\n\t" \
		"movq %%rax, 112(%%rdi)\n\t" \
		"leaq -128(%%rsp), %%rsp\n\t" \
		"movl $16, %%ecx\n\t" \
		"2: movq -8(%%rsp,%%rcx,8), %%rax\n\tmovq %%rax, 632(%%rdi,%%rcx,8)\n\tdecl %%ecx\n\tjnz 2b\n\t" \
		"leaq 128(%%rsp), %%rsp\n\t" \
		"stmxcsr 120(%%rdi)\n\tfstpt 768(%%rdi)\n\t" \
		keep_vector \
		"popq %%rbp\n\t" \
		: "+S"(from), "+D"(to) \
		: \
		: "rax", "rcx", "rdx", "rbx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
		  "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

#define LOAD_SSE(i) "movups 128+32*" i "(%%rbp), %%xmm" i "\n\t"
#define KEEP_SSE(i) "movups %%xmm" i ", 128+32*" i "(%%rdi)\n\t"
#define LOAD_AVX(i) "vmovups 128+32*" i "(%%rbp), %%ymm" i "\n\t"
#define KEEP_AVX(i) "vmovups %%ymm" i ", 128+32*" i "(%%rdi)\n\t"

static void go(struct state *from, struct state *to)
{
	if (avx)
		GO(EACH_VECTOR(LOAD_AVX), EACH_VECTOR(KEEP_AVX) "vzeroupper\n\t");
	else
		GO(EACH_VECTOR(LOAD_SSE), EACH_VECTOR(KEEP_SSE));
}

_Static_assert(__builtin_offsetof(struct state, flags) == 112 && __builtin_offsetof(struct state, mxcsr) == 120 && __builtin_offsetof(struct state, ymm) == 128, "as in the asm statement");
_Static_assert(__builtin_offsetof(struct state, red_zone) == 640 && __builtin_offsetof(struct state, st) == 768, "as in the asm statement");

static uint64_t pattern(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	return *x ^= *x << 17;
}

static const char *difference(void)
{
	for (int i = 0; i < 14; i++)
		if (i != 5 && in.gpr[i] != out.gpr[i]) /* rdi is where `out` lies */
			return "a general register";
	if ((in.flags ^ out.flags) & FLAGS)
		return "the flags";
	if ((in.mxcsr ^ out.mxcsr) & ~0x3fu)
		return "mxcsr";
	for (int i = 0; i < 16; i++)
		if (memcmp(in.ymm[i], out.ymm[i], avx ? 32 : 16))
			return "a vector register";
	if (memcmp(in.red_zone + 2, out.red_zone + 2, 13 * 8)) /* words 1 and 15 are where the flags are pushed */
		return "the red zone";
	return memcmp(&in.st, &out.st, 10) ? "an x87 register" : NULL;
}

static void *run(void *arg)
{
	uint64_t x = (uint64_t)arg * 0x9e3779b97f4a7c15ull + 1;

	for (unsigned round = 0; round < rounds; round++) {
		const char *what;

		for (int i = 0; i < 14; i++)
			in.gpr[i] = pattern(&x);
		in.flags = 2 | 0x200 | ((round & 1) | (round & 2) << 1 | (round & 4) << 2 | (round & 8) << 3 | (round & 16) << 3 | (uint64_t)(round & 32) << 6);
		in.mxcsr = round % 2 ? 0x1f80 : 0x7f80;
		for (int i = 0; i < 16; i++)
			for (int j = 0; j < 32; j++)
				in.ymm[i][j] = (uint8_t)pattern(&x);
		for (int i = 0; i < 16; i++)
			in.red_zone[i] = pattern(&x);
		in.st = (long double)pattern(&x) / 3;
		go(&in, &out);
		what = difference();
		if (what) {
			printf("%s has changed (round %u)\n", what, round);
			fflush(stdout);
			__builtin_trap();
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	unsigned a, b, c, d;

	if (argc > 1)
		rounds = (unsigned)strtoul(argv[1], NULL, 10);
	avx = __get_cpuid(1, &a, &b, &c, &d) && c & bit_AVX && c & bit_OSXSAVE;
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	puts("all as it was");
	return 0;
}
