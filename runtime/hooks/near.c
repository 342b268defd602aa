/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In the code below, as called by the program: rdi the address, everything that a call may change is ours, and no stack
 * is used.
 *
 *     site's thunk:  mov $VTB_REC_SHORT | site, %ecx ── jmp ──►  the entry for its kind and size, with a record in the
 * short form
 *
 *     rax  the thread         rdx  where the record goes       rsi  the value      rcx  the site       r8 to r11  free
 */
#include "near.h"

#include "base.h"
#include "scheduler.h"

#define AT(field) offsetof(struct vtb_rt_thread, base.field)
_Static_assert(AT(spins) == AT(wrote) + 4 && AT(again) == AT(own_spins) + 4, "written as one word");
_Static_assert(AT(seen_run) == AT(seen) + 8, "found by the place before it: an asm statement takes no more operands");
_Static_assert(VTB_SEEN_FACTOR == 0x9e3779b97f4a7c15ull, "as below: too large for an operand");

#define THREAD(field) "i"(offsetof(struct vtb_rt_thread, field))

/* What both modes begin with: a thread of ours, in a stretch, not inside the runtime; memory that is neither on a stack
 * nor in a heap with something dead in it. Where vtb_self lies is filled in in the copy. */
#define BEGIN                                           \
	".macro vtb_near_start\n"                       \
	"	movq %%fs:0, %%rax\n"                         \
	"881:\n"                                        \
	".pushsection .rodata.vtb_near_selves, \"a\"\n" \
	"	.long 881b - 4 - vtb_near_begin\n"            \
	".popsection\n"                                 \
	"	testq %%rax, %%rax\n"                         \
	"	jz 9f\n"                                      \
	"	movq %c[next](%%rax), %%rdx\n"                \
	"	cmpq %c[limit](%%rax), %%rdx\n"               \
	"	jae 9f\n"                                     \
	"	cmpl $0, %c[inside](%%rax)\n"                 \
	"	jne 9f\n"                                     \
	"	movq %%rdi, %%r8\n"                           \
	"	subq %c[special_lo](%%rax), %%r8\n"           \
	"	cmpq %c[special_size](%%rax), %%r8\n"         \
	"	jb 71f\n"                                     \
	"72:\n"                                         \
	".endm\n"                                       \
	".macro vtb_near_slow hook\n"                   \
	"71:	movq %%rdi, %%r8\n"                        \
	"	subq %c[clear_lo](%%rax), %%r8\n"             \
	"	cmpq %c[clear_size](%%rax), %%r8\n"           \
	"	jb 72b\n"                                     \
	"9:	jmp *8*\\hook+vtb_near_begin(%%rip)\n"      \
	".endm\n"

/* The record's first word. */
/* clang-format off */
#define WORDS \
	".macro vtb_near_word\n" \
	"	shlq $16, %%rdi\n" \
	"	orq %%rcx, %%rdi\n" \
	"	movq %%rdi, (%%rdx)\n" \
	".endm\n"

#define RECORD \
	".macro vtb_near_record write, size_log2\n" \
	"	vtb_near_start\n" \
	"	vtb_near_word\n" \
	"	addq $8, %%rdx\n" \
	"	movq %%rdx, %c[next](%%rax)\n" \
	"	ret\n" \
	"	vtb_near_slow (\\write << 3 | \\size_log2)\n" \
	".endm\n"

/* A load of 2^size_log2 bytes from where `from` points into `to`, which is zero; it may fault (VTB_MAY_FAULT). */
#define LOAD \
	".macro vtb_near_load size_log2, from, to, to32\n" \
	".if \\size_log2 == 0\n" VTB_MAY_FAULT_HERE("movzbl (\\from), \\to32") \
	".elseif \\size_log2 == 1\n" VTB_MAY_FAULT_HERE("movzwl (\\from), \\to32") \
	".elseif \\size_log2 == 2\n" VTB_MAY_FAULT_HERE("movl (\\from), \\to32") \
	".else\n" VTB_MAY_FAULT_HERE("movq (\\from), \\to") \
	".endif\n" \
	".endm\n"
#define VTB_MAY_FAULT_HERE(load) \
	"771:	" load "\n772:\n" \
	".pushsection vtb_fixups, \"a\"\n" \
	".long 771b - .\n" \
	".long 772b - .\n" \
	".popsection\n"

/* vtb_note_written(), out of the way of reads after reads */
#define WRITTEN \
	".macro vtb_near_written\n" \
	"	cmpq $0, %c[word](%%rax)\n" \
	"	jne 2f\n" \
	"1:\n" \
	".endm\n" \
	".macro vtb_near_late\n" \
	"2:	movl %c[log2](%%rax), %%r9d\n" \
	"	movq %c[addr](%%rax), %%r8\n" \
	"	xorl %%esi, %%esi\n" \
	"	cmpl $2, %%r9d\n" \
	"	ja 3f\n" \
	"	jb 4f\n" \
	"	vtb_near_load 2, %%r8, %%rsi, %%esi\n" \
	"	jmp 5f\n" \
	"3:	cmpl $%c[own], %%r9d\n" \
	"	jae 9f\n" \
	"	vtb_near_load 3, %%r8, %%rsi, %%esi\n" \
	"5:	movq %c[word](%%rax), %%r8\n" \
	"	movq $0, %c[word](%%rax)\n" \
	"	movq %%rsi, (%%r8)\n" \
	"	jmp 1b\n" \
	"4:	testl %%r9d, %%r9d\n" \
	"	jz 3f\n" \
	"	vtb_near_load 1, %%r8, %%rsi, %%esi\n" \
	"	jmp 5b\n" \
	"3:	vtb_near_load 0, %%r8, %%rsi, %%esi\n" \
	"	jmp 5b\n" \
	".endm\n"

/* vtb_fast_control() */
#define CONTROL \
	".macro vtb_near_control write, size_log2\n" \
	"	vtb_near_start\n" \
	"	vtb_near_written\n" \
	"	xorl %%esi, %%esi\n" \
	"	vtb_near_load \\size_log2, %%rdi, %%rsi, %%esi\n" \
	".if \\write\n" \
	"	leaq 8(%%rdx), %%r8\n" \
	"	movq %%r8, %c[word](%%rax)\n" \
	"	movq %%rdi, %c[addr](%%rax)\n" \
	"	movl $\\size_log2, %c[log2](%%rax)\n" \
	"	movq $1, %c[wrote](%%rax)\n" /* and spins = 0 */ \
	".else\n" \
	"	movabsq $0x9e3779b97f4a7c15, %%r8\n" \
	"	imulq %%rdi, %%r8\n" \
	"	leaq (%%r8,%%rsi), %%r9\n" \
	"	addq 8+%c[seen](%%rax), %%r9\n" \
	"	shrq $56, %%r8\n" \
	"	movq %c[seen](%%rax), %%r10\n" \
	"	movq (%%r10,%%r8,8), %%r11\n	cmpq %%r9, %%r11\n	je 8f\n" \
	"	cmpq %%r9, %c[second](%%r10,%%r8,8)\n	movq %%r11, %c[second](%%r10,%%r8,8)\n" \
	"	movq %%r9, (%%r10,%%r8,8)\n	je 8f\n" \
	"7:\n" \
	".endif\n" \
	"	movq %%rsi, 8(%%rdx)\n" \
	"	vtb_near_word\n" \
	"	addq $16, %%rdx\n" \
	"	movq %%rdx, %c[next](%%rax)\n" \
	"	ret\n" \
	".if !\\write\n" \
	"8:	cmpl $%c[rereads], %c[spins](%%rax)\n" \
	"	jae 9f\n" \
	"	cmpl $0, %c[again](%%rax)\n" \
	"	jge 9f\n" \
	"	movabsq $0x100000001, %%r8\n" /* own_spins and again */ \
	"	incl %c[spins](%%rax)\n" \
	"	addq %%r8, %c[own_spins](%%rax)\n" \
	"	jmp 7b\n" \
	".endif\n" \
	"	vtb_near_late\n" \
	"	vtb_near_slow (\\write << 3 | \\size_log2)\n" \
	".endm\n"

/*
 * The same for pads, which are no calls: a stub of the program has come here, with rax the address, ecx
 * VTB_REC_SHORT | site, rdx the place behind the pad, and the program's rax, rcx, rdx on its stack (vtb/pad_site.h).
 * Flags and all other registers are kept, in the order of pads_entry.c, which goes on with what is not for here.
 *
 *     rsi  the thread         r8  where the record goes       rdi  the address      rax, r9  for anything
 */
#define PAD_BEGIN \
	".macro vtb_near_pad_start\n" \
	"	pushq %%rdi\n" \
	"	pushq %%rsi\n" \
	"	movq %%rax, %%rdi\n" \
	"	lahf\n" \
	"	seto %%al\n" \
	"	pushq %%rax\n" \
	"	pushq %%r8\n" \
	"	pushq %%r9\n" \
	"	movq %%fs:0, %%rsi\n" \
	"881:\n" \
	".pushsection .rodata.vtb_near_selves, \"a\"\n" \
	"	.long 881b - 4 - vtb_near_begin\n" \
	".popsection\n" \
	"	testq %%rsi, %%rsi\n" \
	"	jz 9f\n" \
	"	movq %c[next](%%rsi), %%r8\n" \
	"	cmpq %c[limit](%%rsi), %%r8\n" \
	"	jae 9f\n" \
	"	cmpl $0, %c[inside](%%rsi)\n" \
	"	jne 9f\n" \
	"	movq %%rdi, %%rax\n" \
	"	subq %c[special_lo](%%rsi), %%rax\n" \
	"	cmpq %c[special_size](%%rsi), %%rax\n" \
	"	jb 71f\n" \
	"72:\n" \
	".endm\n" \
	".macro vtb_near_pad_word\n" \
	"	shlq $16, %%rdi\n" \
	"	orq %%rcx, %%rdi\n" \
	"	movq %%rdi, (%%r8)\n" \
	".endm\n" \
	".macro vtb_near_pad_end\n" \
	"	popq %%r9\n" \
	"	popq %%r8\n" \
	"	popq %%rax\n" \
	"	addb $127, %%al\n" /* overflow if it was 1 */ \
	"	sahf\n" \
	"	popq %%rsi\n" \
	"	popq %%rdi\n" \
	"	ret\n" \
	".endm\n" \
	".macro vtb_near_pad_slow\n" \
	"71:	movq %%rdi, %%rax\n" \
	"	subq %c[clear_lo](%%rsi), %%rax\n" \
	"	cmpq %c[clear_size](%%rsi), %%rax\n" \
	"	jb 72b\n" \
	"9:	jmp *%c[pad]+vtb_near_begin(%%rip)\n" \
	".endm\n"

/* What was accessed how is the site's to know. */
#define PAD_RECORD \
	".macro vtb_near_pad_record\n" \
	"	vtb_near_pad_start\n" \
	"	vtb_near_pad_word\n" \
	"	addq $8, %%r8\n" \
	"	movq %%r8, %c[next](%%rsi)\n" \
	"	vtb_near_pad_end\n" \
	"	vtb_near_pad_slow\n" \
	".endm\n"

#define PAD_CONTROL \
	".macro vtb_near_pad_control write, size_log2\n" \
	"	vtb_near_pad_start\n" \
	"	cmpq $0, %c[word](%%rsi)\n" \
	"	jne 2f\n" \
	"1:	xorl %%r9d, %%r9d\n" \
	"	vtb_near_load \\size_log2, %%rdi, %%r9, %%r9d\n" \
	"	movq %%r9, 8(%%r8)\n" \
	".if \\write\n" \
	"	leaq 8(%%r8), %%rax\n" \
	"	movq %%rax, %c[word](%%rsi)\n" \
	"	movq %%rdi, %c[addr](%%rsi)\n" \
	"	movl $\\size_log2, %c[log2](%%rsi)\n" \
	"	movq $1, %c[wrote](%%rsi)\n" /* and spins = 0 */ \
	".else\n" \
	"	movabsq $0x9e3779b97f4a7c15, %%rax\n" \
	"	imulq %%rdi, %%rax\n" \
	"	pushq %%r10\n" \
	"	leaq (%%rax,%%r9), %%r10\n" \
	"	addq 8+%c[seen](%%rsi), %%r10\n" \
	"	shrq $56, %%rax\n" \
	"	shlq $3, %%rax\n" \
	"	addq %c[seen](%%rsi), %%rax\n" \
	"	movq (%%rax), %%r9\n	cmpq %%r10, %%r9\n	je 8f\n" \
	"	cmpq %%r10, %c[second](%%rax)\n	movq %%r9, %c[second](%%rax)\n" \
	"	movq %%r10, (%%rax)\n	je 8f\n" \
	"7:	popq %%r10\n" \
	".endif\n" \
	"	vtb_near_pad_word\n" \
	"	addq $16, %%r8\n" \
	"	movq %%r8, %c[next](%%rsi)\n" \
	"	vtb_near_pad_end\n" \
	".if !\\write\n" \
	"8:	cmpl $%c[rereads], %c[spins](%%rsi)\n" \
	"	jae 6f\n" \
	"	cmpl $0, %c[again](%%rsi)\n" \
	"	jge 6f\n" \
	"	incl %c[again](%%rsi)\n" \
	"	incl %c[spins](%%rsi)\n" \
	"	incl %c[own_spins](%%rsi)\n" \
	"	jmp 7b\n" \
	"6:	popq %%r10\n" \
	"	jmp 9f\n" \
	".endif\n" \
	"2:	movq %c[addr](%%rsi), %%rax\n" \
	"	xorl %%r9d, %%r9d\n" \
	"	cmpl $2, %c[log2](%%rsi)\n" \
	"	ja 3f\n" \
	"	jb 4f\n" \
	"	vtb_near_load 2, %%rax, %%r9, %%r9d\n" \
	"	jmp 5f\n" \
	"3:	cmpl $%c[own], %c[log2](%%rsi)\n" \
	"	jae 9f\n" \
	"	vtb_near_load 3, %%rax, %%r9, %%r9d\n" \
	"5:	movq %c[word](%%rsi), %%rax\n" \
	"	movq $0, %c[word](%%rsi)\n" \
	"	movq %%r9, (%%rax)\n" \
	"	jmp 1b\n" \
	"4:	cmpl $0, %c[log2](%%rsi)\n" \
	"	je 3f\n" \
	"	vtb_near_load 1, %%rax, %%r9, %%r9d\n" \
	"	jmp 5b\n" \
	"3:	vtb_near_load 0, %%rax, %%r9, %%r9d\n" \
	"	jmp 5b\n" \
	"	vtb_near_pad_slow\n" \
	".endm\n"

/* From sites that have no number for a short record: straight to the hook. */
#define FAR \
	".macro vtb_near_far write, size_log2\n" \
	"	jmp *8*(\\write << 3 | \\size_log2)+vtb_near_begin(%%rip)\n" \
	".endm\n"

#define ENTRY(mode, write, log2) ".p2align 5\nvtb_near_" #mode "_" #write "_" #log2 ": vtb_near_" #mode " " #write ", " #log2 "\n"
#define ENTRIES(mode, write) ENTRY(mode, write, 0) ENTRY(mode, write, 1) ENTRY(mode, write, 2) ENTRY(mode, write, 3) ENTRY(mode, write, 4)
#define PLACE(mode, write, log2) "	.long vtb_near_" #mode "_" #write "_" #log2 " - vtb_near_begin\n"
#define PLACES(mode, write) PLACE(mode, write, 0) PLACE(mode, write, 1) PLACE(mode, write, 2) PLACE(mode, write, 3) PLACE(mode, write, 4) "	.long 0, 0, 0\n"
/* clang-format on */

enum {
	RECORD_ENTRIES,
	CONTROL_ENTRIES,
	OWNED_ENTRIES,
	FINE_ENTRIES,
	FAR_ENTRIES,
	PAD_RECORD_ENTRIES,
	PAD_CONTROL_ENTRIES,
	KINDS_OF_ENTRIES
};
extern const uint32_t vtb_near_places[KINDS_OF_ENTRIES][VTB_SITE_HOOKS] __attribute__((visibility("hidden")));

/* Never called: a place for assembly with operands. */
__attribute__((used, noinline)) static void code(void)
{
	__asm__ volatile(
	    BEGIN WORDS RECORD LOAD WRITTEN CONTROL VTB_OWNED_NEAR FAR PAD_BEGIN PAD_RECORD PAD_CONTROL
	    ".pushsection .rodata.vtb_near_selves, \"a\"\n"
	    ".hidden vtb_near_selves, vtb_near_selves_end\n"
	    ".globl vtb_near_selves, vtb_near_selves_end\n"
	    "vtb_near_selves:\n"
	    ".popsection\n"
	    ".pushsection .rodata\n"
	    ".hidden vtb_near_begin, vtb_near_end, vtb_near_places\n"
	    ".globl vtb_near_begin, vtb_near_end, vtb_near_places\n"
	    ".p2align 6\n"
	    "vtb_near_begin: .fill %c[words], 1, 0\n" ENTRIES(record, 0) ENTRIES(record, 1) ENTRIES(control, 0)
	        ENTRIES(control, 1) VTB_OWNED_NEAR_ENTRIES(owned, 0) VTB_OWNED_NEAR_ENTRIES(owned, 1)
	            VTB_OWNED_NEAR_ENTRIES(fine, 0) VTB_OWNED_NEAR_ENTRIES(fine, 1) ENTRIES(far, 0) ENTRIES(
	                far, 1) ".p2align 5\nvtb_near_pad_record_any: vtb_near_pad_record\n" ENTRIES(pad_control, 0)
	                ENTRIES(pad_control,
	                        1) "vtb_near_end:\n"
	                           ".p2align 2\n"
	                           "vtb_near_places:\n" PLACES(record, 0) PLACES(record, 1) PLACES(control, 0) PLACES(
	                               control, 1) VTB_OWNED_NEAR_PLACES(owned, 0) VTB_OWNED_NEAR_PLACES(owned, 1)
	                               VTB_OWNED_NEAR_PLACES(fine, 0) VTB_OWNED_NEAR_PLACES(fine, 1) PLACES(far, 0)
	                                   PLACES(far, 1) ".rept %c[hooks]\n	.long vtb_near_pad_record_any - "
	                                                  "vtb_near_begin\n.endr\n" PLACES(pad_control, 0)
	                                                      PLACES(pad_control,
	                                                             1) ".popsection\n"
	                                                                ".pushsection .rodata.vtb_near_selves, \"a\"\n"
	                                                                "vtb_near_selves_end:\n"
	                                                                ".popsection\n"
	    :
	    : [hooks] "i"(VTB_SITE_HOOKS), [words] "i"(sizeof(struct vtb_near_words)),
	      [pad] "i"(offsetof(struct vtb_near_words, pad)), [next] THREAD(base.stream.next),
	      [limit] THREAD(base.stream.limit), [inside] THREAD(base.inside),
	      [special_lo] THREAD(base.stream.special_lo), [special_size] THREAD(base.stream.special_size),
	      [clear_lo] THREAD(base.stream.clear_lo), [clear_size] THREAD(base.stream.clear_size),
	      [word] THREAD(base.written_word), [addr] THREAD(base.written_addr), [log2] THREAD(base.written_log2),
	      [spins] THREAD(base.spins), [own_spins] THREAD(base.own_spins), [wrote] THREAD(base.wrote),
	      VTB_OWNED_NEAR_OPERANDS, [again] THREAD(base.again), [seen] THREAD(base.seen), [second] "i"(VTB_SEEN * 8),
	      [rereads] "i"(VTB_REREADS), [own] "i"(VTB_WRITTEN_OWN));
}

uint32_t vtb_near_entry(enum vtb_wire_mode mode, unsigned hook, enum vtb_near_site site)
{
	if (hook >= VTB_SITE_HOOKS || mode == VTB_MODE_OFF)
		return 0;
	return vtb_near_places[site == VTB_NEAR_FAR       ? FAR_ENTRIES
	                       : site == VTB_NEAR_OWNED   ? OWNED_ENTRIES
	                       : site == VTB_NEAR_FINE    ? FINE_ENTRIES
	                       : mode == VTB_MODE_CONTROL ? CONTROL_ENTRIES
	                                                  : RECORD_ENTRIES][hook];
}

uint32_t vtb_near_pad_entry(enum vtb_wire_mode mode, unsigned access)
{
	return access < VTB_SITE_HOOKS && mode != VTB_MODE_OFF
	           ? vtb_near_places[mode == VTB_MODE_CONTROL ? PAD_CONTROL_ENTRIES : PAD_RECORD_ENTRIES][access]
	           : 0;
}

/* mov $VTB_REC_SHORT | site, %ecx; jmp entry */
void vtb_near_thunk(uint8_t at[VTB_NEAR_THUNK], uint32_t site, const void *entry)
{
	const uint32_t number = VTB_REC_SHORT | site;
	const int32_t distance = (int32_t)((int64_t)entry - (int64_t)(at + 10));

	at[0] = 0xb9;
	memcpy(at + 1, &number, 4);
	at[5] = 0xe9;
	memcpy(at + 6, &distance, 4);
}

void vtb_near_fill(char *copy, int32_t self)
{
	for (const uint32_t *at = vtb_near_selves; at < vtb_near_selves_end; at++)
		memcpy(copy + *at, &self, sizeof(self));
}
