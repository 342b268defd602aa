/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and jumps of a stretch of code; transfers.c is the only user of Capstone here. */
#ifndef VTB_TRANSFERS_H
#define VTB_TRANSFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A call or unconditional jump to a fixed place, or through the word at one. */
struct transfer {
	uint64_t addr;   /* of the instruction */
	uint64_t target; /* where it goes, or, if `indirect`, the word that says where */
	uint8_t length;
	bool call, indirect;
};

struct transfers;
int transfers_new(struct transfers **ret); /* 0, -ENOMEM, -VTB_E_TOOL */
void transfers_free(struct transfers *t);  /* accepts NULL */

/** Decode [code, code + size), which runs at addr, from its first byte on, and call `found` for each of them until it returns not 0. 1 if
 *  the last instruction ends where the code ends, 0 if not, or what `found` returned if that is negative. */
int transfers_walk(struct transfers *t, const void *code, size_t size, uint64_t addr, int (*found)(void *arg, const struct transfer *t), void *arg);

#endif /* VTB_TRANSFERS_H */
