/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file tar.h
 * Tar files as POSIX has them (ustar): regular files with short names, nothing else is written, and nothing else read.
 */
#ifndef VTB_TAR_H
#define VTB_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vtb/error.h"

#define VTB_TAR_NAME_MAX 99u
#define VTB_TAR_BLOCK 512u

struct vtb_tar_entry {
	char name[VTB_TAR_NAME_MAX + 1];
	uint64_t size, at; /* of its bytes, in the file */
	bool executable;
};

/** Append the file at `path` under `name`. */
int vtb_tar_add(FILE *to, const char *name, const char *path, struct vtb_error *err);
/** Append bytes under `name`. */
int vtb_tar_add_bytes(FILE *to, const char *name, const void *bytes, size_t size);
int vtb_tar_end(FILE *to);

/** Is it a name that vtb_tar_next() lets pass? */
bool vtb_tar_is_plain(const char *name);

/** The next entry of a mapped file from *at on; 1: there is one, 0: the end. A name with a slash at its start, "..", or
 * anything but letters, digits and "._+-/" is refused, as are a wrong sum and a size beyond the file. */
int vtb_tar_next(const char *path, const uint8_t *bytes, size_t size, uint64_t *at, struct vtb_tar_entry *ret,
                 struct vtb_error *err);

#endif /* VTB_TAR_H */
