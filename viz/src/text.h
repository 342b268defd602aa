/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h: strings that grow, and strings cut to what fits. Widths are counted in characters, not bytes (UTF-8). */
#ifndef VTB_VIZ_TEXT_H
#define VTB_VIZ_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* `= {0}` is empty. After a failed allocation it stays as it was and `failed` says so, once for many calls. */
struct text {
	char *data; /* NUL-terminated if not NULL; owned */
	size_t length, cap_data;
	bool failed;
};

void text_fini(struct text *t);
void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *s, size_t n);
void text_printf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The string, yours; "" if nothing was added. NULL if an allocation failed. */
char *text_take(struct text *t);

size_t text_width(const char *s);
/* At most `width` characters of `s`, the middle replaced by one "…" if it is longer. */
void text_add_shortened(struct text *t, const char *s, size_t width);
/* Lines of at most `width` characters separated by '\n', broken at blanks, else after :: . -> , ( if possible, at most
 * `lines`; what does not fit ends in "…". */
void text_add_wrapped(struct text *t, const char *s, size_t width, size_t lines);
/* A C++ function without arguments and without what is between angle brackets: ns::list<…>::push */
void text_add_function(struct text *t, const char *function);

/* Escaped for HTML, XML and Graphviz's HTML-like labels; control characters and bytes that are not UTF-8 become U+FFFD.
 */
void text_print_xml(FILE *f, const char *s);
void text_print_xml_bytes(FILE *f, const char *s, size_t n);

#endif /* VTB_VIZ_TEXT_H */
