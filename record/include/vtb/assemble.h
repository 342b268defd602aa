/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file assemble.h
 * `as` in the place of the assembler: pads into what the compiler has written, then the real assembler with the same
 * arguments.
 *
 * The real one is named by VTB_ASSEMBLER in the environment (`vtb cc` asks the compiler for it), else it is "as". What
 * it reads is a memory file; nothing is left behind. 32-bit code is passed on as it is.
 */
#ifndef VTB_ASSEMBLE_H
#define VTB_ASSEMBLE_H

#include "vtb/error.h"

#define VTB_ASSEMBLER_ENV "VTB_ASSEMBLER"

/** Become the assembler for argv = {"as", ...}. Returns only on error: the exit code, with `err` filled in. */
int vtb_assemble(char **argv, struct vtb_error *err);

#endif /* VTB_ASSEMBLE_H */
