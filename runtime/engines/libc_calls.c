/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that libc makes at every turn where threads print: it waits and wakes at the lock of a stream, and asks
 * what kind of file the stream leads to. Where the code is known they come here by a jump instead of by the signal that
 * the system call would raise, and do the same. libc_write.c has printing itself.
 *
 *     movl $nr, %eax     ->   jmp vtb_libc_call_N -- done here -------> after the system call
 *     syscall                 syscall           <- not our business -'
 *
 * The functions are those whose registers a caller counts on as on any function's: vector registers are free. What
 * the kernel keeps (arguments, stack, what lies below it) is kept. A libc whose code looks otherwise, or is out of the
 * reach of a jump, is left as it is: its calls trap.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "engines.h"
#include "base.h"
#include "kernel.h"
#include "libc_code.h"

#define JUMP_SIZE 5u

struct answer {
	long result;
	const void *next;
};

struct answer vtb_libc_call(uint32_t number, const greg_t *args, uint64_t sp) __attribute__((visibility("hidden")));
extern const char vtb_libc_call_0[] __attribute__((visibility("hidden")));
extern const char vtb_libc_call_1[] __attribute__((visibility("hidden")));
extern const char vtb_libc_call_2[] __attribute__((visibility("hidden")));

__asm__(".text\n"
        "	.cfi_startproc\n"
        ".irp number, 0, 1, 2\n"
        ".hidden vtb_libc_call_\\number\n"
        ".globl vtb_libc_call_\\number\n"
        ".type vtb_libc_call_\\number,@function\n"
        "vtb_libc_call_\\number:\n"
        "	movl $\\number, %eax\n"
        "	jmp 1f\n"
        ".size vtb_libc_call_\\number, .-vtb_libc_call_\\number\n"
        ".endr\n"
        "1:	leaq -128(%rsp), %rsp\n"
        "	.cfi_adjust_cfa_offset 128\n"
        "	pushq %rbp\n"
        "	.cfi_adjust_cfa_offset 8\n"
        "	.cfi_rel_offset rbp, 0\n"
        "	movq %rsp, %rbp\n"
        "	.cfi_def_cfa_register rbp\n"
        "	pushq %r9\n"
        "	pushq %r8\n"
        "	pushq %r10\n"
        "	pushq %rdx\n"
        "	pushq %rsi\n"
        "	pushq %rdi\n"
        "	movl %eax, %edi\n"
        "	movq %rsp, %rsi\n"
        "	leaq 136(%rbp), %rdx\n"
        "	andq $-16, %rsp\n"
        "	call vtb_libc_call\n"
        "	movq %rdx, %rcx\n"
        "	leaq -48(%rbp), %rsp\n"
        "	popq %rdi\n"
        "	popq %rsi\n"
        "	popq %rdx\n"
        "	popq %r10\n"
        "	popq %r8\n"
        "	popq %r9\n"
        "	popq %rbp\n"
        "	.cfi_def_cfa rsp, 136\n"
        "	.cfi_restore rbp\n"
        "	leaq 128(%rsp), %rsp\n"
        "	.cfi_adjust_cfa_offset -128\n"
        "	jmpq *%rcx\n"
        "	.cfi_endproc\n");

static struct {
	const char *function;
	long nr;
	const char *entry;
	uint8_t *syscall; /* the instruction; NULL: it is as it was */
} calls[] = {
	{ "__lll_lock_wait_private", SYS_futex, vtb_libc_call_0, NULL },
	{ "__lll_lock_wake_private", SYS_futex, vtb_libc_call_1, NULL },
	{ "fstatat64", SYS_newfstatat, vtb_libc_call_2, NULL },
};

/* Would it trap, and be an operation of this run? */
static bool is_seen(void)
{
	return vtb_sched.active && vtb_self && !vtb_self->base.inside && vtb_catching.selector &&
	       !vtb_catching.filtered && *vtb_catching.selector == VTB_CALLS_TRAP;
}

static bool lock_call(greg_t *g, long *ret)
{
	const struct vtb_syscall *row = vtb_syscall_row(SYS_futex);

	if (vtb_engine->permit)
		vtb_engine->permit(row, g);
	return vtb_syscall_wait(row, g, ret);
}

/* fstat() as streams call it: the result goes to the stack, where no kernel is needed to find out that it cannot. */
static bool ask(const greg_t *g, long *ret)
{
	struct stat *to = (struct stat *)g[REG_RDX];
	uint64_t path;

	if (g[REG_R10] != AT_EMPTY_PATH || !vtb_rt_peek((const void *)g[REG_RSI], 1, &path) || path)
		return false;
	if (g[REG_RDX] < g[REG_RSP] || !vtb_rt_own_stack(vtb_self, (uint64_t)(to + 1)) ||
	    !vtb_output_status((int)g[REG_RDI], to))
		return false;
	vtb_progress_outside(vtb_self);
	*ret = 0;
	return true;
}

/* As on_call() of syscalls.c would do it. `args`: in the order of their registers; `sp`: the program's. */
struct answer vtb_libc_call(uint32_t number, const greg_t *args, uint64_t sp)
{
	const uint8_t *at = calls[number].syscall;
	greg_t g[NGREG] = {
		[REG_RAX] = calls[number].nr, [REG_RDI] = args[0],    [REG_RSI] = args[1],
		[REG_RDX] = args[2],          [REG_R10] = args[3],    [REG_R8] = args[4],
		[REG_R9] = args[5],           [REG_RSP] = (greg_t)sp, [REG_RIP] = (greg_t)(at + VTB_SYSCALL_SIZE)
	};
	struct answer answer = { calls[number].nr, at };

	if (!is_seen() || !(calls[number].nr == SYS_futex ? lock_call(g, &answer.result) : ask(g, &answer.result)))
		return answer;
	vtb_sched.calls++;
	answer.next = at + VTB_SYSCALL_SIZE;
	if (VTB_UNLIKELY(vtb_self->base.noted)) /* VTB_RETURN, which clang has not got for two words */
		vtb_stance_wipe();
	return answer;
}

/* ---- start */

bool vtb_libc_writable(const uint8_t *at, uint64_t size, bool yes)
{
	const uint64_t page = (uint64_t)at & ~4095ull, pages = ((uint64_t)at + size + 4095 - page) & ~4095ull;

	return sys3(SYS_mprotect, (long)page, (long)pages, PROT_READ | PROT_EXEC | (yes ? PROT_WRITE : 0)) == 0;
}

/* Where the call is made: movl $nr, %eax; syscall. */
static uint8_t *find(const char *function, long nr)
{
	const uint8_t wanted[] = { 0xb8, (uint8_t)nr, (uint8_t)(nr >> 8), 0, 0, 0x0f, 0x05 };
	uint8_t *code = vtb_real_symbol(function);
	const Elf64_Sym *symbol = NULL;
	Dl_info info;

	if (!code || !dladdr1(code, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol || info.dli_saddr != code)
		return NULL;
	for (uint64_t i = 0; i + sizeof(wanted) <= symbol->st_size; i++)
		if (memcmp(code + i, wanted, sizeof(wanted)) == 0)
			return code + i;
	return NULL;
}

static void take(uint32_t number)
{
	uint8_t *at = find(calls[number].function, calls[number].nr);
	const int64_t distance = at ? calls[number].entry - (const char *)(at + JUMP_SIZE) : 0;
	const int32_t jump = (int32_t)distance;

	if (!at || jump != distance || !vtb_libc_writable(at, JUMP_SIZE, true))
		return;
	calls[number].syscall = at + JUMP_SIZE;
	at[0] = 0xe9;
	memcpy(at + 1, &jump, sizeof(jump));
	vtb_libc_writable(at, JUMP_SIZE, false);
}

void vtb_libc_calls_take(void)
{
	for (uint32_t i = 0; !(vtb_rt.lacks & VTB_LACKS_JUMPS) && i < sizeof(calls) / sizeof(*calls); i++)
		take(i);
}
