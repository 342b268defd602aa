/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "utf8.h"
#include "vtb/json.h"
#include "vtb/plain.h"

#define SAFE_INTEGER ((UINT64_C(1) << 53) - 1) /* what a double holds exactly */

/* A file of schedules has millions of parts, and no other thread writes it: the stream's lock would be most of the
 * work. */
static void put_char(FILE *f, int c)
{
	putc_unlocked(c, f);
}

static void put_bytes(FILE *f, const char *bytes, size_t n)
{
	fwrite_unlocked(bytes, 1, n, f);
}

static void put_plain(FILE *f, const char *text)
{
	put_bytes(f, text, strlen(text));
}

static void put_number(FILE *f, uint64_t n, unsigned base)
{
	char digits[20], *d = digits + sizeof(digits);

	do
		*--d = "0123456789abcdef"[n % base];
	while (n /= base);
	put_bytes(f, d, (size_t)(digits + sizeof(digits) - d));
}

static void put_hex(FILE *f, uint64_t n)
{
	put_plain(f, "\"0x");
	put_number(f, n, 16);
	put_char(f, '"');
}

void vtb_json_begin(struct vtb_json_writer *w, FILE *file)
{
	*w = (struct vtb_json_writer){ .file = file };
}

static bool bit(uint32_t set, unsigned depth)
{
	return set >> depth & 1;
}

/* A character that is not shown, by its number: what JSON says is the same, and a terminal does not obey it. */
static void put_escaped(FILE *f, const char *s, unsigned length)
{
	uint32_t point = (unsigned char)*s & (0x7fu >> length);

	for (unsigned i = 1; i < length; i++)
		point = point << 6 | ((unsigned char)s[i] & 0x3f);
	if (point > 0xffff) { /* in two halves, RFC 8259 section 7 */
		point -= 0x10000;
		fprintf(f, "\\u%04x", 0xd800 + (unsigned)(point >> 10));
		point = 0xdc00 + (point & 0x3ff);
	}
	fprintf(f, "\\u%04x", (unsigned)point);
}

/* Of characters that stand for themselves, all of one byte. */
static size_t plain_run(const char *text)
{
	size_t n = 0;

	while ((unsigned char)text[n] >= ' ' && (unsigned char)text[n] < 0x7f && text[n] != '"' && text[n] != '\\')
		n++;
	return n;
}

/* The first character, which is none of those; returns its bytes. */
static unsigned put_special(FILE *f, const char *text)
{
	const unsigned len = vtb_utf8_length(text);

	if (!len)
		put_plain(f, "\\ufffd");
	else if (len > 1 && !vtb_plain_length(text, len))
		put_escaped(f, text, len);
	else if (len > 1)
		put_bytes(f, text, len);
	else if (*text == '"' || *text == '\\')
		fprintf(f, "\\%c", *text);
	else
		fprintf(f, "\\u%04x", (unsigned char)*text);
	return len ? len : 1;
}

static void put_text(FILE *f, const char *text)
{
	put_char(f, '"');
	while (*text) {
		const size_t n = plain_run(text);

		put_bytes(f, text, n);
		text += n;
		if (*text)
			text += put_special(f, text);
	}
	put_char(f, '"');
}

static void new_line(struct vtb_json_writer *w)
{
	put_char(w->file, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		put_bytes(w->file, "  ", 2);
}

/* Comma, line break and key before a value. */
static void lead(struct vtb_json_writer *w, const char *key)
{
	const uint32_t mask = UINT32_C(1) << w->depth;

	if (w->depth) {
		VTB_ASSERT(!key == bit(w->array, w->depth));
		if (w->used & mask)
			put_char(w->file, ',');
		if (!bit(w->inrow, w->depth))
			new_line(w);
		else if (w->used & mask)
			put_char(w->file, ' ');
		w->used |= mask;
	}
	if (key) {
		put_text(w->file, key);
		put_bytes(w->file, ": ", 2);
	}
}

static void open_value(struct vtb_json_writer *w, const char *key, bool array, bool row)
{
	uint32_t mask;

	lead(w, key);
	row = row || bit(w->inrow, w->depth);
	VTB_ASSERT(w->depth + 1 < VTB_JSON_WRITE_DEPTH);
	mask = UINT32_C(1) << ++w->depth;
	w->used &= ~mask;
	w->array = array ? w->array | mask : w->array & ~mask;
	w->inrow = row ? w->inrow | mask : w->inrow & ~mask;
	put_char(w->file, array ? '[' : '{');
}

void vtb_json_object(struct vtb_json_writer *w, const char *key)
{
	open_value(w, key, false, false);
}

void vtb_json_array(struct vtb_json_writer *w, const char *key)
{
	open_value(w, key, true, false);
}

void vtb_json_object_row(struct vtb_json_writer *w, const char *key)
{
	open_value(w, key, false, true);
}

void vtb_json_array_row(struct vtb_json_writer *w, const char *key)
{
	open_value(w, key, true, true);
}

void vtb_json_end(struct vtb_json_writer *w)
{
	const unsigned depth = w->depth;

	VTB_ASSERT(depth);
	w->depth--;
	if (bit(w->used, depth) && !bit(w->inrow, depth))
		new_line(w);
	put_char(w->file, bit(w->array, depth) ? ']' : '}');
}

void vtb_json_finish(struct vtb_json_writer *w)
{
	while (w->depth)
		vtb_json_end(w);
	put_char(w->file, '\n');
}

void vtb_json_string(struct vtb_json_writer *w, const char *key, const char *value)
{
	lead(w, key);
	if (value)
		put_text(w->file, value);
	else
		put_plain(w->file, "null");
}

void vtb_json_u64(struct vtb_json_writer *w, const char *key, uint64_t value)
{
	lead(w, key);
	if (value <= SAFE_INTEGER)
		put_number(w->file, value, 10);
	else
		put_hex(w->file, value);
}

void vtb_json_hex(struct vtb_json_writer *w, const char *key, uint64_t value)
{
	lead(w, key);
	put_hex(w->file, value);
}

void vtb_json_int(struct vtb_json_writer *w, const char *key, int64_t value)
{
	lead(w, key);
	fprintf(w->file, "%" PRId64, value);
}

void vtb_json_real(struct vtb_json_writer *w, const char *key, double value)
{
	lead(w, key);
	if (isfinite(value))
		fprintf(w->file, "%.6g", value);
	else
		put_plain(w->file, "null");
}

void vtb_json_bool(struct vtb_json_writer *w, const char *key, bool value)
{
	lead(w, key);
	put_plain(w->file, value ? "true" : "false");
}

void vtb_json_null(struct vtb_json_writer *w, const char *key)
{
	lead(w, key);
	put_plain(w->file, "null");
}
