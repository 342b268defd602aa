/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file landing.h
 * Landing pads: where an exception goes that passes through a call, from the tables the unwinder reads itself:
 * .eh_frame_hdr and .eh_frame (LSB core specification) lead to the language-specific data of a function (Itanium C++
 * ABI, exception handling tables).
 *
 * Ownership: files are mapped until landings_fini(). A file that is not at hand or not understood has no landing pads.
 */
#ifndef DECODE_LANDING_H
#define DECODE_LANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct landing_file;
struct landings {
	struct landing_file *files;
	size_t n_files, cap_files;
};

/** The ELF file `path` lay at [lo, hi), its first byte at `lo`. -ENOMEM only. */
int landings_add(struct landings *l, const char *path, uint64_t lo, uint64_t hi);
void landings_fini(struct landings *l);

/** Where an exception goes that comes out of the call before the return address `ret`. *ret_args: bytes of arguments on
 * the stack, which the unwinder takes away. False: nowhere in this function, or not known. O(log functions + call sites
 * of one). */
bool landing_find(const struct landings *l, uint64_t ret, uint64_t *ret_pad, uint64_t *ret_args);

#endif /* DECODE_LANDING_H */
