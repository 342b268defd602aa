/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file zip.h
 * zstd frames, written and read piece by piece: the adapter of libzstd.
 *
 * Errors: -ENOMEM; reading also -VTB_E_FORMAT, with vtb_unzip_complaint().
 */
#ifndef VTB_ZIP_H
#define VTB_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct vtb_zip;
struct vtb_unzip;

/** A frame with a checksum; NULL without memory. */
struct vtb_zip *vtb_zip_new(void);
/** Accepts NULL. */
void vtb_zip_free(struct vtb_zip *z);
/** Add bytes to the frame, after the `last` ones end it. A failure to write shows in the stream. */
int vtb_zip_write(struct vtb_zip *z, const void *bytes, size_t size, bool last, FILE *out);

/** NULL without memory. */
struct vtb_unzip *vtb_unzip_new(void);
/** Accepts NULL. */
void vtb_unzip_free(struct vtb_unzip *u);
/** What is read next; the bytes are the caller's, until all is used. */
void vtb_unzip_feed(struct vtb_unzip *u, const void *bytes, size_t size);
/** Fill `buf`; fewer bytes: the frame has ended, or more is to be fed. */
int64_t vtb_unzip_read(struct vtb_unzip *u, void *buf, size_t size);
/** After a complete frame: read on in the next one, of which nothing is known yet. */
void vtb_unzip_next(struct vtb_unzip *u);
/** Whether the frame is complete. */
bool vtb_unzip_ended(const struct vtb_unzip *u);
/** Whether all that was fed is used. */
bool vtb_unzip_used_up(const struct vtb_unzip *u);
/** After -VTB_E_FORMAT: what is wrong with it. */
const char *vtb_unzip_complaint(const struct vtb_unzip *u);

#endif /* VTB_ZIP_H */
