/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file from_stdin.h
 * A recording on standard input. Readers want a file, or a directory, that they can go back in.
 */
#ifndef DECODE_FROM_STDIN_H
#define DECODE_FROM_STDIN_H

#include <stddef.h>

#include "vtb/error.h"

/** A path that leads to what standard input is: itself where that is a file or directory, else a nameless copy of what
 * came through the pipe, which ends with this process. Waits for the pipe's end. Only perf.data can come through one:
 * anything else is -VTB_E_FORMAT as soon as its first bytes are there. */
int decode_from_stdin(char *ret_path, size_t size, struct vtb_error *err);

/** An error that names such a path: name standard input instead. */
void decode_name_stdin(const char *path, struct vtb_error *err);

#endif /* DECODE_FROM_STDIN_H */
