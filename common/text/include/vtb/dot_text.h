/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file dot_text.h
 * Any text as it stands between the quotes of a string of DOT, Graphviz's language.
 *
 * Graphviz reads a string up to its limit of 16 384 bytes, takes sequences such as \N and \G for names of its own, and
 * hands entities such as &#1; on to SVG, where no control character may be written.
 */
#ifndef VTB_DOT_TEXT_H
#define VTB_DOT_TEXT_H

#include <stdio.h>

/** More characters than these are cut out of the middle: at most 5 bytes each, they stay below Graphviz's limit. */
#define VTB_DOT_TEXT_MAX 500u

/** Print `s` on one line, quotes, backslashes and ampersands escaped; what is not shown (vtb/plain.h) becomes U+FFFD.
 */
void vtb_dot_text(FILE *f, const char *s);

#endif /* VTB_DOT_TEXT_H */
