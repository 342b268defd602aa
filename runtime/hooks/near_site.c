/* SPDX-License-Identifier: BSD-2-Clause */
#include "near_site.h"

#include "base.h"

#define THREAD(field) "i"(offsetof(struct vtb_rt_thread, field))

/* clang-format off */
/* As called by the program: rdi the address; rax the thread, rcx the address, rdx where the record goes. Filled in:
 * vtb_self's place, the number, once more for whoever is jumped to, and that jump. */
#define CALLED \
	"vtb_site_called:\n" \
	"	movq %%fs:0, %%rax\n" \
	"vtb_site_called_self:\n" \
	"	testq %%rax, %%rax\n" \
	"	jz 9f\n" \
	"	movq %%rdi, %%rcx\n" \
	"	subq %c[clear_lo](%%rax), %%rdi\n" \
	"	cmpq %c[clear_size](%%rax), %%rdi\n" \
	"	jae 8f\n" \
	"	movq %c[next](%%rax), %%rdx\n" \
	"	cmpq %c[limit](%%rax), %%rdx\n" \
	"	jae 8f\n" \
	"	cmpl $0, %c[inside](%%rax)\n" \
	"	jne 8f\n" \
	"	shlq $16, %%rcx\n" \
	"	addq $0x12345678, %%rcx\n" \
	"vtb_site_called_number:\n" \
	"	movq %%rcx, (%%rdx)\n" \
	"	addq $8, %%rdx\n" \
	"	movq %%rdx, %c[next](%%rax)\n" \
	"	ret\n" \
	"8:	movq %%rcx, %%rdi\n" \
	"9:	movl $0, %%ecx\n	.byte 0xe9\n	.long 0\n" /* jmp */ \
	"vtb_site_called_end:\n"
/* clang-format on */

#define LABEL(name) extern const uint8_t vtb_site_##name[] __attribute__((visibility("hidden")))
LABEL(called);
LABEL(called_self);
LABEL(called_number);
LABEL(called_end);

/* Never called: a place for assembly with operands. */
__attribute__((used, noinline)) static void code(void)
{
	__asm__ volatile(
	    ".pushsection .rodata\n"
	    ".hidden vtb_site_called, vtb_site_called_self, vtb_site_called_number, vtb_site_called_end\n"
	    ".globl vtb_site_called, vtb_site_called_self, vtb_site_called_number, vtb_site_called_end\n" CALLED
	    ".popsection\n"
	    :
	    : [next] THREAD(base.stream.next), [limit] THREAD(base.stream.limit), [inside] THREAD(base.inside),
	      [clear_lo] THREAD(base.stream.clear_lo), [clear_size] THREAD(base.stream.clear_size));
}

/* The four bytes before `end` are a distance from there. */
static void lead(uint8_t *end, const void *to)
{
	const int32_t distance = (int32_t)((int64_t)to - (int64_t)end);

	memcpy(end - 4, &distance, 4);
}

void vtb_near_site(uint8_t at[VTB_NEAR_SITE], uint32_t site, int32_t self, const void *entry)
{
	const uint64_t size = (uint64_t)(vtb_site_called_end - vtb_site_called);
	const uint32_t number = VTB_REC_SHORT | site;

	memcpy(at, vtb_site_called, size);
	memcpy(at + (vtb_site_called_number - vtb_site_called) - 4, &number, 4);
	memcpy(at + size - 9, &number, 4);
	memcpy(at + (vtb_site_called_self - vtb_site_called) - 4, &self, 4);
	lead(at + size, entry);
}
