/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file disasm.h
 * One x86-64 instruction at a time: its text, where it goes, and which memory it touches. Capstone stays behind it.
 *
 * Ownership: the caller owns the decoder; results are plain values.
 * Threads:   one decoder per thread.
 */
#ifndef VTB_DISASM_H
#define VTB_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTB_OPERANDS_MAX 4u
#define VTB_REG_NONE 255u
#define VTB_REG_RIP 16u

struct vtb_disasm;
int vtb_disasm_new(struct vtb_disasm **ret); /* 0, -ENOMEM, -VTB_E_TOOL */
void vtb_disasm_free(struct vtb_disasm *d);  /* accepts NULL */

enum { VTB_MEM_READ = 1, VTB_MEM_WRITE = 2 };

/** A memory operand; the address is base + index * scale + disp, with a segment base in front. rip as base is the
 * address after the instruction. Registers by DWARF number (0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8..
 * r8..). */
struct vtb_mem_operand {
	uint8_t base, index; /* VTB_REG_NONE: none */
	uint8_t scale;       /* 1, 2, 4, 8 */
	uint8_t segment;     /* 0 none, 1 fs, 2 gs */
	uint8_t access;      /* VTB_MEM_* */
	uint8_t size;        /* bytes; 0 unknown (rep prefixes count in rcx) */
	int64_t disp;
};

struct vtb_instruction {
	char text[96];  /* "mov dword ptr [rip + 0x2ee4], eax" */
	uint8_t length; /* 1..15 */
	bool is_call, is_jump, is_return;
	bool is_conditional; /* a jump that may fall through */
	bool is_atomic;      /* lock prefix, or xchg with memory */
	bool is_repeated;    /* rep, repne */
	bool has_target;     /* direct call or jump */
	uint64_t target;
	int32_t
	    sp_change; /* what it adds to rsp, as far as the instruction alone tells: push -8, sub rsp, N: -N; else 0 */
	uint8_t n_operands;
	struct vtb_mem_operand
	    operands[VTB_OPERANDS_MAX]; /* explicit and string operands; not the stack slots of push, pop, call, ret */
};

/** Decode the instruction at `code` (up to `size` bytes at hand) that runs at `addr`. Returns its length, or
 *  -VTB_E_FORMAT if there is none. */
int vtb_disasm_one(struct vtb_disasm *d, const void *code, size_t size, uint64_t addr, struct vtb_instruction *ret);

#endif /* VTB_DISASM_H */
