/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/dot_text.h"

#include <string.h>

#include "vtb/plain.h"

static size_t bytes_of_first(const char *s, size_t n)
{
	const size_t length = vtb_plain_length(s, n);

	return length ? length : vtb_plain_skip(s, n);
}

static size_t count(const char *s)
{
	size_t characters = 0;

	for (size_t n = strlen(s), take; n; s += take, n -= take, characters++)
		take = bytes_of_first(s, n);
	return characters;
}

static void put_character(FILE *f, const char *s, size_t n)
{
	const size_t length = vtb_plain_length(s, n);

	if (*s == '\n' || *s == '\t')
		fputc(' ', f);
	else if (*s == '&')
		fputs("&amp;", f);
	else if (*s == '"' || *s == '\\')
		fprintf(f, "\\%c", *s);
	else if (length)
		fwrite(s, 1, length, f);
	else
		fputs("\ufffd", f);
}

void vtb_dot_text(FILE *f, const char *s)
{
	const size_t all = count(s), head = VTB_DOT_TEXT_MAX / 2, tail = VTB_DOT_TEXT_MAX - 1 - head;
	size_t at = 0;

	for (size_t n = strlen(s), take; n; s += take, n -= take, at++) {
		take = bytes_of_first(s, n);
		if (all <= VTB_DOT_TEXT_MAX || at < head || at >= all - tail)
			put_character(f, s, n);
		else if (at == head)
			fputs("\u2026", f);
	}
}
