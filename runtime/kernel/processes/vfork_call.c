/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Making a process that shares this one's memory and runs on a stack of its own until it starts a program: posix_spawn,
 * system, popen. The call is made from the handler that caught it, so that the next ones of the parent are caught, too:
 * the one that puts its signal mask back, the wait for the child.
 *
 *     handler ── syscall ──► parent: returns here
 *                       └──► child: the kernel gives it the new stack; it goes on behind the program's own instruction
 */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>

#include "base.h"
#include "child_files.h"
#include "syscalls.h"

/* The registers' places in gregs, 8 bytes each: <sys/ucontext.h>. `syscall` destroys rcx and r11. */
__asm__(".text\n"
        ".hidden vtb_vfork_make\n.globl vtb_vfork_make\n.type vtb_vfork_make,@function\n"
        "vtb_vfork_make:\n"
        "	pushq %rbx\n	pushq %rbp\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
        "	movq 128(%rdi), %rcx\n	movq %rcx, vtb_vfork_goes_on(%rip)\n"
        "	movq %rdi, %rcx\n"
        "	movq 0(%rcx), %r8\n	movq 8(%rcx), %r9\n	movq 16(%rcx), %r10\n"
        "	movq 32(%rcx), %r12\n	movq 40(%rcx), %r13\n	movq 48(%rcx), %r14\n	movq 56(%rcx), %r15\n"
        "	movq 64(%rcx), %rdi\n	movq 72(%rcx), %rsi\n	movq 80(%rcx), %rbp\n	movq 88(%rcx), %rbx\n"
        "	movq 96(%rcx), %rdx\n	movq 104(%rcx), %rax\n"
        "	syscall\n"
        "	testq %rax, %rax\n"
        "	jne 1f\n"
        "	pushq %rbp\n	movq %rsp, %rbp\n	andq $-16, %rsp\n"
        "	pushq %rdi\n	pushq %rsi\n	pushq %rdx\n	pushq %r8\n	pushq %r9\n	pushq %r10\n"
        "	call vtb_vfork_child\n"
        "	popq %r10\n	popq %r9\n	popq %r8\n	popq %rdx\n	popq %rsi\n	popq %rdi\n"
        "	leave\n	xorl %eax, %eax\n"
        "	jmp *vtb_vfork_goes_on(%rip)\n"
        "1:	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbp\n	popq %rbx\n"
        "	ret\n"
        ".size vtb_vfork_make, . - vtb_vfork_make\n");

extern long vtb_vfork_make(const greg_t *g) __attribute__((visibility("hidden")));
/* Where the child does; its parent waits until then. */
uint64_t vtb_vfork_goes_on __attribute__((visibility("hidden")));

/* In the child, which has its parent's memory and all of its registers to go on with. */
void vtb_vfork_child(void) __attribute__((visibility("hidden"), used, target("general-regs-only")));
void vtb_vfork_child(void)
{
	if (vtb_child_files_on())
		vtb_child_files_watch();
}

bool vtb_vfork_has_stack(const greg_t *g)
{
	const struct clone_args *args = (const struct clone_args *)g[REG_RDI];
	const uint64_t flags = g[REG_RAX] == SYS_clone3  ? args->flags
	                       : g[REG_RAX] == SYS_clone ? (uint64_t)g[REG_RDI]
	                                                 : 0;

	if (!(flags & CLONE_VM) || !(flags & CLONE_VFORK) || flags & CLONE_THREAD)
		return false;
	return g[REG_RAX] == SYS_clone3 ? args->stack != 0 : g[REG_RSI] != 0;
}

long vtb_vfork_call(const ucontext_t *at)
{
	uint64_t mask = 0;
	long r;

	if (vtb_sched.active && !vtb_sched.exiting && !vtb_sched_alone(vtb_self))
		vtb_op(vtb_self, &vtb_primitive_always, VTB_E_IO_WRITE, vtb_io_name(VTB_IO_CHILD, 0));

	/* the child inherits the program's mask, not the handler's */
	sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&at->uc_sigmask, (long)&mask, 8, 0, 0);
	r = vtb_vfork_make(at->uc_mcontext.gregs);
	sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&mask, 0, 8, 0, 0);
	return r;
}
