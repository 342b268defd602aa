/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In the code below, as called by the program: rdi the address, everything that a call may change is ours, and no stack is used.
 *
 *     rax  the thread         rdx  where the record goes       rsi  the value      rcx, r8, r9  for anything
 */
#include "near.h"

#include "fast.h"

#define THREAD(field) "i"(offsetof(struct vtb_rt_thread, field))

/* What both modes begin with: a thread of ours, in a stretch, not inside the runtime; memory that is not on a stack. */
#define BEGIN \
	".macro vtb_near_start\n" \
	"	movq vtb_near_begin(%%rip), %%rax\n" \
	"	movq %%fs:(%%rax), %%rax\n" \
	"	testq %%rax, %%rax\n" \
	"	jz 9f\n" \
	"	movq %c[next](%%rax), %%rdx\n" \
	"	cmpq %c[limit](%%rax), %%rdx\n" \
	"	jae 9f\n" \
	"	cmpl $0, %c[inside](%%rax)\n" \
	"	jne 9f\n" \
	"	movq %%rdi, %%rcx\n" \
	"	subq %c[stacks_lo](%%rax), %%rcx\n" \
	"	cmpq %c[stacks_size](%%rax), %%rcx\n" \
	"	jb 9f\n" \
	".endm\n" \
	".macro vtb_near_slow hook\n" \
	"9:	jmp *8+8*\\hook+vtb_near_begin(%%rip)\n" \
	".endm\n"

/* A record's second word from the return address, its first from rdi. */
#define WORDS \
	".macro vtb_near_words write, size_log2, flags\n" \
	"	movq (%%rsp), %%rcx\n" \
	"	shlq $16, %%rcx\n" \
	"	orq $(\\size_log2 << 8), %%rcx\n" \
	"	movq %%rcx, 8(%%rdx)\n" \
	"	shlq $16, %%rdi\n" \
	"	orq $((%c[read] + (%c[write] - %c[read]) * \\write) << 8 | \\flags), %%rdi\n" \
	"	movq %%rdi, (%%rdx)\n" \
	".endm\n"

#define RECORD \
	".macro vtb_near_record write, size_log2\n" \
	"	vtb_near_start\n" \
	"	vtb_near_words \\write, \\size_log2, 0\n" \
	"	addq $16, %%rdx\n" \
	"	movq %%rdx, %c[next](%%rax)\n" \
	"	addq %c[bias](%%rax), %%rdx\n" \
	"	movq %c[header](%%rax), %%rax\n" \
	"	movq %%rdx, %c[used](%%rax)\n" \
	"	ret\n" \
	"	vtb_near_slow (\\write << 3 | \\size_log2)\n" \
	".endm\n"

/* A load of 2^size_log2 bytes from where `from` points into `to`, which is zero; it may fault (VTB_MAY_FAULT). */
#define LOAD \
	".macro vtb_near_load size_log2, from, to, to32\n" \
	".if \\size_log2 == 0\n" VTB_MAY_FAULT_HERE("movzbl (\\from), \\to32") \
	".elseif \\size_log2 == 1\n" VTB_MAY_FAULT_HERE("movzwl (\\from), \\to32") \
	".elseif \\size_log2 == 2\n" VTB_MAY_FAULT_HERE("movl (\\from), \\to32") \
	".else\n" VTB_MAY_FAULT_HERE("movq (\\from), \\to") \
	".endif\n" \
	".endm\n"
#define VTB_MAY_FAULT_HERE(load) \
	"771:	" load "\n772:\n" \
	".pushsection vtb_fixups, \"a\"\n" \
	".long 771b - .\n" \
	".long 772b - .\n" \
	".popsection\n"

/* vtb_note_written() */
#define WRITTEN \
	".macro vtb_near_written\n" \
	"	movq %c[word](%%rax), %%rsi\n" \
	"	testq %%rsi, %%rsi\n" \
	"	jz 1f\n" \
	"	movq $0, %c[word](%%rax)\n" \
	"	movq %c[addr](%%rax), %%r8\n" \
	"	movl %c[log2](%%rax), %%ecx\n" \
	"	xorl %%r9d, %%r9d\n" \
	"	cmpl $2, %%ecx\n" \
	"	ja 3f\n" \
	"	jb 2f\n" \
	"	vtb_near_load 2, %%r8, %%r9, %%r9d\n" \
	"	jmp 5f\n" \
	"2:	testl %%ecx, %%ecx\n" \
	"	jz 4f\n" \
	"	vtb_near_load 1, %%r8, %%r9, %%r9d\n" \
	"	jmp 5f\n" \
	"3:	vtb_near_load 3, %%r8, %%r9, %%r9d\n" \
	"	jmp 5f\n" \
	"4:	vtb_near_load 0, %%r8, %%r9, %%r9d\n" \
	"5:	movq %%r9, (%%rsi)\n" \
	"1:\n" \
	".endm\n"

/* vtb_fast_control(); memory of the heap in which something is dead is not for here. */
#define CONTROL \
	".macro vtb_near_control write, size_log2\n" \
	"	vtb_near_start\n" \
	"	movq %%rdi, %%rcx\n" \
	"	subq %c[heap_lo](%%rax), %%rcx\n" \
	"	cmpq %c[heap_size](%%rax), %%rcx\n" \
	"	jb 9f\n" \
	"	vtb_near_written\n" \
	"	xorl %%esi, %%esi\n" \
	"	vtb_near_load \\size_log2, %%rdi, %%rsi, %%esi\n" \
	".if \\write\n" \
	"	leaq 16(%%rdx), %%rcx\n" \
	"	movq %%rcx, %c[word](%%rax)\n" \
	"	movq %%rdi, %c[addr](%%rax)\n" \
	"	movl $\\size_log2, %c[log2](%%rax)\n" \
	"	movl $0, %c[spins](%%rax)\n" \
	"	movb $1, %c[wrote](%%rax)\n" \
	".else\n" \
	"	movabsq $0x9e3779b97f4a7c15, %%rcx\n" \
	"	imulq %%rdi, %%rcx\n" \
	"	shrq $58, %%rcx\n" \
	"	shlq $4, %%rcx\n" \
	"	addq %c[seen](%%rax), %%rcx\n" \
	"	cmpq %%rdi, (%%rcx)\n" \
	"	jne 6f\n" \
	"	cmpq %%rsi, 8(%%rcx)\n" \
	"	je 8f\n" \
	"6:	movq %%rdi, (%%rcx)\n" \
	"	movq %%rsi, 8(%%rcx)\n" \
	"7:\n" \
	".endif\n" \
	"	movq %%rsi, 16(%%rdx)\n" \
	"	vtb_near_words \\write, \\size_log2, 0x11\n" \
	"	addq $24, %%rdx\n" \
	"	movq %%rdx, %c[next](%%rax)\n" \
	"	ret\n" \
	".if !\\write\n" \
	"8:	cmpl $%c[rereads], %c[spins](%%rax)\n" \
	"	jae 9f\n" \
	"	cmpl $%c[rereads_own], %c[own_spins](%%rax)\n" \
	"	jae 9f\n" \
	"	incl %c[spins](%%rax)\n" \
	"	incl %c[own_spins](%%rax)\n" \
	"	jmp 7b\n" \
	".endif\n" \
	"	vtb_near_slow (\\write << 3 | \\size_log2)\n" \
	".endm\n"

#define ENTRY(mode, write, log2) ".p2align 5\nvtb_near_" #mode "_" #write "_" #log2 ": vtb_near_" #mode " " #write ", " #log2 "\n"
#define ENTRIES(mode, write) ENTRY(mode, write, 0) ENTRY(mode, write, 1) ENTRY(mode, write, 2) ENTRY(mode, write, 3) ENTRY(mode, write, 4)
#define PLACE(mode, write, log2) "	.long vtb_near_" #mode "_" #write "_" #log2 " - vtb_near_begin\n"
#define PLACES(mode, write) PLACE(mode, write, 0) PLACE(mode, write, 1) PLACE(mode, write, 2) PLACE(mode, write, 3) PLACE(mode, write, 4) "	.long 0, 0, 0\n"

extern const uint32_t vtb_near_places[2][VTB_SITE_HOOKS] __attribute__((visibility("hidden")));

/* Never called: a place for assembly with operands. */
__attribute__((used, noinline)) static void code(void)
{
	__asm__ volatile(BEGIN WORDS RECORD LOAD WRITTEN CONTROL
		".pushsection .rodata\n"
		".hidden vtb_near_begin, vtb_near_end, vtb_near_places\n"
		".globl vtb_near_begin, vtb_near_end, vtb_near_places\n"
		".p2align 6\n"
		"vtb_near_begin: .fill %c[words], 1, 0\n"
		ENTRIES(record, 0) ENTRIES(record, 1) ENTRIES(control, 0) ENTRIES(control, 1)
		"vtb_near_end:\n"
		".p2align 2\n"
		"vtb_near_places:\n"
		PLACES(record, 0) PLACES(record, 1) PLACES(control, 0) PLACES(control, 1)
		".popsection\n"
		:
		: [words] "i"(sizeof(struct vtb_near_words)), [next] THREAD(stream.next), [limit] THREAD(stream.limit), [inside] THREAD(inside), [stacks_lo] THREAD(stream.stacks_lo), [stacks_size] THREAD(stream.stacks_size),
		  [heap_lo] THREAD(stream.heap_lo), [heap_size] THREAD(stream.heap_size), [bias] THREAD(stream.used_bias), [header] THREAD(stream.header), [used] "i"(offsetof(struct vtb_stream_header, used)),
		  [word] THREAD(written_word), [addr] THREAD(written_addr), [log2] THREAD(written_log2), [spins] THREAD(spins), [own_spins] THREAD(own_spins), [wrote] THREAD(wrote), [seen] THREAD(seen),
		  [read] "i"(VTB_E_READ), [write] "i"(VTB_E_WRITE), [rereads] "i"(VTB_REREADS), [rereads_own] "i"(VTB_REREADS_OWN));
}

uint32_t vtb_near_entry(enum vtb_wire_mode mode, unsigned hook)
{
	return hook < VTB_SITE_HOOKS && mode != VTB_MODE_OFF ? vtb_near_places[mode == VTB_MODE_CONTROL][hook] : 0;
}
