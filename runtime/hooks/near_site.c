/* SPDX-License-Identifier: BSD-2-Clause */
#include "near_site.h"

#include "base.h"
#include "vtb/pad_site.h"

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

/* A pad: its stub's way of loading the address into rax stands between the two parts. rdx the address, rcx the thread,
 * rax where the record goes. `red`: the function keeps something below its stack pointer; `flags`: they are read behind
 * the pad. Filled in: vtb_self's place, the number, the jumps to behind the pad and to the stub. */
#define PAD_MACROS \
	".macro vtb_site_pad_end red, flags\n" \
	".if \\flags\n" \
	"	popq %%rax\n" \
	"	addb $127, %%al\n" /* overflow if it was 1 */ \
	"	sahf\n" \
	".endif\n" \
	"	popq %%rdx\n	popq %%rcx\n	popq %%rax\n" \
	".if \\red\n" \
	"	leaq 128(%%rsp), %%rsp\n" \
	".endif\n" \
	"	.byte 0xe9\n	.long 0\n" \
	".endm\n" \
	".macro vtb_site_pad name, red, flags\n" \
	".hidden \\name, \\name\\()_rest, \\name\\()_self, \\name\\()_number, \\name\\()_back, \\name\\()_end\n" \
	".globl \\name, \\name\\()_rest, \\name\\()_self, \\name\\()_number, \\name\\()_back, \\name\\()_end\n" \
	"\\name:\n" \
	".if \\red\n" \
	"	leaq -128(%%rsp), %%rsp\n" \
	".endif\n" \
	"	pushq %%rax\n	pushq %%rcx\n	pushq %%rdx\n" \
	"\\name\\()_rest:\n" \
	"	movq %%rax, %%rdx\n" \
	".if \\flags\n" \
	"	lahf\n" \
	"	seto %%al\n" \
	"	pushq %%rax\n" \
	".endif\n" \
	"	movq %%fs:0, %%rcx\n" \
	"\\name\\()_self:\n" \
	"	testq %%rcx, %%rcx\n" \
	"	jz 9f\n" \
	"	movq %%rdx, %%rax\n" \
	"	subq %c[clear_lo](%%rcx), %%rax\n" \
	"	cmpq %c[clear_size](%%rcx), %%rax\n" \
	"	jae 9f\n" \
	"	movq %c[next](%%rcx), %%rax\n" \
	"	cmpq %c[limit](%%rcx), %%rax\n" \
	"	jae 9f\n" \
	"	cmpl $0, %c[inside](%%rcx)\n" \
	"	jne 9f\n" \
	"	shlq $16, %%rdx\n" \
	"	addq $0x12345678, %%rdx\n" \
	"\\name\\()_number:\n" \
	"	movq %%rdx, (%%rax)\n" \
	"	addq $8, %%rax\n" \
	"	movq %%rax, %c[next](%%rcx)\n" \
	"	vtb_site_pad_end \\red, \\flags\n" \
	"\\name\\()_back:\n" \
	"9:	vtb_site_pad_end \\red, \\flags\n" \
	"\\name\\()_end:\n" \
	".endm\n"
#define PADS \
	"	vtb_site_pad vtb_pad_red_flags, 1, 1\n	vtb_site_pad vtb_pad_red, 1, 0\n" \
	"	vtb_site_pad vtb_pad_flags, 0, 1\n	vtb_site_pad vtb_pad_none, 0, 0\n"
/* clang-format on */

#define LABEL(name) extern const uint8_t vtb_site_##name[] __attribute__((visibility("hidden")))
LABEL(called);
LABEL(called_self);
LABEL(called_number);
LABEL(called_end);

#define PAD_LABELS(name)                                                             \
	extern const uint8_t vtb_pad_##name[] __attribute__((visibility("hidden"))), \
	    vtb_pad_##name##_rest[] __attribute__((visibility("hidden"))),           \
	    vtb_pad_##name##_self[] __attribute__((visibility("hidden"))),           \
	    vtb_pad_##name##_number[] __attribute__((visibility("hidden"))),         \
	    vtb_pad_##name##_back[] __attribute__((visibility("hidden"))),           \
	    vtb_pad_##name##_end[] __attribute__((visibility("hidden")))
PAD_LABELS(red_flags);
PAD_LABELS(red);
PAD_LABELS(flags);
PAD_LABELS(none);

static const struct pad_code {
	const uint8_t *begin, *rest, *self, *number, *back, *end;
}
#define PAD_CODE(name)                                                                                 \
	{                                                                                              \
		vtb_pad_##name, vtb_pad_##name##_rest, vtb_pad_##name##_self, vtb_pad_##name##_number, \
		    vtb_pad_##name##_back, vtb_pad_##name##_end                                        \
	}
/* By what the place does not need. */
codes[2][2] = { { PAD_CODE(red_flags), PAD_CODE(red) }, { PAD_CODE(flags), PAD_CODE(none) } };

/* Never called: a place for assembly with operands. */
__attribute__((used, noinline)) static void code(void)
{
	__asm__ volatile(
	    ".pushsection .rodata\n"
	    ".hidden vtb_site_called, vtb_site_called_self, vtb_site_called_number, vtb_site_called_end\n"
	    ".globl vtb_site_called, vtb_site_called_self, vtb_site_called_number, vtb_site_called_end\n" CALLED
	        PAD_MACROS PADS ".popsection\n"
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

/* ---- pads */

#define STUB_SAVES 8u /* bytes of a stub: past the red zone, three registers */
#define OPERAND_MAX 10u
#define SIB_OF_RSP 0x24u
#define RED_ZONE 128

/* `leaq OPERAND, %rax` or `movabsq $..., %rax`, moved from `from` to `to`; `lower`: the stack pointer is so much higher
 * than it is there. False: it is something else, or out of reach. */
static bool move_operand(uint8_t *to, const uint8_t *from, uint32_t size, int32_t lower)
{
	const uint32_t prefix = from[0] == 0x67, modrm = from[prefix + 2];
	int32_t disp;
	int64_t moved;

	memcpy(to, from, size);
	if ((from[prefix] & 0xf8) != 0x48)
		return false;
	if (from[prefix + 1] == 0xb8)
		return size == 10 && !prefix;
	if (from[prefix + 1] != 0x8d || modrm >> 6 == 3)
		return false;
	if ((modrm & 0xc7) == 0x05) { /* from the instruction's end */
		memcpy(&disp, from + prefix + 3, 4);
		moved = (int64_t)from + disp - (int64_t)to;
		disp = (int32_t)moved;
		memcpy(to + prefix + 3, &disp, 4);
		return moved == disp && size == prefix + 7;
	}
	if ((modrm & 7) != 4 || (from[prefix + 3] & 7) != (SIB_OF_RSP & 7) || from[prefix] & 1)
		return true;
	if (modrm >> 6 != 2) /* below the stack pointer, or not by our assembler */
		return !lower;
	memcpy(&disp, from + prefix + 4, 4);
	disp -= lower;
	memcpy(to + prefix + 4, &disp, 4);
	return true;
}

bool vtb_near_pad(uint8_t at[VTB_NEAR_PAD], const struct vtb_near_pad *pad)
{
	static const uint8_t saves[STUB_SAVES] = { 0x48, 0x8d, 0x64, 0x24, 0x80, 0x50, 0x51, 0x52 };
	const bool no_red = pad->info & VTB_PAD_NO_RED_ZONE;
	const struct pad_code *code = &codes[no_red][(pad->info & VTB_PAD_FLAGS_DEAD) != 0];
	const uint32_t number = VTB_REC_SHORT | pad->site, head = (uint32_t)(code->rest - code->begin),
	               operand = pad->head - STUB_SAVES;
	uint8_t *rest = at + head + operand;

	if (pad->head < STUB_SAVES + 4 || operand > OPERAND_MAX || memcmp(pad->stub, saves, STUB_SAVES) ||
	    head + operand + (uint64_t)(code->end - code->rest) > VTB_NEAR_PAD ||
	    !move_operand(at + head, pad->stub + STUB_SAVES, operand, no_red ? RED_ZONE : 0))
		return false;
	memcpy(at, code->begin, head);
	memcpy(rest, code->rest, (uint64_t)(code->end - code->rest));
	memcpy(rest + (code->self - code->rest) - 4, &pad->self, 4);
	memcpy(rest + (code->number - code->rest) - 4, &number, 4);
	lead(rest + (code->back - code->rest), pad->end);
	lead(rest + (code->end - code->rest), pad->stub);
	return true;
}
