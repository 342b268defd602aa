/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file recover_exec.h
 * The interpreter of the recovery: registers of one thread, and what one instruction does to them and to memory.
 */
#ifndef DECODE_RECOVER_EXEC_H
#define DECODE_RECOVER_EXEC_H

#include "vtb/disasm_ops.h"
#include "recover_memory.h"

/** A value of up to 8 bytes; bit i of `known`: byte i is known, unknown bytes are 0. */
struct recover_value {
	uint64_t v;
	uint8_t known;
};
#define RECOVER_ALL 0xffu

#define RECOVER_VECTOR_BYTES 64u
/** Mask of the first n <= 64 bytes of a vector. */
#define RECOVER_BYTES(n) ((n) >= 64 ? UINT64_MAX : (1ull << (n)) - 1)

/** Unknown bytes have any value. */
struct recover_vector {
	uint8_t bytes[RECOVER_VECTOR_BYTES];
	uint64_t known;
};

struct recover_cpu {
	struct recover_value r[OPS_GPRS];
	struct recover_value fs;
	struct recover_vector x[OPS_VECTORS];
	uint8_t flags, flags_known; /* OPS_CF ... */
	struct recover_stamp stamp;
	struct recover_memory *memory;
};

/** Everything unknown. */
void recover_cpu_forget(struct recover_cpu *cpu);
void recover_cpu_set(struct recover_cpu *cpu, unsigned reg, uint64_t value);

/** Address of the i-th access of the instruction. False: not known. String instructions: the lowest address. */
bool recover_address(const struct recover_cpu *cpu, const struct vtb_ops *ops, unsigned i, uint64_t *ret);
/** Bytes of the i-th access; 0 if unknown (repeated without a known count). */
uint64_t recover_size(const struct recover_cpu *cpu, const struct vtb_ops *ops, unsigned i);

/** Execute. `ip`: of the instruction; `next`: address of the one executed after it, 0 unknown. System calls:
 * recover_syscall(). */
void recover_exec(struct recover_cpu *cpu, const struct vtb_ops *ops, uint64_t ip, uint64_t next);

/** Only what the instruction does to rsp and rbp, without memory: for code that is not interpreted. */
void recover_exec_stack(struct recover_cpu *cpu, const struct vtb_ops *ops);

/** The effect of a system call: its number and arguments are in the registers. (recover_contracts.c) */
void recover_syscall(struct recover_cpu *cpu, uint64_t next);

#endif /* DECODE_RECOVER_EXEC_H */
