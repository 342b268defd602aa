/* SPDX-License-Identifier: BSD-2-Clause */
/* Stack switching in assembly. Measured: 26 ns a switch with wrfsbase, 180 ns with arch_prctl,
 * 3.7 us where a virtual machine has the host do it (a system call that does nothing takes 1 us there): there the
 * instruction is guarded instead, if that works (fs_guard.h). */
#include <sys/auxv.h>

#include "base.h"
#include "fiber.h"
#include "fs_guard.h"
#include "scheduler.h"

#define HWCAP2_FSGSBASE_BIT 2ul

/* A guard of its own costs a process about as much as so many switches by arch_prctl: 0.9 ms of a fork with its run. */
#define CALLS 256u

bool vtb_fiber_fsgsbase;
static uint32_t by_call;

void vtb_fiber_look(bool carries)
{
	vtb_fiber_fsgsbase = !(vtb_rt.lacks & VTB_LACKS_FSGSBASE) && getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT;
	if (carries && !vtb_fiber_fsgsbase)
		vtb_fs_guard_begin();
}

uint32_t vtb_fiber_means(void)
{
	return vtb_fiber_fsgsbase ? VTB_MEANS_FSGSBASE : vtb_fs_guard_works() ? VTB_MEANS_FS_GUARD : 0;
}

void vtb_fiber_guard_later(void)
{
	vtb_fs_guard_end();
}

void vtb_fiber_never_guard(void)
{
	vtb_fs_guard_forbid();
}

void vtb_fiber_about_to_fork(void)
{
	vtb_fs_guard_tell_kernel();
}

uint64_t vtb_fiber_fs(void)
{
	uint64_t fs;

	__asm__("movq %%fs:0, %0" : "=r"(fs)); /* x86-64 ABI: the thread pointer stands at its own address */
	return fs;
}

extern void vtb_fiber_switch_plain(void **save, void *to) __attribute__((visibility("hidden")));

__asm__(
    ".text\n"
    ".macro SAVE\n"
    "	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
    "	subq $8, %rsp\n	stmxcsr (%rsp)\n	fnstcw 4(%rsp)\n"
    "	movl (%rsp), %eax\n	movzwl 4(%rsp), %ecx\n" /* for RESTORE */
    ".endm\n"
    ".macro RESTORE_REGISTERS\n"
    "	addq $8, %rsp\n"
    "	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n"
    ".endm\n"
    ".macro RESTORE\n" /* the control words are mostly what they were, and to load them takes longer than to look */
    "	cmpl (%rsp), %eax\n	jne 8f\n	cmpw 4(%rsp), %cx\n	je 9f\n"
    "8:	ldmxcsr (%rsp)\n	fldcw 4(%rsp)\n"
    "9:	RESTORE_REGISTERS\n"
    ".endm\n"
    ".hidden vtb_fiber_switch_fs, vtb_fiber_switch_plain, vtb_fiber_park\n"
    ".globl vtb_fiber_switch_fs, vtb_fiber_switch_plain, vtb_fiber_park\n"
    ".type vtb_fiber_switch_fs,@function\n"
    "vtb_fiber_switch_fs:\n" /* rdi: where to save rsp, rsi: rsp to go to, rdx: fs base */
    "	wrfsbase %rdx\n"     /* first: it waits for what stands before it, of which the control words take long */
    "	SAVE\n"
    "	movq %rsp, (%rdi)\n"
    "	movq %rsi, %rsp\n"
    "	RESTORE\n"
    "	ret\n"
    ".type vtb_fiber_switch_plain,@function\n"
    "vtb_fiber_switch_plain:\n"
    "	SAVE\n"
    "	movq %rsp, (%rdi)\n"
    "	movq %rsi, %rsp\n"
    "	RESTORE\n"
    "	ret\n"
    ".type vtb_fiber_park,@function\n"
    "vtb_fiber_park:\n" /* rdi: struct vtb_fiber */
    "	SAVE\n"
    "	movq %rdi, %rbx\n"
    "	movq %rsp, 0(%rbx)\n"
    "	movq %fs:0, %rax\n"
    "	movq %rax, 8(%rbx)\n"
    "	movq 16(%rbx), %rsp\n"
    "	movl $1, 24(%rbx)\n"
    "	leaq 24(%rbx), %rdi\n	movl $1, %esi\n	movl $1, %edx\n	movl $202, %eax\n	syscall\n" /* futex wake: parked
                                                                                                    */
    "1:	cmpl $0, 28(%rbx)\n"
    "	jne 2f\n"
    "	leaq 28(%rbx), %rdi\n	xorl %esi, %esi\n	xorl %edx, %edx\n	xorl %r10d, %r10d\n	movl $202, "
    "%eax\n	syscall\n"
    "	jmp 1b\n"
    "2:	movq 0(%rbx), %rsp\n"
    "	ldmxcsr (%rsp)\n	fldcw 4(%rsp)\n"
    "	RESTORE_REGISTERS\n"
    "	ret\n");

/* Nothing that has run since then is what the program would have done. */
static void guard_has_failed(void)
{
	vtb_fs_guard_forbid();
	if (vtb_sched.active)
		vtb_failure_end(VTB_V_LIMIT, 0, 0, 0,
		                "stopped at a limit of vtb: the kernel has changed the base of thread-local storage");
}

void vtb_fiber_switch_slow(void **save, void *to, uint64_t fs)
{
	if (vtb_fs_guard_is_on() && VTB_UNLIKELY(!vtb_fs_guard_holds()))
		guard_has_failed();
	if (vtb_fs_guard_works() && !vtb_fs_guard_is_on() && ++by_call == CALLS)
		vtb_fs_guard_begin();
	if (vtb_fs_guard_is_on()) {
		vtb_fs_guard_expect(fs);
		vtb_fiber_switch_fs(save, to, fs);
		return;
	}
	sys3(SYS_arch_prctl, 0x1002 /* ARCH_SET_FS */, (long)fs, 0);
	vtb_fiber_switch_plain(save, to);
}

void *vtb_fiber_context(void *top, void (*entry)(void))
{
	uint64_t *p = (uint64_t *)((uint64_t)top & ~15ull);
	uint32_t words[2] = { 0, 0 };

	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(words[0]), "=m"(words[1]));
	*--p = 0;               /* entry sees rsp + 8 aligned to 16, as after a call */
	*--p = (uint64_t)entry; /* return address */
	for (int i = 0; i < 6; i++)
		*--p = 0; /* rbp, rbx, r12 .. r15 */
	*--p = (uint64_t)words[1] << 32 | words[0];
	return p;
}
