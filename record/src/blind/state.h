/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file state.h
 * What is known between two instructions: what registers and places on the stack hold, and which addresses hooks have
 * told since the last call of anything else.
 *
 * Ownership: a state owns its lists; `= {0}` is valid and not reached. Errors: -ENOMEM.
 */
#ifndef VTB_BLIND_STATE_H
#define VTB_BLIND_STATE_H

#include "blind_values.h"
#include "vtb/disasm_ops.h"

#define BLIND_SLOTS 128u /* the oldest gives way */

struct blind_slot {
	struct blind_value at, holds;
	int64_t size;
};

struct blind_told {
	uint32_t form;
	int64_t lo, hi;
	uint8_t mode; /* OPS_READS, OPS_WRITES */
	bool table;   /* what is there is the address of a table of virtual functions */
	bool used;    /* an instruction has made that access */
};

struct blind_state {
	struct blind_value regs[OPS_GPRS];
	struct blind_slot *slots;
	size_t n_slots, cap_slots;
	struct blind_told *told;
	size_t n_told, cap_told;
	uint32_t changes; /* how often another way has changed it */
	bool reached;
};

void blind_state_fini(struct blind_state *s);
int blind_state_copy(struct blind_state *to, const struct blind_state *from);
/** What holds on both ways to a block: `to` on those seen so far, `from` on one more. 1 if that changes `to`: as often
 * as there are places and RELATED (state.c) times more at most. */
int blind_state_meet(struct blind_values *v, struct blind_state *to, const struct blind_state *from, uint64_t block);

/** What the slot holds, if it is known. */
bool blind_slot_get(const struct blind_state *s, struct blind_value at, int64_t size, struct blind_value *ret);
/** Something is written there; slots that overlap are forgotten. */
void blind_slot_lose(struct blind_state *s, struct blind_value at, int64_t size);
int blind_slot_set(struct blind_state *s, struct blind_value at, int64_t size, struct blind_value holds);

int blind_tell(struct blind_state *s, struct blind_value at, uint64_t size, uint8_t mode, bool table);
/** Bytes of these that hooks have told to be read: what is read from here on is another read. */
void blind_forget_reads(struct blind_state *s, struct blind_value at, uint64_t size);
/** Have hooks told all of these bytes, in this mode? */
bool blind_is_told(const struct blind_state *s, struct blind_value at, uint64_t size, uint8_t mode);
/** Could a hook have told of such an access, whose own no instruction has made yet? What is known of addresses may be
 * too little to see that it is the same one. */
bool blind_is_explained(const struct blind_state *s, uint64_t size, uint8_t mode);
/** The instruction makes an access that hooks have told, or which they explain. */
void blind_use(struct blind_state *s, struct blind_value at, uint64_t size, uint8_t mode);
/** Have they told that a table's address is read there? */
bool blind_is_table(const struct blind_state *s, struct blind_value at);

#endif /* VTB_BLIND_STATE_H */
