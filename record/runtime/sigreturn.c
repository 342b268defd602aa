/* SPDX-License-Identifier: BSD-2-Clause */
/* Where signal handlers of the runtime return to (sys_handle()): rt_sigreturn is system call 15. */
__asm__(".text\n"
	".hidden vtb_rt_sigreturn\n.globl vtb_rt_sigreturn\n.type vtb_rt_sigreturn,@function\n"
	"	nop\n" /* unwinders look one byte before a return address */
	"vtb_rt_sigreturn:\n"
	"	movl $15, %eax\n"
	"	syscall\n");
