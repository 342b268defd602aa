/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file capstone_x86.h
 * Capstone opened for x86-64 with details, and the one instruction it decodes into. Included by Capstone's adapter alone:
 * disasm.c (text and operands for people and breakpoints) and disasm_ops.c (the operations that address recovery interprets).
 */
#ifndef VTB_CAPSTONE_X86_H
#define VTB_CAPSTONE_X86_H

#include <capstone/capstone.h>

struct capstone_x86 {
	csh handle;
	cs_insn *insn; /* reused */
};

/** 0, -ENOMEM, or -VTB_E_TOOL when this Capstone has no x86; on failure nothing is left open. */
int capstone_x86_open(struct capstone_x86 *c);
void capstone_x86_close(struct capstone_x86 *c);

#endif /* VTB_CAPSTONE_X86_H */
