/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libc's write(), by which its streams print, too: on engine snapshot what goes to the captured output (run_output.c)
 * is told and copied right there, instead of in the handler of the signal that the system call would raise.
 *
 *     write:  cmpb $0, single_threaded    ->   jmp vtb_write_entry -- captured --> told, copied; return
 *             je ...                                               `- else ------> write + 14, with %eax set
 *             movl $1, %eax
 *             syscall  <- 14
 *
 * So every call takes the branch for one thread. The other makes the thread cancellable for the time of the call, which
 * the model of cancellation does itself. It is so on all engines: an operation is known by the place of its caller,
 * which is looked for on the stack from where the call was made, and by that of the call if none is found. A libc whose
 * write() looks otherwise is left as it is: its calls trap.
 */
#include <errno.h>
#include <string.h>

#include "engines.h"
#include "base.h"
#include "kernel.h"
#include "libc_code.h"

#define ENDBR_SIZE 4u
#define HEAD_SIZE 14u /* what is replaced, and what a jump to any address needs */

struct written {
	long result;
	long done;
};

const void *vtb_write_rest __attribute__((visibility("hidden")));
extern const char vtb_write_entry[] __attribute__((visibility("hidden")));
struct written vtb_write_captured(int fd, const void *from, size_t n, const void *frame)
    __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".hidden vtb_write_entry\n"
        ".globl vtb_write_entry\n"
        ".type vtb_write_entry,@function\n"
        "vtb_write_entry:\n"
        "	.cfi_startproc\n"
        "	pushq %rdi\n"
        "	pushq %rsi\n"
        "	pushq %rdx\n"
        "	.cfi_adjust_cfa_offset 24\n"
        "	leaq 24(%rsp), %rcx\n"
        "	call vtb_write_captured\n"
        "	movq %rdx, %rcx\n"
        "	popq %rdx\n"
        "	popq %rsi\n"
        "	popq %rdi\n"
        "	.cfi_adjust_cfa_offset -24\n"
        "	testq %rcx, %rcx\n"
        "	jz 1f\n"
        "	ret\n"
        "1:	movl $1, %eax\n"
        "	jmpq *vtb_write_rest(%rip)\n"
        "	.cfi_endproc\n"
        ".size vtb_write_entry, .-vtb_write_entry\n");

/* As on_call() of syscalls.c would do it; `frame` is where write() was called from. */
struct written vtb_write_captured(int fd, const void *from, size_t n, const void *frame)
{
	const bool seen = vtb_sched.active && vtb_self && !vtb_self->base.inside;
	greg_t g[NGREG] = { 0 };
	long r;

	if (!vtb_output_object(fd) || *vtb_catching.selector != VTB_CALLS_TRAP)
		return (struct written){ 0, 0 };
	vtb_sched.calls++;
	g[REG_RAX] = SYS_write;
	g[REG_RDI] = fd;
	g[REG_RSI] = (greg_t)from;
	g[REG_RDX] = (greg_t)n;
	g[REG_RSP] = (greg_t)frame;
	g[REG_RIP] = (greg_t)vtb_write_rest + VTB_SYSCALL_SIZE;
	if (!seen || !vtb_step_wait(vtb_syscall_row(SYS_write), g, &r))
		r = vtb_output_write(g);
	if (r < 0) {
		errno = (int)-r;
		r = -1;
	}
	return (struct written){ r, 1 };
}

/* The address of the head, if it is the known one. */
static uint8_t *known_head(uint8_t *code)
{
	static const uint8_t endbr[ENDBR_SIZE] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t call[] = { 0xb8, 1, 0, 0, 0, 0x0f, 0x05 };

	if (!code)
		return NULL;
	if (memcmp(code, endbr, sizeof(endbr)) == 0)
		code += sizeof(endbr);
	if (code[0] != 0x80 || code[1] != 0x3d || code[6] != 0 || code[7] != 0x74)
		return NULL;
	return memcmp(code + 9, call, sizeof(call)) == 0 ? code : NULL;
}

void vtb_libc_write_take(void)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 }; /* to the address that follows */
	uint8_t *head = known_head(vtb_real_symbol("write"));
	const void *entry = vtb_write_entry;

	if (!head || !vtb_libc_writable(head, HEAD_SIZE, true))
		return;
	vtb_write_rest = head + HEAD_SIZE;
	memcpy(head, jump, sizeof(jump));
	memcpy(head + sizeof(jump), &entry, sizeof(entry));
	vtb_libc_writable(head, HEAD_SIZE, false);
}
