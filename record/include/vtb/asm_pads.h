/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file asm_pads.h
 * Put pads into a compiler's assembler output: before each instruction that may touch memory of other threads a 5-byte
 * nop, at the end of the file a stub and an entry in the table of sites for each (vtb/pad_site.h). What is left out,
 * and why that is safe:
 *
 * - the stack through push, pop, call, ret; addresses without an access (lea, prefetch, nop); the global offset table;
 * data that lies in a read-only section of the same file; fixed places in the thread descriptor (%fs:40);
 * - operands relative to rsp, or to rbp where it is the frame pointer, in functions whose frame address is never taken.
 *
 * Left alone but listed as skipped, so that a search can say so: gathers, scatters, bit numbers in registers, asm
 * statements with data, sections or Intel syntax in them, hand-written files.
 */
#ifndef VTB_PADS_H
#define VTB_PADS_H

#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

#define VTB_PADS_FILE_MAX (1ull << 30) /* bytes of an assembler file */

struct vtb_pads_count {
	uint32_t sites, atomic, skipped;
	uint32_t private_frame; /* operands in frames that nobody else can reach */
};

/** Rewrite `size` bytes of assembler; *ret is a fresh string of *ret_size bytes (free()). -EINVAL with a reason: the
 * file as a whole cannot be done (Intel syntax). -ENOMEM. `ret_count` may be NULL. O(size log size). */
int vtb_pads_rewrite(const char *name, const char *text, size_t size, char **ret, size_t *ret_size,
                     struct vtb_pads_count *ret_count, struct vtb_error *err);

#endif /* VTB_PADS_H */
