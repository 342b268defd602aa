/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file disasm_ops.h
 * What an instruction does, in the few forms that the address recovery interprets. Everything that is not modelled says
 * which registers it may change; what cannot be decoded says so.
 */
#ifndef VTB_DISASM_OPS_H
#define VTB_DISASM_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/disasm.h"

/* Registers: DWARF numbers 0 rax 1 rdx 2 rcx 3 rbx 4 rsi 5 rdi 6 rbp 7 rsp 8..15; vectors from OPS_VECTOR on. */
enum {
	OPS_RAX,
	OPS_RDX,
	OPS_RCX,
	OPS_RBX,
	OPS_RSI,
	OPS_RDI,
	OPS_RBP,
	OPS_RSP,
	OPS_RIP = 16,
	OPS_VECTOR = 32,
	OPS_NO_REG = 255
};
#define OPS_GPRS 16u
#define OPS_VECTORS 32u

enum vtb_ops_code {
	OPS_NOTHING, /* no register, no flag, no memory changes: nop, jumps, fences */
	OPS_MOV,
	OPS_MOVZX,
	OPS_MOVSX,
	OPS_LEA,
	OPS_PUSH,
	OPS_POP,
	OPS_CALL,
	OPS_RET,
	OPS_LEAVE,
	OPS_ADD,
	OPS_SUB,
	OPS_AND,
	OPS_OR,
	OPS_XOR,
	OPS_CMP,
	OPS_TEST,
	OPS_ADC,
	OPS_SBB,
	OPS_XADD,
	OPS_XCHG,
	OPS_CMPXCHG,
	OPS_INC,
	OPS_DEC,
	OPS_NEG,
	OPS_NOT,
	OPS_SHL,
	OPS_SHR,
	OPS_SAR,
	OPS_ROL,
	OPS_ROR,
	OPS_IMUL,
	OPS_MUL_WIDE,
	OPS_IMUL_WIDE,
	OPS_DIV,
	OPS_IDIV, /* rdx:rax and operand 0 */
	OPS_CMOV,
	OPS_SET,
	OPS_CDQE,
	OPS_CDQ,
	OPS_CQO,
	OPS_VMOV,      /* `width` bytes from operand 1 to 0 */
	OPS_VMOV_HIGH, /* 8 bytes between memory and bytes 8..15 of a vector */
	OPS_VLOW2,     /* punpcklqdq: the low 8 bytes of the last two operands, one after the other */
	OPS_VLOW4,     /* punpckldq: the low 4-byte parts of both, alternating */
	OPS_VZERO,     /* operand 0 = 0 */
	OPS_VINSERT,   /* operand 0 = the last but one, with element `cc` of `width` bytes replaced by the last */
	OPS_VEXTRACT,  /* operand 0 = element `cc` of `width` bytes of operand 1 */
	OPS_FLOAT,     /* scalar floating point of `width` bytes: `cc` is one of OPS_FLOAT_* */
	OPS_BITS,      /* all bytes of vectors: `cc` is one of OPS_BITS_* */
	OPS_MOVS,
	OPS_STOS,
	OPS_LODS,
	OPS_SCAS,
	OPS_CMPS,
	OPS_SYSCALL,
	OPS_SET_FS,  /* wrfsbase: the base of thread-local storage is operand 0 */
	OPS_OTHER,   /* as `clobbers` and the written operands say */
	OPS_UNKNOWN, /* not decodable: anything may change */
};

/* Condition of cmov and set: the low 4 bits of their opcodes. */
enum { OPS_CF = 1, OPS_ZF = 2, OPS_SF = 4, OPS_OF = 8, OPS_FLAGS = 15 };

enum {
	OPS_FLOAT_ADD,
	OPS_FLOAT_SUB,
	OPS_FLOAT_MUL,
	OPS_FLOAT_DIV,
	OPS_FLOAT_FROM_INTEGER,
	OPS_FLOAT_TO_INTEGER,
	OPS_FLOAT_CONVERT,
	OPS_FLOAT_COMPARE,
	OPS_FLOAT_MOVE,
	OPS_FLOAT_MASK /* and seven more: all ones if the predicate holds, else 0 */
};
enum { OPS_BITS_AND, OPS_BITS_AND_NOT, OPS_BITS_OR, OPS_BITS_XOR };

enum vtb_ops_operand_type { OPS_NONE, OPS_REG, OPS_IMM, OPS_MEM };

struct vtb_ops_operand {
	uint8_t type;
	uint8_t size;                        /* bytes */
	uint8_t reg;                         /* OPS_REG */
	uint8_t high;                        /* ah, ch, dh, bh */
	uint8_t base, index, scale, segment; /* OPS_MEM: OPS_NO_REG: none; segment 1 fs, 2 gs */
	uint8_t addr32, pad[7];
	int64_t value; /* immediate or displacement; rip-relative addresses are resolved: no base */
};

enum { OPS_READS = 1, OPS_WRITES = 2 };

/* A memory access: an operand, or a stack slot. */
struct vtb_ops_access {
	uint8_t operand; /* index, or OPS_STACK_* */
	uint8_t mode;    /* OPS_READS | OPS_WRITES */
	uint8_t size;    /* bytes; string instructions: of one element */
	uint8_t partial; /* under a mask: some of these bytes at most */
};
enum {
	OPS_STACK_PUSH = 16,
	OPS_STACK_POP,
	OPS_STACK_FRAME,
	OPS_STRING_SOURCE,
	OPS_STRING_DEST
}; /* [rsp-8], [rsp], [rbp], [rsi], [rdi] */

struct vtb_ops {
	struct vtb_ops_operand op[3];
	struct vtb_ops_access access[3];
	uint8_t code; /* enum vtb_ops_code */
	uint8_t n_ops, n_access;
	uint8_t cc;
	uint8_t width; /* VMOV: bytes; string instructions: element */
	uint8_t size;  /* of the instruction */
	bool vex;      /* encoded as AVX or AVX-512: a vector's bytes above become 0 */
	bool rep, atomic;
	bool sets_flags;    /* the flags change in a way that is not modelled */
	uint16_t clobbers;  /* general registers */
	uint32_t vclobbers; /* vectors */
	uint16_t reads;     /* general registers that it may use, those of addresses among them */
	uint32_t vreads;    /* vectors */
	bool reads_flags;
	bool other; /* reads or changes registers that have no number here: x87, MMX, masks */
};

/** Decode the instruction at `ip`. Never fails: what cannot be decoded becomes OPS_UNKNOWN, all registers clobbered. */
void vtb_ops_decode(struct vtb_disasm *d, const uint8_t *bytes, size_t n, uint64_t ip, struct vtb_ops *ret);

#endif /* VTB_DISASM_OPS_H */
