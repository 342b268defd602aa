/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <math.h>

#include "utf8.h"
#include "vtb/json.h"
#include "vtb/plain.h"

#define SAFE_INTEGER ((UINT64_C(1) << 53) - 1) /* what a double holds exactly */

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

static void put_text(FILE *f, const char *text)
{
	fputc('"', f);
	while (*text) {
		const unsigned len = vtb_utf8_length(text);

		if (!len)
			fputs("\\ufffd", f), text++;
		else if (len > 1 && !vtb_plain_length(text, len))
			put_escaped(f, text, len), text += len;
		else if (len > 1)
			fwrite(text, 1, len, f), text += len;
		else if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text++);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			fprintf(f, "\\u%04x", (unsigned char)*text++);
		else
			fputc(*text++, f);
	}
	fputc('"', f);
}

static void new_line(struct vtb_json_writer *w)
{
	fputc('\n', w->file);
	for (unsigned i = 0; i < w->depth; i++)
		fputs("  ", w->file);
}

/* Comma, line break and key before a value. */
static void lead(struct vtb_json_writer *w, const char *key)
{
	const uint32_t mask = UINT32_C(1) << w->depth;

	if (w->depth) {
		VTB_ASSERT(!key == bit(w->array, w->depth));
		if (w->used & mask)
			fputc(',', w->file);
		if (!bit(w->inrow, w->depth))
			new_line(w);
		else if (w->used & mask)
			fputc(' ', w->file);
		w->used |= mask;
	}
	if (key) {
		put_text(w->file, key);
		fputs(": ", w->file);
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
	fputc(array ? '[' : '{', w->file);
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
	fputc(bit(w->array, depth) ? ']' : '}', w->file);
}

void vtb_json_finish(struct vtb_json_writer *w)
{
	while (w->depth)
		vtb_json_end(w);
	fputc('\n', w->file);
}

void vtb_json_string(struct vtb_json_writer *w, const char *key, const char *value)
{
	lead(w, key);
	if (value)
		put_text(w->file, value);
	else
		fputs("null", w->file);
}

void vtb_json_u64(struct vtb_json_writer *w, const char *key, uint64_t value)
{
	lead(w, key);
	fprintf(w->file, value <= SAFE_INTEGER ? "%" PRIu64 : "\"0x%" PRIx64 "\"", value);
}

void vtb_json_hex(struct vtb_json_writer *w, const char *key, uint64_t value)
{
	lead(w, key);
	fprintf(w->file, "\"0x%" PRIx64 "\"", value);
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
		fputs("null", w->file);
}

void vtb_json_bool(struct vtb_json_writer *w, const char *key, bool value)
{
	lead(w, key);
	fputs(value ? "true" : "false", w->file);
}

void vtb_json_null(struct vtb_json_writer *w, const char *key)
{
	lead(w, key);
	fputs("null", w->file);
}
