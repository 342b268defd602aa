/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file bounded_text.h
 * Text that is put together piece by piece in a buffer of the caller's; what does not fit is cut off, the end is always
 * '\0'.
 */
#ifndef VTB_BOUNDED_TEXT_H
#define VTB_BOUNDED_TEXT_H

#include <stddef.h>

/** Starts empty: `{ buf, size, 0 }` with size >= 1 and buf[0] = '\0'. used == size: full, nothing more is added. */
struct vtb_bounded_text {
	char *buf;
	size_t size, used;
};

void vtb_bounded_text_add(struct vtb_bounded_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif /* VTB_BOUNDED_TEXT_H */
