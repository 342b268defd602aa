/* SPDX-License-Identifier: BSD-2-Clause */
/* Where signal handlers of the runtime return to (sys_handle()): rt_sigreturn is system call 15. A cancelled thread is
 * unwound through here: libgcc knows the frame of a signal handler by these very bytes, 48 c7 c0 0f 00 00 00 0f 05. */
__asm__(".text\n"
        ".hidden vtb_rt_sigreturn\n.globl vtb_rt_sigreturn\n.type vtb_rt_sigreturn,@function\n"
        "	nop\n" /* unwinders look one byte before a return address */
        "vtb_rt_sigreturn:\n"
        "	movq $15, %rax\n"
        "	syscall\n");
