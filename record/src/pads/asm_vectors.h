/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file asm_vectors.h In which functions can nothing that counts be in vector, mask or x87 registers? */
#ifndef VTB_ASM_VECTORS_H
#define VTB_ASM_VECTORS_H

#include "asm_scan.h"

/**
 * Set `vectors` of each function of `f`, which has been read from this text, where such a register may hold something
 * that counts while the function runs. That is so
 *
 *     where the function names one;
 *     where it calls what we do not know: a value may come from there and go on to somebody else, and no instruction
 *     here names it;
 *     where the function calls, or is called by, one of which either is true: the first may hand values on, and the
 *     second may keep some, as gcc's -fipa-ra lets callers do that know what is left alone.
 *
 * Known are the functions of the text and those of libc that take and return whole numbers and pointers, printf() and
 * its like where they are told that no argument is in a vector register. Whoever calls through a pointer knows nothing
 * of what is left alone. 0 or -ENOMEM. O(text + calls of functions of the text · length of a chain of them).
 */
int asm_vectors_read(const char *text, size_t size, struct asm_facts *f);

#endif /* VTB_ASM_VECTORS_H */
