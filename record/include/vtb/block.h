/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file block.h
 * The process block (vtb/wire.h) seen from the tools: make one, lay out its areas, open and check one.
 *
 * Shape:     one mapping; `header` is its first byte. The tool that made a block trusts its own copy of the layout
 *            (`areas`), never the header that the traced process can write to.
 * Ownership: a block owns its mapping and its descriptor; vtb_block_close() gives both back. `= VTB_BLOCK_EMPTY` is
 * valid. Errors:    negative errno; -VTB_E_FORMAT, _VERSION, _LIMIT from the check. On error *ret is untouched.
 * Threads:   no locking.
 */
#ifndef VTB_BLOCK_H
#define VTB_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/error.h"
#include "vtb/wire.h"

#define VTB_BLOCK_SIZE_MAX (64ull << 30)  /* bytes of a block in use; it is sparse */
#define VTB_BLOCK_FILE_MAX (256ull << 20) /* bytes of a block read from a recording */
#define VTB_BLOCK_STRINGS_MAX (16ull << 20)

/** How many entries (strings, arena: bytes) each area has room for. */
struct vtb_block_layout {
	uint32_t modules, threads, slots, breaks, sites, blinds;
	uint64_t strings, arena;
};

struct vtb_block {
	struct vtb_wire_header *header; /* NULL: empty */
	size_t size;
	int fd; /* of the mapped file; -1: a private copy */
	struct {
		struct vtb_wire_area modules, threads, strings, slots, breaks, sites, blinds, arena;
	} areas; /* as laid out or as checked */
};
#define VTB_BLOCK_EMPTY ((struct vtb_block){ .fd = -1 })

/** The areas a layout gives, every one 64-byte aligned, arena page aligned; returns the block's size or -VTB_E_LIMIT.
 */
int64_t vtb_block_lay_out(const struct vtb_block_layout *layout, struct vtb_wire_header *header);

/** A new block with its header filled in (mode, engine, carrier, options 0), mapped shared: the file `path`, which must
 *  not exist, or a memfd if `path` is NULL. Sparse: costs memory or disk only as far as it is written. */
int vtb_block_create(const char *path, const struct vtb_block_layout *layout, struct vtb_block *ret,
                     struct vtb_error *err);

/** A private, checked copy of the block in the file `path`. A file that changes meanwhile does no harm. */
int vtb_block_open(const char *path, struct vtb_block *ret, struct vtb_error *err);

void vtb_block_close(struct vtb_block *block);

/** Is this a well-formed block of at least sizeof(header) bytes? Checks magic, version, features, place, size and count
 * of every area, that areas do not overlap, that the strings end in NUL, and every module, thread and slot. `path` is
 * for the message. O(modules + threads + slots + areas). */
int vtb_block_check(const void *bytes, size_t size, const char *path, struct vtb_error *err);

/** Entries in use; never more than there is room for, whatever the traced process wrote. */
uint32_t vtb_block_count(const struct vtb_wire_area *area, size_t entry);
const struct vtb_wire_module *vtb_block_modules(const struct vtb_block *block, uint32_t *ret_count);
const struct vtb_wire_thread *vtb_block_threads(const struct vtb_block *block, uint32_t *ret_count);
/** String at `offset`; "" if there is none. Always ends inside the block. */
const char *vtb_block_string(const struct vtb_block *block, uint32_t offset);
/** `size` bytes at `offset` of the block, or NULL if they are not inside it. */
void *vtb_block_at(const struct vtb_block *block, uint64_t offset, uint64_t size);

/** Write the used part of each area to the new file `path`, laid out without gaps. For recordings whose process has
 * ended. */
int vtb_block_write_compact(const struct vtb_block *block, const char *path, struct vtb_error *err);

#endif /* VTB_BLOCK_H */
