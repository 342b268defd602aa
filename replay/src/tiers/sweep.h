/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file sweep.h  All instructions of a program's file, and where its data lies. */
#ifndef VTB_SWEEP_H
#define VTB_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "vtb/disasm.h"
#include "vtb/symbols.h"

#define SWEEP_INSTRUCTION_MAX 15u

/** In the file's addresses. */
struct sweep_range {
	uint64_t lo, hi;
};

/** The segment with code, or with data that can be written. 0, -VTB_E_FORMAT, errno. */
int vtb_sweep_code(const char *program, struct sweep_range *ret);
int vtb_sweep_data(const char *program, struct sweep_range *ret);

/** Every instruction in [lo, hi), one after the other: compilers put no data there, bytes that are no instruction are
 * stepped over one by one. A negative return of `take` ends it with that value. O(bytes). */
int vtb_sweep(struct vtb_symbols *symbols, struct vtb_disasm *disasm, const char *program,
              const struct sweep_range *range, int (*take)(void *arg, uint64_t at, const struct vtb_instruction *insn),
              void *arg);

/** Does the operand name one place of the file, whatever the registers hold? The place in *ret. `end`: address after
 * the instruction. */
bool vtb_sweep_names(const struct vtb_mem_operand *op, uint64_t end, uint64_t *ret);

#endif /* VTB_SWEEP_H */
