/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file capstone_x86.h  What stands behind struct vtb_disasm: Capstone, opened for x86-64, and the one instruction it
 * decodes into. */
#ifndef VTB_CAPSTONE_X86_H
#define VTB_CAPSTONE_X86_H

#include <capstone/capstone.h>
#include <stdbool.h>

#include "vtb/disasm.h"

struct vtb_disasm {
	csh handle;
	cs_insn *insn; /* reused */
};

/** `operands`: decode them too, which takes longer. 0, -ENOMEM, or -VTB_E_TOOL when this Capstone has no x86. */
int capstone_x86_new(bool operands, struct vtb_disasm **ret);

#endif /* VTB_CAPSTONE_X86_H */
