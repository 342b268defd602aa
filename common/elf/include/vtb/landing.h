/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file landing.h
 * Landing pads: where an exception goes that passes through a call, from the tables the unwinder reads itself:
 * .eh_frame_hdr and .eh_frame (LSB core specification) lead to the language-specific data of a function (Itanium C++
 * ABI, exception handling tables).
 *
 * Ownership: files are mapped until vtb_landings_fini(). A file that is not at hand or not understood has none that are
 * known.
 */
#ifndef VTB_LANDING_H
#define VTB_LANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vtb_landing_file;
struct vtb_landings {
	struct vtb_landing_file *files;
	size_t n_files, cap_files;
};

/** The ELF file `path` lay at [lo, hi), its first byte at `lo`. -ENOMEM only. */
int vtb_landings_add(struct vtb_landings *l, const char *path, uint64_t lo, uint64_t hi);
void vtb_landings_fini(struct vtb_landings *l);

/** Where an exception goes that comes out of the call before the return address `ret`. *ret_args: bytes of arguments on
 * the stack, which the unwinder takes away. 1; 0: nowhere in this function; -VTB_E_FORMAT: not known. O(log functions +
 * call sites of one). */
int vtb_landing_find(const struct vtb_landings *l, uint64_t ret, uint64_t *ret_pad, uint64_t *ret_args);

#endif /* VTB_LANDING_H */
