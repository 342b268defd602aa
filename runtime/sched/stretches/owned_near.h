/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file owned_near.h
 * vtb_owned_pass() for the code near the program (hooks/near.c, whose words and macros this uses): registers as there.
 */
#ifndef VTB_RT_OWNED_NEAR_H
#define VTB_RT_OWNED_NEAR_H

#include "owned.h"

/* clang-format off */
/* Where the thread may pass over what it owns, and its cell says that it knows all of it (sched/stretches/owned.h), the
 * access is counted. Anything else is for the hook; if nothing may be passed over, it is an access like others. */
#define VTB_OWNED_NEAR \
	".macro vtb_near_owned write, size_log2\n" \
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
	"	jne 9f\n" \
	".if \\write\n" \
	"	movq $1, %c[wrote](%%rax)\n" /* and spins = 0 */ \
	".endif\n" \
	"	subl $1, %c[owned_left](%%rax)\n" \
	"	ret\n" \
	"9:	jmp *8*(\\write << 3 | \\size_log2)+vtb_near_begin(%%rip)\n" \
	".endm\n"

#define VTB_OWNED_NEAR_ENTRIES(write) \
	ENTRY(owned, write, 0) ENTRY(owned, write, 1) ENTRY(owned, write, 2) ENTRY(owned, write, 3)
#define VTB_OWNED_NEAR_PLACES(write) \
	PLACE(owned, write, 0) PLACE(owned, write, 1) PLACE(owned, write, 2) PLACE(owned, write, 3) \
	PLACE(control, write, 4) "	.long 0, 0, 0\n"
/* clang-format on */

#endif /* VTB_RT_OWNED_NEAR_H */
