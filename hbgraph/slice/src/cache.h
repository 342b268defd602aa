/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file cache.h  What is kept of analyses, as files by build-id (docs/format/slice.md). */
#ifndef SLICE_CACHE_H
#define SLICE_CACHE_H

#include <stdbool.h>

#include "kept.h"

/** The file for the program at `path` in `dir` (NULL: the user's, "": none); NULL: there is none. The caller frees it.
 */
char *cache_file(const char *path, const char *dir, const char *named);
/** False: it is not there, or not whole, or of another version. */
bool cache_read(const char *file, struct kept *k);
/** Whole or not at all; if it cannot be written, nothing happens. */
void cache_write(const char *file, const struct kept *k);

#endif /* SLICE_CACHE_H */
