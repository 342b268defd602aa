/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What setjmp() and swapcontext() leave, and who jumps goes by: of two threads that share it one comes back on the
 * other's stack.
 *
 *     the program ── setjmp() of ours ── tells ── goes on at libc's ── returns to the program, twice
 *
 * Libc's is not called by ours, which would have returned by the second time: the stack is as the program left it. Who
 * jumps goes by what was there when it was told to be read: others may come before swapcontext() writes, and in a
 * handler of a signal that is no longer blocked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <ucontext.h>

#include "rows.h"

/* As the code below leaves them: of makecontext(), which has as many as it likes, those in registers. */
struct arguments {
	uint64_t rax, r9, r8, rcx, rdx, rsi, rdi, pc;
};

/** Where to go on: the call of this number is about to be made. */
void *vtb_jump_told(struct arguments *a, uint64_t which) __attribute__((visibility("hidden"), used));
/** The function of a context has returned; at `kept` stands what lay_out() has put there. */
_Noreturn void vtb_context_ended(const uint64_t *kept) __attribute__((visibility("hidden"), used));
extern const char vtb_context_end[] __attribute__((visibility("hidden")));

#define PUSH(reg) "	pushq " reg "\n	.cfi_adjust_cfa_offset 8\n"
#define POP(reg) "	popq " reg "\n	.cfi_adjust_cfa_offset -8\n"
#define KEEP PUSH("%rdi") PUSH("%rsi") PUSH("%rdx") PUSH("%rcx") PUSH("%r8") PUSH("%r9") PUSH("%rax")
#define BACK POP("%rax") POP("%r9") POP("%r8") POP("%rcx") POP("%rdx") POP("%rsi") POP("%rdi")
#define TELLS(name, which)                                                                     \
	".globl " name "\n	.type " name ",@function\n" name ":\n	.cfi_startproc\n" KEEP \
	"	movq %rsp, %rdi\n	movl $" #which                                         \
	", %esi\n	call vtb_jump_told\n	movq %rax, %r11\n" BACK                        \
	"	jmp *%r11\n	.cfi_endproc\n	.size " name ", .-" name "\n"
/* Whoever unwinds looks up the instruction before the place where a context's function returns, and ends there. */
#define ENDS                                                                            \
	".hidden vtb_context_end\n	.cfi_startproc\n	.cfi_undefined %rip\n	nop\n"        \
	"vtb_context_end:\n	movq %rbx, %rdi\n	leaq -64(%rbx), %rsp\n	andq $-16, %rsp\n" \
	"	call vtb_context_ended\n	.cfi_endproc\n"
__asm__(".text\n" TELLS("setjmp", 0) TELLS("_setjmp", 1) TELLS("__sigsetjmp", 2) TELLS("getcontext", 3)
            TELLS("swapcontext", 4) TELLS("makecontext", 5) ENDS);

#define REGISTERS offsetof(struct __jmp_buf_tag, __saved_mask) /* behind them the mask, if it is kept */

static void looks_context(const ucontext_t *at, uint64_t pc)
{
	looks(at, sizeof(*at), pc);
}

/* What has been read is to be that. */
static const ucontext_t *as_read(const ucontext_t *from)
{
	struct vtb_hooks_thread *h = &vtb_self->hooks;

	if (!h->context)
		h->context = vtb_rt_alloc_aside(sizeof(*from));
	if (!h->context)
		return from;
	memcpy(h->context, from, sizeof(*from));
	h->context->uc_mcontext.fpregs = (fpregset_t)&h->context->__fpregs_mem;
	return h->context;
}

/* ---- contexts that are made: as libc does, which goes on at a context's end where nobody sees it */

enum { LINK, PLACE, KEPT };

/* Below what is kept lie the arguments that have no register, `more`, and where the function returns to. */
static uint64_t *lay_out(const ucontext_t *at, uint64_t pc, unsigned more)
{
	uint64_t *top = (uint64_t *)((uint64_t)at->uc_stack.ss_sp + at->uc_stack.ss_size), *sp;

	sp = (uint64_t *)(((uint64_t)(top - more - KEPT) & ~15ull) - 8);
	sp[0] = (uint64_t)vtb_context_end;
	sp[1 + more + LINK] = (uint64_t)at->uc_link;
	sp[1 + more + PLACE] = pc;
	return sp;
}

static void make_context(ucontext_t *at, void (*function)(void), int n, ...)
{
	static const uint8_t registers[] = { REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9 };
	const int in_registers = sizeof(registers) / sizeof(*registers);
	const unsigned more = n > in_registers ? (unsigned)(n - in_registers) : 0;
	greg_t *to = at->uc_mcontext.gregs;
	uint64_t *sp;
	va_list args;

	changes(at, sizeof(*at), VTB_CALLER);
	/* what is looked at at its end is so by its function; by who makes it, if that is one of ours */
	sp = lay_out(at, vtb_rt_is_hooked((uint64_t)function) ? (uint64_t)function : VTB_CALLER, more);
	va_start(args, n);
	for (int i = 0; i < n; i++)
		if (i < in_registers)
			to[registers[i]] = va_arg(args, greg_t);
		else
			sp[1 + i - in_registers] = va_arg(args, uint64_t);
	va_end(args);
	to[REG_RSP] = (greg_t)sp;
	to[REG_RBX] = (greg_t)&sp[1 + more];
	to[REG_RIP] = (greg_t)function;
}

#define GOES_ON(to)                                                 \
	do {                                                        \
		BEHIND(int, call, (const ucontext_t *), setcontext) \
                                                                    \
		call(to);                                           \
	} while (0)

void vtb_context_ended(const uint64_t *kept)
{
	const ucontext_t *next = (const ucontext_t *)kept[LINK];
	int status = EXIT_SUCCESS;

	if (next && vtb_rt_is_hooked(kept[PLACE])) {
		looks_context(next, kept[PLACE]);
		next = as_read(next);
	}
	if (next) {
		GOES_ON(next);
		status = -1; /* it has returned */
	}
	exit(status);
}

/* ---- who is told */

void *vtb_jump_told(struct arguments *a, uint64_t which)
{
	static const struct {
		const char *name;
		size_t size;
		enum { KEEPS, MAY_KEEP_MASK, GOES, MAKES } does;
	} calls[] = { { "setjmp", sizeof(struct __jmp_buf_tag), KEEPS }, { "_setjmp", REGISTERS, KEEPS },
		      { "__sigsetjmp", REGISTERS, MAY_KEEP_MASK },       { "getcontext", sizeof(ucontext_t), KEEPS },
		      { "swapcontext", sizeof(ucontext_t), GOES },       { "makecontext", sizeof(ucontext_t), MAKES } };
	static void *behind[sizeof(calls) / sizeof(*calls)];
	size_t size = calls[which].size;

	if (!vtb_rt_is_hooked(a->pc))
		return vtb_real_kept(&behind[which], calls[which].name);
	if (calls[which].does == MAKES)
		return (void *)make_context;
	if (calls[which].does == GOES) {
		looks_context((const ucontext_t *)a->rsi, a->pc);
		a->rsi = (uint64_t)as_read((const ucontext_t *)a->rsi);
	}
	if (calls[which].does == MAY_KEEP_MASK && (int)a->rsi)
		size = sizeof(struct __jmp_buf_tag);
	changes((const void *)a->rdi, size, a->pc);
	return vtb_real_kept(&behind[which], calls[which].name);
}

static void jump(void (*call)(struct __jmp_buf_tag *, int), struct __jmp_buf_tag *to, int value, uint64_t pc)
{
	struct __jmp_buf_tag kept;

	if (vtb_rt_is_hooked(pc)) {
		const size_t size = to->__mask_was_saved ? sizeof(*to) : REGISTERS;

		looks(to, size, pc);
		memcpy(&kept, to, size);
		to = &kept;
	}
	call(to, value);
}

#define JUMPS(name)                                                                            \
	VTB_EXPORT _Noreturn void name##s(struct __jmp_buf_tag *to, int value) __asm__(#name); \
	VTB_EXPORT _Noreturn void name##s(struct __jmp_buf_tag *to, int value)                 \
	{                                                                                      \
		BEHIND(void, call, (struct __jmp_buf_tag *, int), name)                        \
                                                                                               \
		jump(call, to, value, VTB_CALLER);                                             \
		__builtin_unreachable();                                                       \
	}
JUMPS(longjmp)
JUMPS(_longjmp)
JUMPS(siglongjmp)
JUMPS(__longjmp_chk)

VTB_EXPORT int setcontext(const ucontext_t *to)
{
	if (vtb_rt_is_hooked(VTB_CALLER)) {
		looks_context(to, VTB_CALLER);
		to = as_read(to);
	}
	GOES_ON(to);
	return -1; /* it has returned */
}
