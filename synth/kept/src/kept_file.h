/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file kept_file.h
 * The file of kept runs (docs/format/state.md): a header, then blocks, each with a checksum, only ever added to.
 *
 *     header | block | block | ... | half a block: cut off when the file is opened
 *
 * One process at a time: who opens it holds a lock that ends with the process.
 */
#ifndef VTB_KEPT_FILE_H
#define VTB_KEPT_FILE_H

#include "kept_bytes.h"
#include "vtb/error.h"

#define KEPT_BLOCK_BYTES (1u << 20)      /* a block is written when it has so many */
#define KEPT_BLOCK_BYTES_MAX (64u << 20) /* and never has more */
#define KEPT_BLOCKS_MAX (1u << 24)

/* What was known when a block was written. */
struct kept_moment {
	double seconds;         /* that the hunt had taken */
	uint32_t uncontrolled;  /* VTB_UNC_* of all runs so far */
	uint64_t cross_checked; /* and how many of them had been repeated on another engine */
};

struct kept_block {
	uint64_t at; /* of its bytes in the file */
	uint32_t size;
	struct kept_moment moment;
};

struct kept_file {
	int fd;
	char *path;
	uint64_t size, max; /* up to the end of the last whole block; what it may come to; 0: no limit */
	uint64_t cut;       /* bytes behind it that were cut off */
	struct kept_block *blocks;
	size_t n_blocks, cap_blocks;
};

/* Open it, or make it; what is no whole block at the end is cut off. `identity` is what the file must be of.
 * -EBUSY: another process has it; -VTB_E_FORMAT, -VTB_E_VERSION, -VTB_E_LIMIT; -ESTALE: of another identity. */
int kept_file_open(struct kept_file *f, const char *path, uint64_t identity, struct vtb_error *err);
/* The data of a block, which `into` comes to hold. Its checksum was looked at when the file was opened. */
int kept_file_read(const struct kept_file *f, size_t block, struct kept_out *into, struct vtb_error *err);
/* Add a block. 1: it would be larger than it may be, nothing was written; or an error, and nothing of it is left. */
int kept_file_add(struct kept_file *f, const struct kept_out *bytes, const struct kept_moment *moment,
                  struct vtb_error *err);
void kept_file_close(struct kept_file *f);

#endif /* VTB_KEPT_FILE_H */
