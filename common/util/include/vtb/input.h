/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file input.h
 * Files from others, opened so that nothing of them can harm: a name may lead to a pipe that nobody writes,
 * to a device, or to a file with a hole of terabytes.
 *
 * Shape:     regular files of at most VTB_INPUT_BYTES_MAX bytes, or fewer as the caller says. Others are refused.
 * Blocking:  never: no pipe is waited for, and no terminal becomes the controlling one.
 * Errors:    negative errno, -EISDIR, -VTB_E_FORMAT (no regular file), -VTB_E_LIMIT (too large); `err` has the path.
 */
#ifndef VTB_INPUT_H
#define VTB_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vtb/error.h"

#define VTB_INPUT_BYTES_MAX (UINT64_C(64) << 30)

/** A file mapped read-only. data NULL: it is empty. */
struct vtb_input {
	const void *data;
	size_t size;
};

/** Open for reading; `max_bytes` 0: VTB_INPUT_BYTES_MAX; `ret_size` may be NULL. The descriptor is the caller's. */
int vtb_input_open(const char *path, uint64_t max_bytes, uint64_t *ret_size, struct vtb_error *err);
/** The same as a stream; NULL and errno set if it cannot be opened. */
FILE *vtb_input_stream(const char *path);
/** Map the whole file. vtb_input_unmap() ends it. */
int vtb_input_map(const char *path, struct vtb_input *ret, struct vtb_error *err);
/** Also for {0}. */
void vtb_input_unmap(struct vtb_input *input);

#endif /* VTB_INPUT_H */
