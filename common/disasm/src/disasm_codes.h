/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file disasm_codes.h  The operation that an instruction is, by Capstone's number of it. */
#ifndef VTB_DISASM_CODES_H
#define VTB_DISASM_CODES_H

#include <stdbool.h>

#include "capstone_x86.h"

#include "vtb/disasm_ops.h"

static inline bool is_gpr(const struct vtb_ops_operand *op)
{
	return op->type == OPS_REG && op->reg < OPS_GPRS;
}

static inline bool is_vector(const struct vtb_ops_operand *op)
{
	return op->type == OPS_REG && op->reg >= OPS_VECTOR && op->reg != OPS_NO_REG;
}

/** Fill code, cc and width; the operands are known, and one that only names a predicate is taken off. */
void ops_find_code(const cs_insn *insn, struct vtb_ops *ret);

#endif /* VTB_DISASM_CODES_H */
