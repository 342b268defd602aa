/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file blind_pointers.h
 * Pointers of which it is not known where they lead to (blind_code.c): each that is loaded has an address of its own,
 * that no variable has, and one that is loaded again from its place on the stack has the same.
 */
#ifndef VTB_BLIND_POINTERS_H
#define VTB_BLIND_POINTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "vtb/disasm_ops.h"

#define VTB_BLIND_POINTERS 0x8000000000000000u /* they begin here */
#define VTB_BLIND_SLOTS 16u

struct vtb_blind_pointers {
	uint64_t n;
	struct {
		uint8_t base; /* rsp or rbp */
		int64_t at;
		uint64_t pointer; /* 0: there is none */
	} slots[VTB_BLIND_SLOTS];
	uint32_t next; /* slot that gives way */
};

static inline bool vtb_blind_is_pointer(uint64_t address)
{
	return address >= VTB_BLIND_POINTERS;
}

/** A new one. */
uint64_t vtb_blind_pointer(struct vtb_blind_pointers *p);
/** What the operand of a load holds. */
uint64_t vtb_blind_load(struct vtb_blind_pointers *p, const struct vtb_ops_operand *from);
/** The instruction has been executed: slots that it changes hold something else. */
void vtb_blind_change(struct vtb_blind_pointers *p, const struct vtb_ops *ops);
/** Here a jump may come from elsewhere. */
void vtb_blind_forget(struct vtb_blind_pointers *p);

#endif /* VTB_BLIND_POINTERS_H */
