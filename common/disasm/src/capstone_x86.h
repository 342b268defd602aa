/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file capstone_x86.h
 * Capstone opened for x86-64, and the one instruction it decodes into. Included by the files of its adapter alone: disasm.c, disasm_ops.c
 * and transfers.c.
 */
#ifndef VTB_CAPSTONE_X86_H
#define VTB_CAPSTONE_X86_H

#include <capstone/capstone.h>
#include <stdbool.h>

struct capstone_x86 {
	csh handle;
	cs_insn *insn; /* reused */
};

/** `operands`: decode them too, which takes longer. 0, -ENOMEM, or -VTB_E_TOOL when this Capstone has no x86; on failure nothing is left open. */
int capstone_x86_open(struct capstone_x86 *c, bool operands);
void capstone_x86_close(struct capstone_x86 *c);

#endif /* VTB_CAPSTONE_X86_H */
