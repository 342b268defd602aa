/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file length.h
 * How long an x86-64 instruction is, from tables of the opcodes alone (Intel's manual, volume 2, appendix A): many
 * times as fast as decoding it.
 */
#ifndef VTB_LENGTH_H
#define VTB_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/** Bytes of the instruction at `code`, of which `size` can be read. 0: not in these tables, or it does not fit; ask the
 * decoder. It is not checked whether the prefixes and operands are allowed. */
unsigned vtb_instruction_length(const uint8_t *code, size_t size);

#endif /* VTB_LENGTH_H */
