/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file disasm_evex.h
 * What AVX-512 instructions do to memory and to general registers: Capstone 4 cannot decode all of them, and glibc's
 * string functions, and programs that are compiled for such a machine, consist of them. Vector values are not modelled,
 * apart from moves: what an instruction computes is unknown, where it stores is not.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.7 (EVEX, table 2-34 and
 * 2-35: the unit of 8-bit displacements) and the opcode maps. The unit test compares every opcode with objdump.
 */
#ifndef DECODE_DISASM_EVEX_H
#define DECODE_DISASM_EVEX_H

#include "vtb/disasm_ops.h"

/** Is the instruction EVEX-encoded (or a VEX-encoded one on mask registers), and known? Then *ret is filled in, its
 * size excepted. O(1). */
bool evex_decode(const uint8_t *bytes, size_t n, uint64_t ip, struct vtb_ops *ret);

#endif /* DECODE_DISASM_EVEX_H */
