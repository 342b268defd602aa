/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file recover_operand.h
 * Operands of interpreted instructions; between recover_operand.c, recover_alu.c, recover_multiply.c and recover_exec.c
 * only.
 */
#ifndef DECODE_RECOVER_OPERAND_H
#define DECODE_RECOVER_OPERAND_H

#include "recover_exec.h"

#define recover_nothing ((struct recover_value){ 0, 0 })

static inline uint64_t recover_mask(unsigned size)
{
	return size >= 8 ? UINT64_MAX : (1ull << 8 * size) - 1;
}

static inline uint8_t recover_bytes_mask(unsigned size)
{
	return (uint8_t)(size >= 8 ? RECOVER_ALL : (1u << size) - 1);
}

/* Bits of the known bytes. */
static inline uint64_t recover_known_bits(uint8_t known)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 8; i++)
		if (known >> i & 1)
			bits |= 0xffull << 8 * i;
	return bits;
}

static inline struct recover_value recover_exactly(uint64_t v)
{
	return (struct recover_value){ v, RECOVER_ALL };
}

static inline bool recover_is_known(struct recover_value v, unsigned size)
{
	return (v.known & recover_bytes_mask(size)) == recover_bytes_mask(size);
}

/** Address of a memory operand. False: not known. */
bool recover_operand_address(const struct recover_cpu *cpu, const struct vtb_ops_operand *op, bool with_segment,
                             uint64_t *ret);
struct recover_value recover_read_reg(const struct recover_cpu *cpu, const struct vtb_ops_operand *op);
void recover_write_reg(struct recover_cpu *cpu, const struct vtb_ops_operand *op, struct recover_value v);
/** The first n <= 64 bytes of a vector register, a general register or memory; what is above is not known.
 * (recover_vector.c) */
struct recover_vector recover_read_vector(struct recover_cpu *cpu, const struct vtb_ops_operand *op, unsigned n);
struct recover_value recover_load(struct recover_cpu *cpu, uint64_t addr, unsigned size);
void recover_store(struct recover_cpu *cpu, uint64_t addr, unsigned size, struct recover_value v);
struct recover_value recover_read_op(struct recover_cpu *cpu, const struct vtb_ops_operand *op);
/** A write to an unknown address makes all writable memory unknown. */
void recover_write_op(struct recover_cpu *cpu, const struct vtb_ops_operand *op, struct recover_value v);

/* recover_multiply.c */
/** First operand = first * last, or the second * the third of three. */
void recover_multiply(struct recover_cpu *cpu, const struct vtb_ops *o);
/** rdx:rax = rax * operand. */
void recover_multiply_wide(struct recover_cpu *cpu, const struct vtb_ops *o);
/** rax, rdx = quotient and remainder of rdx:rax by the operand; it did not fault, so the quotient fits. */
void recover_divide(struct recover_cpu *cpu, const struct vtb_ops *o);

/* recover_alu.c */
/** Is the condition known, and what is it? */
bool recover_condition(const struct recover_cpu *cpu, unsigned cc, bool *ret);
struct recover_value recover_extend(struct recover_value v, unsigned from, bool sign);
/** Integer arithmetic. False: the instruction is none. */
bool recover_alu(struct recover_cpu *cpu, const struct vtb_ops *ops);

/* recover_float.c: OPS_FLOAT */
void recover_float(struct recover_cpu *cpu, const struct vtb_ops *ops);

/* recover_vector.c: OPS_V*, OPS_BITS */
void recover_vector(struct recover_cpu *cpu, const struct vtb_ops *ops);

#endif /* DECODE_RECOVER_OPERAND_H */
