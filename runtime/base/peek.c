/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading memory that may not be there. The loads of vtb_rt_peek() stand in one labelled stretch of code; the fault
 * handler sends a fault in it to the `failed` label. Those that fast.h has inline stand in a table.
 */
#include "fast.h"
#include "rt.h"

bool vtb_rt_peek_bytes(const void *addr, uint32_t size, uint64_t *ret) __attribute__((visibility("hidden")));
extern const char vtb_rt_peek_begin[] __attribute__((visibility("hidden")));
extern const char vtb_rt_peek_end[] __attribute__((visibility("hidden")));
extern const char vtb_rt_peek_failed[] __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".hidden vtb_rt_peek_bytes, vtb_rt_peek_begin, vtb_rt_peek_end, vtb_rt_peek_failed\n"
        ".globl vtb_rt_peek_bytes, vtb_rt_peek_begin, vtb_rt_peek_end, vtb_rt_peek_failed\n"
        ".type vtb_rt_peek_bytes,@function\n"
        "vtb_rt_peek_bytes:\n" /* rdi: from, esi: bytes, rdx: to */
        "vtb_rt_peek_begin:\n"
        "	cmpl $8, %esi\n"
        "	jne 1f\n"
        "	movq (%rdi), %rax\n"
        "	movq %rax, (%rdx)\n"
        "	jmp 3f\n"
        "1:	cmpl $4, %esi\n"
        "	jne 2f\n"
        "	movl (%rdi), %eax\n"
        "	movq %rax, (%rdx)\n"
        "	jmp 3f\n"
        "2:	xorl %eax, %eax\n"
        "	movq %rax, (%rdx)\n"
        "	testl %esi, %esi\n"
        "	jz 3f\n"
        "	cmpl $8, %esi\n"
        "	ja 3f\n"
        "4:	decl %esi\n" /* bytes from the highest down: little-endian */
        "	movzbl (%rdi,%rsi), %ecx\n"
        "	shlq $8, %rax\n"
        "	orq %rcx, %rax\n"
        "	testl %esi, %esi\n"
        "	jnz 4b\n"
        "	movq %rax, (%rdx)\n"
        "3:	movl $1, %eax\n"
        "	ret\n"
        "vtb_rt_peek_end:\n"
        "vtb_rt_peek_failed:\n"
        "	xorl %eax, %eax\n"
        "	ret\n"
        ".size vtb_rt_peek_bytes, .-vtb_rt_peek_bytes\n");

struct vtb_rt_near vtb_rt_near;

bool vtb_rt_peek(const void *addr, uint32_t size, uint64_t *ret)
{
	return vtb_rt_peek_bytes(addr, size > 8 ? 8 : size, ret);
}

/* Each load of fast.h that may fault, and where to go on, both as distances from here. */
struct fixup {
	int32_t at, on;
};
extern const struct fixup fixups_begin[] __asm__("__start_vtb_fixups") __attribute__((weak, visibility("hidden")));
extern const struct fixup fixups_end[] __asm__("__stop_vtb_fixups") __attribute__((weak, visibility("hidden")));

static uint64_t fixup_of(uint64_t pc)
{
	for (const struct fixup *f = fixups_begin; f < fixups_end; f++)
		if (pc == (uint64_t)&f->at + (uint64_t)(int64_t)f->at)
			return (uint64_t)&f->on + (uint64_t)(int64_t)f->on;
	return pc >= (uint64_t)vtb_rt_peek_begin && pc < (uint64_t)vtb_rt_peek_end ? (uint64_t)vtb_rt_peek_failed : 0;
}

/* The place in near.c that a place in the copy is a copy of, 0 if it is none. */
static uint64_t original_of(uint64_t pc)
{
	return vtb_rt_is_near(pc) && pc - vtb_rt_near.all.lo < vtb_rt_near.code
	           ? pc - vtb_rt_near.all.lo + vtb_rt_near.original
	           : 0;
}

uint64_t vtb_rt_peek_fixup(uint64_t pc)
{
	const uint64_t original = original_of(pc), on = fixup_of(original ? original : pc);

	return original && on ? on - vtb_rt_near.original + vtb_rt_near.all.lo : on;
}
