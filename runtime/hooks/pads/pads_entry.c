/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a pad's stub to C and back. The stub has left 128 bytes of red zone alone, saved rax, rcx, rdx, and comes with
 * the operand's address in rax, the info word in ecx, the address behind the pad in rdx. Kept here: the flags (lahf and
 * seto: three cycles, where pushf and popf take twenty), and the registers that a C function may change. Vector
 * registers are not touched: this library is compiled without them
 * (-mgeneral-regs-only), and who hands over to another thread on the same kernel thread saves them first
 * (vtb_vectors_keep()).
 *
 *      CFA  program's rsp
 *      -128 red zone          -160 return address into the stub    -224 address behind the pad: what a walk over frames
 *      -136 rax               -168 rdi   -176 rsi   -184 flags          takes for the return address of this frame
 *      -144 rcx  -152 rdx     -192 r8 .. -216 r11                  -232 rbp
 */
#include "pads.h"

#define ENTRY(name, target, more)                                                              \
	".globl " name "\n	.hidden " name "\n	.type " name ",@function\n" name ":\n" \
	"	.cfi_startproc simple\n	.cfi_signal_frame\n"                                         \
	"	.cfi_def_cfa %rsp, 160\n	.cfi_offset %rax, -136\n	.cfi_offset %rcx, -144\n	"         \
	".cfi_offset %rdx, -152\n	.cfi_register %rip, %rdx\n"                                  \
	"	pushq %rdi\n	.cfi_def_cfa_offset 168\n	.cfi_offset %rdi, -168\n"                     \
	"	pushq %rsi\n	.cfi_def_cfa_offset 176\n	.cfi_offset %rsi, -176\n"                     \
	"	movq %rax, %rdi\n"                                                                   \
	"	lahf\n	seto %al\n"                                                                   \
	"	pushq %rax\n	.cfi_def_cfa_offset 184\n"                                              \
	"	pushq %r8\n	.cfi_def_cfa_offset 192\n	.cfi_offset %r8, -192\n"                       \
	"	pushq %r9\n	.cfi_def_cfa_offset 200\n	.cfi_offset %r9, -200\n"                       \
	".globl " name "_kept\n	.hidden " name "_kept\n" name "_kept:\n"                       \
	"	pushq %r10\n	.cfi_def_cfa_offset 208\n	.cfi_offset %r10, -208\n"                     \
	"	pushq %r11\n	.cfi_def_cfa_offset 216\n	.cfi_offset %r11, -216\n"                     \
	"	movl %ecx, %esi\n"                                                                   \
	"	movq %rsp, %rcx\n"                                                                   \
	"	pushq %rdx\n	.cfi_def_cfa_offset 224\n	.cfi_offset %rip, -224\n"                     \
	"	pushq %rbp\n	.cfi_def_cfa_offset 232\n	.cfi_offset %rbp, -232\n"                     \
	"	movq %rsp, %rbp\n	.cfi_def_cfa_register %rbp\n"                                      \
	"	andq $-16, %rsp\n" more "	call " target "\n"                             \
	"	leaq 16(%rbp), %rsp\n"                                                               \
	"	movq 0(%rbp), %rbp\n	.cfi_def_cfa %rsp, 216\n	.cfi_same_value %rbp\n"                \
	"	popq %r11\n	popq %r10\n	popq %r9\n	popq %r8\n"                                       \
	"	popq %rax\n"                                                                         \
	"	addb $127, %al\n" /* overflow if it was 1 */                                   \
	"	sahf\n"                                                                              \
	"	popq %rsi\n	popq %rdi\n"                                                             \
	"	ret\n"                                                                               \
	"	.cfi_endproc\n	.size " name ", .-" name "\n"

/* For who looks at registers that C functions keep: struct vtb_pad_more. */
#define MORE                                                                                   \
	"	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n	pushq %r15\n	movq " \
	"%rsp, %r8\n"

__asm__(".text\n" ENTRY("vtb_pads_enter", "vtb_pads_do_access", "") ENTRY("vtb_pads_begin", "vtb_pads_do_begin", "")
            ENTRY("vtb_pads_end", "vtb_pads_do_end", "") ENTRY("vtb_pads_load", "vtb_pads_do_load", "")
                ENTRY("vtb_pads_known", "vtb_pads_do_known", MORE) ".globl vtb_pads_entry_end\n	.hidden "
                                                                   "vtb_pads_entry_end\nvtb_pads_entry_end:\n");
