/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file owned_near.h
 * vtb_owned_pass() for the code near the program (hooks/near.c, whose words and macros this uses): registers as there.
 *
 *     known tag ──────────────────────────────────────────────────► counted
 *     tag of an earlier epoch, memory not dead ── cell written ───► counted
 *     interval that the thread knows ── others and cell written ──► counted
 *     anything else ──► the hook
 *
 * From sites that split cells (VTB_SITE_FINE) only the first line.
 */
#ifndef VTB_RT_OWNED_NEAR_H
#define VTB_RT_OWNED_NEAR_H

#include "owned.h"

_Static_assert(offsetof(struct vtb_knows, known) == 0 && offsetof(struct vtb_knows, whose) == 8 &&
                   offsetof(struct vtb_knows, first) == 16 && offsetof(struct vtb_knows, span) == 20 &&
                   offsetof(struct vtb_knows, heap_lo) == 24 && offsetof(struct vtb_knows, heap_size) == 32 &&
                   offsetof(struct vtb_knows, dead) == 40 && sizeof(struct vtb_owned_others) == 8 &&
                   offsetof(struct vtb_owned_others, reader) == 4,
               "as below");
_Static_assert(VTB_OWNED_SHIFT == 2 && VTB_OWNED_PASSED == 2 && VTB_OWNED_SHARED == 0 && VTB_OWNED_READERS == 2 &&
                   VTB_OWNED_BYTES == 24 && VTB_ORDER_NOBODY == 255 && VTB_HEAP_GRAIN == 1u << 4,
               "likewise: an asm statement has no room for more operands");

/* clang-format off */
/* To 9 unless the thread knows the interval whose number, from the epoch's first on, is in edx. */
#define VTB_OWNED_NEAR_KNOWS \
	".macro vtb_near_knows\n" \
	"	cmpl %c[knows]+20(%%rax), %%edx\n" /* span */ \
	"	jae 9f\n" \
	"	movq %c[knows]+8(%%rax), %%rsi\n" /* whose */ \
	"	movzbl (%%rsi,%%rdx), %%esi\n" \
	"	cmpl $255, %%esi\n" /* VTB_ORDER_NOBODY */ \
	"	je 9f\n" \
	"	movq %c[knows](%%rax), %%r8\n" /* known */ \
	"	movl (%%r8,%%rsi,4), %%esi\n" \
	"	subl %c[knows]+16(%%rax), %%esi\n" /* first */ \
	"	cmpl %%edx, %%esi\n" /* it may be of an earlier epoch: less than 0 */ \
	"	jl 9f\n" \
	".endm\n"

/* touch() of owned.c, as far as it does not come to sharing. r10 cells, r8 index.
 *
 *     r9  the tag        edx  an interval from the epoch's first on        r10  the cell        r11  its others
 */
#define VTB_OWNED_NEAR_TOUCH \
	".macro vtb_near_touch write, size_log2\n" \
	"	movq %c[others]+vtb_near_begin(%%rip), %%r11\n" \
	"	leaq (%%r10,%%r8,8), %%r10\n" \
	"	leaq (%%r11,%%r8,8), %%r11\n" \
	"	movl 4(%%r10), %%r9d\n" \
	"	movl %%r9d, %%edx\n" \
	"	shrl $2, %%edx\n" /* VTB_OWNED_SHIFT */ \
	"	subl %c[knows]+16(%%rax), %%edx\n" \
	"	jb 31f\n" \
	"	testl $2, %%r9d\n" /* VTB_OWNED_PASSED; what was freed is without it */ \
	"	jz 9f\n" \
	"	cmpl $2, %%edx\n" /* VTB_OWNED_READERS, below VTB_OWNED_SPLIT and VTB_OWNED_SHARED */ \
	".if \\write\n" \
	"	jbe 9f\n" \
	"	vtb_near_knows\n" \
	"	testl $%c[owned_wrote], %%r9d\n" \
	"	jnz 33f\n" \
	".else\n" \
	"	jb 9f\n" \
	"	je 32f\n" \
	"	vtb_near_knows\n" \
	"	testl $%c[owned_wrote], %%r9d\n" \
	"	jz 34f\n" \
	"	shrl $2, %%r9d\n" \
	"	movl %%r9d, (%%r11)\n" /* the last write; of others.write who knows a read's interval knows, too */ \
	"	jmp 33f\n" \
	"34:\n" \
	".endif\n" \
	"	movl 4(%%r11), %%edx\n" /* the other reader */ \
	"	subl %c[knows]+16(%%rax), %%edx\n" \
	"	jb 33f\n" \
	"	vtb_near_knows\n" \
	"33:	movl $0, 4(%%r11)\n" \
	"35:	movl %c[owned_tag](%%rax), %%r9d\n" \
	".if !\\write\n" \
	"	andl $~%c[owned_wrote], %%r9d\n" \
	".endif\n" \
	"36:	andl $%c[number], %%ecx\n" \
	"	leal 1(%%rcx), %%r8d\n" \
	"	movl %%edi, %%ecx\n" \
	"	andl $7, %%ecx\n" \
	"	movl $(1 << (1 << \\size_log2)) - 1, %%edx\n" \
	"	shll %%cl, %%edx\n" \
	"	shll $24, %%edx\n" /* VTB_OWNED_BYTES */ \
	"	orl %%edx, %%r8d\n" \
	"	shlq $32, %%r9\n" \
	"	orq %%r8, %%r9\n" \
	"	movq %%r9, (%%r10)\n" \
	".if \\write\n" \
	"	movq $1, %c[wrote](%%rax)\n" \
	".endif\n" \
	"	subl $1, %c[owned_left](%%rax)\n" \
	"	ret\n" \
	"31:	movq %%rdi, %%rdx\n" /* nobody has touched it in this epoch: but it may have been freed before */ \
	"	subq %c[knows]+24(%%rax), %%rdx\n" /* heap_lo */ \
	"	cmpq %c[knows]+32(%%rax), %%rdx\n" /* heap_size */ \
	"	jae 35b\n" \
	"	shrq $4, %%rdx\n" /* VTB_HEAP_GRAIN */ \
	"	movq %c[knows]+40(%%rax), %%rsi\n" /* dead */ \
	"	btq %%rdx, (%%rsi)\n" \
	"	jc 9f\n" \
	"	jmp 35b\n" \
	".if !\\write\n" \
	"32:	movl (%%r11), %%edx\n" /* readers: is the last write of an earlier epoch? */ \
	"	cmpl %c[knows]+16(%%rax), %%edx\n" \
	"	jb 36b\n" \
	".endif\n" \
	".endm\n"

/* Where the thread may pass over what it owns (sched/stretches/owned.h), and nobody has written in between of whom it
 * does not know, the access is counted. If nothing may be passed over, it is an access like others. */
#define VTB_OWNED_NEAR \
	VTB_OWNED_NEAR_KNOWS VTB_OWNED_NEAR_TOUCH \
	".macro vtb_near_mine write, size_log2, other\n" \
	"	movq %%fs:0, %%rax\n" \
	"881:\n" \
	".pushsection .rodata.vtb_near_selves, \"a\"\n" \
	"	.long 881b - 4 - vtb_near_begin\n" \
	".popsection\n" \
	"	testq %%rax, %%rax\n" \
	"	jz 9f\n" \
	"	cmpl $0, %c[owned_left](%%rax)\n" \
	"	je vtb_near_control_\\write\\()_\\size_log2\n" \
	"	cmpl $0, %c[inside](%%rax)\n" \
	"	jne 9f\n" \
	"	cmpq $0, %c[word](%%rax)\n" \
	"	jne 9f\n" \
	".if \\size_log2\n" \
	"	movl %%edi, %%r9d\n" \
	"	andl $7, %%r9d\n" \
	"	cmpl $8 - (1 << \\size_log2), %%r9d\n" \
	"	ja 9f\n" \
	".endif\n" \
	"	movq %c[cells]+vtb_near_begin(%%rip), %%r10\n" \
	"	movl %%edi, %%r8d\n" \
	"	shrl $3, %%r8d\n" \
	"	andl $%c[cell_mask], %%r8d\n" \
	"	movl 4(%%r10,%%r8,8), %%r9d\n" \
	".if !\\write\n" \
	"	orl $%c[owned_wrote], %%r9d\n" \
	".endif\n" \
	"	cmpl %%r9d, %c[owned_tag](%%rax)\n" \
	"	jne \\other\n" \
	".if \\write\n" \
	"	movq $1, %c[wrote](%%rax)\n" /* and spins = 0 */ \
	".endif\n" \
	"	subl $1, %c[owned_left](%%rax)\n" \
	"	ret\n" \
	".endm\n" \
	".macro vtb_near_owned write, size_log2\n" \
	"	vtb_near_mine \\write, \\size_log2, 8f\n" \
	"8:	vtb_near_touch \\write, \\size_log2\n" \
	"9:	jmp *8*(\\write << 3 | \\size_log2)+vtb_near_begin(%%rip)\n" \
	".endm\n" \
	".macro vtb_near_fine write, size_log2\n" \
	"	vtb_near_mine \\write, \\size_log2, 9f\n" \
	"9:	jmp *8*(\\write << 3 | \\size_log2)+vtb_near_begin(%%rip)\n" \
	".endm\n"

#define VTB_OWNED_NEAR_ENTRIES(mode, write) \
	ENTRY(mode, write, 0) ENTRY(mode, write, 1) ENTRY(mode, write, 2) ENTRY(mode, write, 3)
#define VTB_OWNED_NEAR_PLACES(mode, write) \
	PLACE(mode, write, 0) PLACE(mode, write, 1) PLACE(mode, write, 2) PLACE(mode, write, 3) \
	PLACE(control, write, 4) "	.long 0, 0, 0\n"
/* clang-format on */
#define VTB_OWNED_NEAR_OPERANDS                                                                               \
	[owned_left] THREAD(base.owned_left), [owned_tag] THREAD(base.owned_tag), [knows] THREAD(base.knows), \
	    [cells] "i"(offsetof(struct vtb_near_words, cells)), [cell_mask] "i"(VTB_OWNED_CELLS - 1),        \
	    [others] "i"(offsetof(struct vtb_near_words, others)), [owned_wrote] "i"(VTB_OWNED_WROTE),        \
	    [number] "i"(VTB_REC_SHORT_SITES - 1)

#endif /* VTB_RT_OWNED_NEAR_H */
