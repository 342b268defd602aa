/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file asm_flags.h Does compiled code read the flags that it has at some place? */
#ifndef VTB_ASM_FLAGS_H
#define VTB_ASM_FLAGS_H

#include "asm_scan.h"

/** True: before `insn`, behind which `after` stands, the flags do not count: on the way from there they are all written
 * before one is read, as far as that can be seen without a jump. Not for asm statements, which may pass flags to what
 * they call. O(1). */
bool asm_flags_dead(const struct asm_insn *insn, struct asm_cursor after);

#endif /* VTB_ASM_FLAGS_H */
