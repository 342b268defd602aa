/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file plain.h
 * Text from programs and files, made harmless for who reads it. Names and messages can hold anything: sequences that
 * steer a terminal, characters that turn the direction of writing round, bytes that are no text at all.
 *
 * Shown:     printable characters in well-formed UTF-8.
 * Not shown: control characters (C0, DEL, and C1: U+0080 to U+009F), what steers the direction of writing, line and
 *            paragraph separators, invisible format characters, noncharacters, bytes that are not UTF-8.
 */
#ifndef VTB_PLAIN_H
#define VTB_PLAIN_H

#include <stddef.h>
#include <stdio.h>

/** Bytes of the character that begins `s` (`n` bytes, n > 0) if it is to be shown as it is; 0: it is not. */
size_t vtb_plain_length(const char *s, size_t n);

/** Bytes at `s` (n > 0) of one thing that is not shown: a whole well-formed character, else one byte. */
size_t vtb_plain_skip(const char *s, size_t n);

/** In place: each thing that is not shown becomes one '?'. */
void vtb_plain_make(char *s);

/**
 * A stream that passes on to `to` what is shown, newlines, tabs and the sequences of vtb_style(); all else becomes '?',
 * and so does the first character of a line that begins with "::": CI runners take that for a command to them.
 * fclose() flushes `to` and leaves it open. NULL: not enough memory.
 */
FILE *vtb_plain_stream(FILE *to);

#endif /* VTB_PLAIN_H */
