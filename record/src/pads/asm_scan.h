/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file asm_scan.h
 * An assembler file as a sequence of statements, and what must be known of it as a whole before pads go in: which
 * labels lie in read-only data, and in which functions the address of the stack frame gets out.
 *
 * Ownership: slices point into the text; the scan owns its arrays (asm_facts_fini()).
 */
#ifndef VTB_ASM_SCAN_H
#define VTB_ASM_SCAN_H

#include "asm_insn.h"

enum asm_statement_kind { ASM_LABEL, ASM_DIRECTIVE, ASM_INSN, ASM_APP, ASM_NO_APP, ASM_COMMENT, ASM_END };

/** A position in the text; start from {.text, .size}. */
struct asm_cursor {
	const char *text;
	size_t size, at;
};

struct asm_statement {
	enum asm_statement_kind kind;
	struct asm_slice text; /* without blanks around it; a label without its colon; a comment with its # */
};

/** The next statement. Comments of a whole line are statements of their own (compilers mark asm statements with them).
 * O(its bytes). */
struct asm_statement asm_next(struct asm_cursor *c);

/** The word after the directive's name, and the n-th of its arguments (from 0; commas outside quotes). Empty if there
 * is none. */
struct asm_slice asm_directive_name(struct asm_slice directive);
struct asm_slice asm_directive_argument(struct asm_slice directive, unsigned n);

/** Sections: what is current, through .section, .text, .pushsection, .popsection, .previous, .subsection. */
#define ASM_SECTION_STACK 16u
struct asm_section_state {
	struct asm_slice current, previous; /* the directive that selected it, e.g. ".text" or ".section .rodata,..." */
	struct asm_slice stack[ASM_SECTION_STACK][2];
	uint32_t depth;
};

/** Follow a directive. True if it was one about sections. */
bool asm_section_follow(struct asm_section_state *s, struct asm_slice directive);
bool asm_section_is_code(struct asm_slice section);
bool asm_section_is_readonly(struct asm_slice section);

/** The type in a section's directive if GNU as knows it by number only, and that number; empty: as can read it as it
 * is. */
struct asm_slice asm_section_type(struct asm_slice directive, const char **ret_number);

struct asm_function {
	struct asm_slice name; /* parts that are split off (NAME.cold) belong to NAME */
	bool frame_pointer;    /* rbp is set from rsp */
	bool escapes;          /* somebody may hold an address in its frame */
	bool uses_frame;       /* some operand lies relative to rsp or rbp */
	bool calls;            /* compiled code of it calls others: then compilers keep nothing below rsp */
	bool vectors;          /* vector registers may hold something that counts (asm_vectors.h) */
};

struct asm_facts {
	struct asm_slice *constants; /* labels in read-only data, sorted by asm_slice_compare() */
	size_t n_constants, cap_constants;
	struct asm_function *functions; /* sorted likewise */
	size_t n_functions, cap_functions;
	bool compiled; /* written by a compiler: .ident says so */
};

/** 0 or -ENOMEM. O(n log n). */
int asm_facts_read(const char *text, size_t size, struct asm_facts *ret);
void asm_facts_fini(struct asm_facts *f);

bool asm_facts_constant(const struct asm_facts *f, struct asm_slice label);
/** The function that this label begins, NULL if it begins none. */
struct asm_function *asm_facts_function(const struct asm_facts *f, struct asm_slice label);

/** Does the function keep nothing below its stack pointer, as far as is known? */
bool asm_no_red_zone(const struct asm_function *f);

/** Does the operand lie in the frame of `f`, at a place that `f` itself says? */
bool asm_in_frame(const struct asm_operand *o, const struct asm_function *f);

#endif /* VTB_ASM_SCAN_H */
