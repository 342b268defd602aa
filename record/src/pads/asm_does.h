/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file asm_does.h What becomes of the operand of an atomic operation, as far as a word can say it. */
#ifndef VTB_ASM_DOES_H
#define VTB_ASM_DOES_H

#include "asm_insn.h"

/** The word `does` of vtb/pad_site.h; 0: it cannot say it. For a locked instruction, xchg, or a move to memory, of
 * which the use is known. O(len). */
uint32_t asm_does(const struct asm_insn *insn);

#endif /* VTB_ASM_DOES_H */
