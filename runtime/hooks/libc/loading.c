/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Libraries that are loaded while threads run: which there are is one thing that all threads share. To load one is a
 * change of it, and a read of whatever is done to files; to look for a name in them asks for it.
 *
 * The loader looks at who calls it: in which directories a library is looked for, what comes next. So it is entered by
 * a jump, and returns to the program itself. Its system calls are made without libc, and are no operations.
 */
#include <stdint.h>

#include "base.h"
#include "hidden.h"
#include "steps.h"

enum call { CALL_OPEN, CALL_OPEN_IN, CALL_NAME };

/* Named as the report is to call it. */
static int loaded_libraries;

void vtb_rt_alters_libraries(uint64_t pc)
{
	alters(&loaded_libraries, pc);
}

void vtb_rt_asks_libraries(uint64_t pc)
{
	asks(&loaded_libraries, pc);
}

/* Returns where the call goes on. */
void *vtb_loading(uint32_t call, uint64_t pc) __attribute__((visibility("hidden")));
void *vtb_loading(uint32_t call, uint64_t pc)
{
	static void *open, *open_in;

	if (call == CALL_NAME) {
		vtb_rt_asks_libraries(pc);
		return (void *)VTB_CALL_REAL(dlsym);
	}
	vtb_libc_operation(&loaded_libraries, pc);
	return call == CALL_OPEN ? vtb_real_kept(&open, "dlopen") : vtb_real_kept(&open_in, "dlmopen");
}

/* Three arguments at most. */
#define GOES_ON(name, call)                                      \
	".globl " name "\n.type " name ",@function\n" name ":\n" \
	"	.cfi_startproc\n"                                      \
	"	pushq %rdi\n	.cfi_adjust_cfa_offset 8\n"               \
	"	pushq %rsi\n	.cfi_adjust_cfa_offset 8\n"               \
	"	pushq %rdx\n	.cfi_adjust_cfa_offset 8\n"               \
	"	movq 24(%rsp), %rsi\n"                                 \
	"	movl $" call ", %edi\n"                          \
	"	call vtb_loading\n"                                    \
	"	popq %rdx\n	.cfi_adjust_cfa_offset -8\n"               \
	"	popq %rsi\n	.cfi_adjust_cfa_offset -8\n"               \
	"	popq %rdi\n	.cfi_adjust_cfa_offset -8\n"               \
	"	jmpq *%rax\n"                                          \
	"	.cfi_endproc\n.size " name ", .-" name "\n"

_Static_assert(CALL_OPEN == 0 && CALL_OPEN_IN == 1 && CALL_NAME == 2, "numbers in the text below");
__asm__(".text\n" GOES_ON("dlopen", "0") GOES_ON("dlmopen", "1") GOES_ON("dlsym", "2"));
