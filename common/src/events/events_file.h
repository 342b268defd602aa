/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file events_file.h
 * Bytes of an events file, see docs/format/trace.md: this header, then one zstd frame with blocks of VTB_EVENTS_BLOCK
 * events (the last may be shorter), each block column after column, so that equal bytes stand together.
 */
#ifndef VTB_EVENTS_FILE_H
#define VTB_EVENTS_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "vtb/trace.h"

#define VTB_EVENTS_MAGIC "vtbevns" /* 8 bytes with the NUL */
#define VTB_EVENTS_VERSION 1u
#define VTB_EVENTS_BLOCK 4096u
#define VTB_EVENTS_BLOCK_BYTES ((size_t)VTB_EVENTS_BLOCK * sizeof(struct vtb_event))

struct vtb_events_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size;
	uint64_t features; /* none defined: 0 */
	uint64_t count;
	uint32_t block; /* events a block */
	uint32_t pad;   /* 0 */
};
_Static_assert(sizeof(struct vtb_events_header) == 40, "as documented");

/** Columns of n <= VTB_EVENTS_BLOCK events, n * 40 bytes. */
void vtb_events_pack(const struct vtb_event *events, size_t n, unsigned char *columns);
void vtb_events_unpack(const unsigned char *columns, size_t n, struct vtb_event *events);

#endif /* VTB_EVENTS_FILE_H */
