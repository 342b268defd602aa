/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file asm_insn.h
 * One x86-64 instruction in AT&T syntax, as compilers write it for the GNU assembler: its operands, and which memory it
 * touches.
 *
 * Shape:     operands are slices of the text given to asm_insn_parse(); the text must outlive the instruction.
 * Scope:     what gcc and clang emit for C and C++ and what people write in asm statements. What is not known is
 * ASM_UNKNOWN, never guessed to be no access.
 */
#ifndef VTB_ASM_INSN_H
#define VTB_ASM_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASM_OPERANDS_MAX 6u

struct asm_slice {
	const char *at;
	size_t len;
};

enum asm_operand_kind { ASM_REGISTER, ASM_IMMEDIATE, ASM_MEMORY };

struct asm_operand {
	enum asm_operand_kind kind;
	struct asm_slice text;        /* the whole, without a leading * and trailing {masks} */
	struct asm_slice segment;     /* memory: "%fs" or empty */
	struct asm_slice disp;        /* memory: text before the parenthesis, may be empty */
	struct asm_slice base, index; /* memory: with %, or empty */
	uint32_t scale;               /* memory: 1, 2, 4, 8 */
	bool indirect;                /* had a leading * */
	bool broadcast;               /* {1to8} behind it */
};

enum asm_use {
	ASM_NONE, /* touches no memory that counts: lea, nop, prefetch, register forms; the stack by push, pop, call,
	             ret */
	ASM_READS,
	ASM_WRITES,
	ASM_UPDATES, /* reads, then writes */
	ASM_LOCKED,  /* atomic read-modify-write */
	ASM_CAS,     /* locked compare-exchange */
	ASM_FENCE,
	ASM_MOVS,
	ASM_STOS,
	ASM_LODS,
	ASM_CMPS,
	ASM_SCAS,
	ASM_NO_ADDRESS, /* touches memory, but not at one address */
	ASM_UNKNOWN,    /* has a memory operand and is not in the table */
};

struct asm_insn {
	struct asm_slice mnemonic;
	bool lock, rep;
	uint32_t n_operands;
	struct asm_operand operands[ASM_OPERANDS_MAX];

	enum asm_use use;
	uint32_t operand; /* the memory operand, if use is READS .. CAS */
	uint32_t bytes;   /* at that operand; of one element for MOVS .. SCAS; 0: not known */
};

/** Parse one statement: no label, no comment, not a directive. False: not an instruction that can be understood (too
 * many operands, unbalanced parentheses); then nothing may be done at it. O(len). */
bool asm_insn_parse(const char *text, size_t len, struct asm_insn *ret);

/** Is this slice that text? */
bool asm_is(struct asm_slice s, const char *text);

/** Fill in use, operand and bytes (asm_table.c). */
void asm_insn_classify(struct asm_insn *insn);

/** Widest vector register among the operands in bytes: 8 (mmx), 16, 32, 64; 0 none. */
uint32_t asm_vector_bytes(const struct asm_insn *insn);

/** Bytes of a general register ("%eax": 4), 0 if it is none. */
uint32_t asm_register_bytes(struct asm_slice reg);

#endif /* VTB_ASM_INSN_H */
