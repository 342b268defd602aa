/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file disasm_reads.h  Registers by number, and which of them an instruction reads: too many rather than too few. */
#ifndef VTB_DISASM_READS_H
#define VTB_DISASM_READS_H

#include "capstone_x86.h"

#include "vtb/disasm_ops.h"

struct ops_register {
	uint8_t number, size, high; /* OPS_NO_REG: neither general nor vector */
};
struct ops_register ops_register(x86_reg reg);

/** Fill reads, vreads, reads_flags and other; all else of *o is known. */
void ops_find_reads(csh handle, const cs_insn *insn, struct vtb_ops *o);

#endif /* VTB_DISASM_READS_H */
