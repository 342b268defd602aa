/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file out_dir.h The directory that a hunt writes to. */
#ifndef VTB_OUT_DIR_H
#define VTB_OUT_DIR_H

#include "vtb/hunt.h"

/** Make it, and those above it, where they are missing. 0 or an error. */
int vtb_out_dir_make(const char *dir, struct vtb_error *err);

/** Nothing was found: a failure.json of an earlier hunt, with its pictures, is not to be taken for what was. It gets
 * the name failure.json.old, and so do they. Any other file of that name stays. 1: so it was; 0: there was none; or an
 * error. */
int vtb_out_dir_put_aside(const char *dir, struct vtb_error *err);

/** Before `path` is written: a file there that vtb has not written gets the name `path`.old, or .old.2 and so on if
 * that is taken, which *ret_now is then. 1: so it was, 0: there is none; -errno: it is there, and is to be left. */
int vtb_out_dir_spare(const char *path, char *ret_now, size_t size);

/** A picture of an earlier failure is not to be taken for that of the one that is written now: it goes, if it is
 * vtb's. */
void vtb_out_dir_drop(const char *path);

#endif /* VTB_OUT_DIR_H */
