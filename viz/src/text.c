/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/plain.h"
#include "vtb/short_name.h"

#define ELLIPSIS "\u2026"

void text_fini(struct text *t)
{
	free(t->data);
	*t = (struct text){ 0 };
}

static bool room(struct text *t, size_t more)
{
	void *data = t->data;

	if (t->failed || vtb_array_reserve(&data, &t->cap_data, t->length + more + 1, 1) < 0) {
		t->failed = true;
		return false;
	}
	t->data = data;
	return true;
}

void text_add_bytes(struct text *t, const char *s, size_t n)
{
	if (!room(t, n))
		return;
	memcpy(t->data + t->length, s, n);
	t->length += n;
	t->data[t->length] = '\0';
}

void text_add(struct text *t, const char *s)
{
	text_add_bytes(t, s, strlen(s));
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0 || !room(t, (size_t)n))
		return;
	va_start(args, fmt);
	vsnprintf(t->data + t->length, (size_t)n + 1, fmt, args);
	va_end(args);
	t->length += (size_t)n;
}

char *text_take(struct text *t)
{
	char *data = NULL;

	text_add(t, "");
	if (!t->failed) {
		data = t->data;
		t->data = NULL;
	}
	text_fini(t);
	return data;
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t text_width(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += !continues(*s);
	return n;
}

/* Bytes of the first `width` characters, at most `n`. */
static size_t bytes_of(const char *s, size_t n, size_t width)
{
	size_t i = 0;

	for (size_t seen = 0; i < n; i++)
		if (!continues(s[i]) && seen++ == width)
			break;
	return i;
}

void text_add_shortened(struct text *t, const char *s, size_t width)
{
	const size_t n = strlen(s), all = text_width(s);
	const size_t head = width < 3 ? 0 : (width - 1) / 2;

	if (all <= width) {
		text_add(t, s);
		return;
	}
	text_add_bytes(t, s, bytes_of(s, n, head));
	text_add(t, ELLIPSIS);
	text_add(t, s + bytes_of(s, n, all - (width - head - 1)));
}

/* May a line end after byte i? */
static bool breaks_after(const char *s, size_t i)
{
	return s[i] == ' ' || s[i] == ',' || (s[i] == '(' && s[i + 1] != ')') || s[i] == '/' ||
	       (s[i] == ':' && i && s[i - 1] == ':') || (s[i] == '>' && i && s[i - 1] == '-') ||
	       (s[i] == '.' && s[i + 1] && s[i + 1] != ' ');
}

/* Bytes of the line that begins `s`: all of it if it fits, else up to the last good place, else as much as fits. */
static size_t line_of(const char *s, size_t n, size_t width)
{
	const size_t fits = bytes_of(s, n, width);
	size_t best = 0, blank = 0;

	if (fits == n)
		return n;
	if (s[fits] == ' ') /* goes to the end of this line, where it is not seen */
		return fits + 1;
	for (size_t i = 0; i < fits; i++) {
		if (breaks_after(s, i))
			best = i + 1;
		if (s[i] == ' ')
			blank = i + 1;
	}
	return blank > fits / 2 ? blank : best > fits / 3 ? best : fits;
}

void text_add_wrapped(struct text *t, const char *s, size_t width, size_t lines)
{
	for (size_t line = 1; *s; line++) {
		const size_t n = strlen(s), take = line_of(s, n, width);
		size_t shown = take;

		if (line == lines && take < n) {
			text_add_shortened(t, s, width);
			return;
		}
		while (shown && s[shown - 1] == ' ')
			shown--;
		text_add_bytes(t, s, shown);
		s += take;
		if (*s)
			text_add(t, "\n");
	}
}

void text_add_function(struct text *t, const char *function)
{
	int depth = 0;
	char own[300];

	if (strstr(function, "<lambda") || strstr(function, "{lambda") ||
	    strstr(function, "$_")) { /* as elsewhere: "lambda in main" */
		text_add(t, vtb_short_function(function, own, sizeof(own)));
		return;
	}
	for (const char *s = function; *s; s++) {
		if (!strncmp(s, "operator", 8) && depth == 0) { /* operator<, operator() */
			const size_t n = strcspn(s + 8, " (") + 8;

			text_add_bytes(t, s, n);
			s += n - 1;
		} else if (*s == '<' && depth++ == 0) {
			text_add(t, "<" ELLIPSIS ">");
		} else if (*s == '>' && depth > 0) {
			depth--;
		} else if (*s == '(' && depth == 0 && strncmp(s, "(anonymous", 10)) {
			return;
		} else if (depth == 0) {
			text_add_bytes(t, s, 1);
		}
	}
}

void text_print_xml_bytes(FILE *f, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const size_t take = vtb_plain_length(s + i, n - i);

		if (s[i] == '&')
			fputs("&amp;", f);
		else if (s[i] == '<')
			fputs("&lt;", f);
		else if (s[i] == '>')
			fputs("&gt;", f);
		else if (s[i] == '"')
			fputs("&quot;", f);
		else if (s[i] == '\n') /* by its number: no name begins a line of the file, where a CI runner looks for
		                          commands */
			fputs("&#10;", f);
		else if (s[i] == '\t')
			fputc(' ', f);
		else if (!take)
			fputs("\xef\xbf\xbd", f);
		else
			fwrite(s + i, 1, take, f);
		i += (take ? take : vtb_plain_skip(s + i, n - i)) - 1;
	}
}

void text_print_xml(FILE *f, const char *s)
{
	text_print_xml_bytes(f, s, strlen(s));
}
