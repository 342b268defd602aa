/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file source_pt.h
 * How recordings with packets are recognised, in every build. Their rows are in source_pt_read.c, or, in a build
 * without rooms pt and recover, in source_pt_absent.c.
 */
#ifndef DECODE_SOURCE_PT_H
#define DECODE_SOURCE_PT_H

#include <stdbool.h>
#include <stddef.h>

/** Is there a file of this name in the directory? */
bool source_pt_has(const char *dir, const char *name);

bool source_pt_matches(const char *path);               /* a directory of backend pt or step */
bool source_perf_matches(const char *path);             /* a perf.data file, or a directory with one called data */
bool source_pt_is_perf(const char *bytes, size_t size); /* the same of a file's first bytes */
bool source_joined_matches(
    const char *path); /* of backend pt: packets of all processors with the runtime's log beside them */

#endif /* DECODE_SOURCE_PT_H */
