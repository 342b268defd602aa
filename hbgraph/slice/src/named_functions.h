/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file named_functions.h  Functions by the names that users type. */
#ifndef SLICE_NAMED_H
#define SLICE_NAMED_H

#include <stdbool.h>
#include <stdint.h>

#include "vtb/symbols.h"

/** What the user named, of which file. */
struct named {
	const char *list, *path;
	struct vtb_symbols *symbols;
};

/** Does the list (vtb/name_list.h; NULL: nothing) mean the function at `addr` of the file? `symbols` may be NULL. */
bool named_is(const char *list, struct vtb_symbols *symbols, const char *path, uint64_t addr, const char *symbol);

#endif /* SLICE_NAMED_H */
