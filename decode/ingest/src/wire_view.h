/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file wire_view.h  The process block (vtb/wire.h), with every place and count in it checked before it is followed.
 */
#ifndef VTB_DECODE_WIRE_VIEW_H
#define VTB_DECODE_WIRE_VIEW_H

#include <stddef.h>

#include "vtb/error.h"
#include "vtb/wire.h"

/** Borrowed from the block. */
struct wire_view {
	const struct vtb_wire_header *header;
	const struct vtb_wire_module *modules;
	const struct vtb_wire_thread *threads;
	const struct vtb_wire_break *breaks;
	const struct vtb_wire_site *sites;
	const char *strings;
	size_t n_modules, n_threads, n_breaks, n_sites, n_strings; /* n_strings: bytes */
};

/** Check the block of `size` bytes at `block`; `path` names it in errors. 0, -VTB_E_FORMAT, -VTB_E_VERSION,
 * -VTB_E_LIMIT. */
int wire_view(const void *block, size_t size, const char *path, struct wire_view *ret, struct vtb_error *err);
/** The string at `offset`, or NULL if it runs past the area. */
const char *wire_string(const struct wire_view *view, uint32_t offset);

#endif /* VTB_DECODE_WIRE_VIEW_H */
