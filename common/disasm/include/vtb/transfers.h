/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file transfers.h  Calls and jumps of a stretch of code. */
#ifndef VTB_TRANSFERS_H
#define VTB_TRANSFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/disasm.h"

/** A call or unconditional jump to a fixed place, or through the word at one. */
struct vtb_transfer {
	uint64_t addr;   /* of the instruction */
	uint64_t target; /* where it goes, or, if `indirect`, the word that says where */
	uint8_t length;
	bool call, indirect;
};

/** A decoder for vtb_transfers_walk() alone, without operands, which is faster. 0, -ENOMEM, -VTB_E_TOOL; give it to
 * vtb_disasm_free(). */
int vtb_transfers_new(struct vtb_disasm **ret);

/** Decode [code, code + size), which runs at addr, from its first byte on, and call `found` for each of them until it
 * returns not 0. 1 if the last instruction ends where the code ends, 0 if not, or what `found` returned if that is
 * negative. *ret_atomics becomes true if there is an atomic instruction: a lock prefix, or xchg with memory. */
int vtb_transfers_walk(struct vtb_disasm *d, const void *code, size_t size, uint64_t addr,
                       int (*found)(void *arg, const struct vtb_transfer *t), void *arg, bool *ret_atomics);

#endif /* VTB_TRANSFERS_H */
