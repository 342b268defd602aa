/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file function.h
 * A function's instructions in blocks, and what is known where each block begins.
 *
 * Ways into a block that are not shown, from a table of jumps, come from every jump to an address that was computed. So
 * do those of exceptions, from every call, where the unwinder's tables are not understood.
 */
#ifndef VTB_BLIND_FUNCTION_H
#define VTB_BLIND_FUNCTION_H

#include "state.h"
#include "vtb/call_sites.h"
#include "vtb/disasm.h"
#include "vtb/landing.h"
#include "vtb/stop.h"

enum blind_flow { BLIND_NEXT, BLIND_CALL, BLIND_BRANCH, BLIND_JUMP, BLIND_LEAVES };

struct blind_insn {
	struct vtb_ops ops;
	uint64_t addr;
	size_t target; /* block where a jump leads, or an exception out of a call; SIZE_MAX: none in here */
	uint8_t flow;
	bool hidden;                      /* where it leads is not shown */
	const struct vtb_call_tell *tell; /* NULL: not one of these calls */
};

/* Functions lie in several pieces if some of their code is hardly ever run. */
struct blind_piece {
	const uint8_t *code;
	uint64_t size, addr;
};

struct blind_block {
	size_t first, last; /* instructions; last is not in it */
	struct blind_state begin;
	bool led_to; /* by an instruction that shows it */
	bool stale;  /* to be read again */
};

struct blind_function {
	struct vtb_disasm *disasm;
	const struct vtb_call_sites *sites;
	const struct vtb_landings *landings; /* of the file's own addresses */
	struct vtb_stop *stop;               /* NULL: take what time it takes */
	struct blind_values values;
	struct blind_insn *insns;
	size_t n_insns, cap_insns;
	struct blind_block *blocks;
	size_t n_blocks, cap_blocks;
	struct blind_state now, hidden; /* at the instruction that is read; at ways in that are not shown */
	struct blind_lent {
		uint32_t form;
		int64_t lo, hi;
	} * lent; /* places on its stack of which hooks tell: others may have their addresses, and write there */
	size_t n_lent, cap_lent;
};

void blind_function_fini(struct blind_function *f);
/** Read the code of a function: its pieces by address, and where it begins. 0; 1: not understood; or -ENOMEM. */
int blind_function_read(struct blind_function *f, const struct blind_piece *pieces, size_t n, uint64_t entry);
/** Is any of these bytes on the function's stack lent, as far as it was read? */
bool blind_is_lent(const struct blind_function *f, struct blind_value at, int64_t size);
/** Call `see` for each instruction with what is known before it (f->now), until it returns not 0. 0; what it
 * returned; -ETIME: told to stop; or -ENOMEM. */
int blind_function_walk(struct blind_function *f, int (*see)(void *arg, const struct blind_insn *in), void *arg);

#endif /* VTB_BLIND_FUNCTION_H */
