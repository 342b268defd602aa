/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/cli.h"
#include "vtb/plain.h"

#define LONGEST 8u /* bytes: a sequence of vtb_style() or a character, whichever is longer */

struct plain {
	FILE *to;
	char held[LONGEST]; /* the beginning of something that the next piece may complete */
	size_t n_held;
	bool begun; /* the line has more than blanks */
};

/* Bytes of one of our own styles at `s`; *ret_more: it could become one. */
static size_t style_length(const char *s, size_t n, bool *ret_more)
{
	for (int i = VTB_STYLE_PLAIN; *s == '\033' && i <= VTB_STYLE_NAME; i++) {
		const char *style = vtb_style(true, (enum vtb_style)i);
		const size_t length = strlen(style);

		if (n >= length && !memcmp(s, style, length))
			return length;
		*ret_more |= n < length && !memcmp(s, style, n);
	}
	return 0;
}

/* Is this the beginning of a character whose rest has not come? */
static bool is_cut_short(const char *s, size_t n)
{
	const unsigned char c = (unsigned char)*s;
	const size_t want = c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1;

	for (size_t i = 1; i < n && i < want; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return false;
	return n < want;
}

/* Is this, first in a line, what a CI runner takes for a command to it (::error)? *ret_more: it could become that. */
static bool commands(const struct plain *p, const char *s, size_t n, bool *ret_more)
{
	*ret_more |= !p->begun && *s == ':' && n == 1;
	return !p->begun && *s == ':' && n > 1 && s[1] == ':';
}

/* A runner skips blanks of all kinds: no character beyond ASCII counts. */
static void note_begin(struct plain *p, const char *s, bool styled)
{
	if (*s == '\n')
		p->begun = false;
	else if (!styled && *s > ' ')
		p->begun = true;
}

/* Pass on what is at `s`; 0: the rest has to come first, unless this is the last piece. */
static size_t pass(struct plain *p, const char *s, size_t n, bool last)
{
	bool more = false;
	size_t length = style_length(s, n, &more);
	const bool command = commands(p, s, n, &more);

	if (!length && !last && (more || is_cut_short(s, n)))
		return 0;
	note_begin(p, s, length > 0);
	if (!length && !command)
		length = *s == '\n' || *s == '\t' ? 1 : vtb_plain_length(s, n);
	if (length) {
		fwrite(s, 1, length, p->to);
		return length;
	}
	fputc('?', p->to);
	return vtb_plain_skip(s, n);
}

static void pass_all(struct plain *p, const char *s, size_t n, bool last)
{
	while (n) {
		const size_t length = pass(p, s, n, last);

		if (!length)
			break;
		s += length;
		n -= length;
	}
	memmove(p->held, s, n); /* fewer than LONGEST: pass() waits for no more than a style or a character */
	p->n_held = n;
}

static ssize_t write_plain(void *cookie, const char *buf, size_t size)
{
	struct plain *p = cookie;
	size_t at = 0;

	while (p->n_held && at < size) {
		p->held[p->n_held++] = buf[at++];
		pass_all(p, p->held, p->n_held, false);
	}
	pass_all(p, at < size ? buf + at : p->held, at < size ? size - at : p->n_held, false);
	return ferror(p->to) ? 0 : (ssize_t)size;
}

static int close_plain(void *cookie)
{
	struct plain *p = cookie;
	int r;

	pass_all(p, p->held, p->n_held, true);
	r = fflush(p->to);
	free(p);
	return r;
}

FILE *vtb_plain_stream(FILE *to)
{
	const cookie_io_functions_t functions = { .write = write_plain, .close = close_plain };
	struct plain *p = calloc(1, sizeof(*p));
	FILE *file = p ? fopencookie(p, "w", functions) : NULL;

	if (!file)
		free(p);
	else
		p->to = to;
	return file;
}
