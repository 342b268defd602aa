/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/plain.h"

static const char *const own_texts[] = {
	[VTB_E_FORMAT - VTB_E_FORMAT] = "not a file of this format, or a damaged one",
	[VTB_E_VERSION - VTB_E_FORMAT] = "unknown version or feature",
	[VTB_E_LIMIT - VTB_E_FORMAT] = "a count or size is beyond its limit",
	[VTB_E_SCHEMA - VTB_E_FORMAT] = "a member is missing or has a wrong type or value",
	[VTB_E_SYMBOLS - VTB_E_FORMAT] = "debug information is missing or unusable",
	[VTB_E_DESYNC - VTB_E_FORMAT] = "packets or records are out of step",
	[VTB_E_TARGET - VTB_E_FORMAT] = "the program under test could not be started or controlled",
	[VTB_E_DIVERGED - VTB_E_FORMAT] = "the program did not follow the schedule",
	[VTB_E_TOOL - VTB_E_FORMAT] = "a helper program is missing or failed",
	[VTB_E_UNSUPPORTED - VTB_E_FORMAT] = "not supported",
};
_Static_assert(sizeof(own_texts) / sizeof(own_texts[0]) == VTB_E_MAX - VTB_E_FORMAT, "one text for each error");

const char *vtb_strerror(int r)
{
	const int number = r < 0 ? -r : r;

	if (number >= VTB_E_FORMAT && number < VTB_E_MAX)
		return own_texts[number - VTB_E_FORMAT];
	return strerror(number);
}

static void set_path(struct vtb_error *err, const char *path)
{
	const size_t len = strlen(path), room = sizeof(err->path) - 1;

	if (len <= room)
		memcpy(err->path, path, len + 1);
	else
		snprintf(err->path, sizeof(err->path), "...%s", path + (len - (room - 3)));
	vtb_plain_make(err->path);
}

static int fill(struct vtb_error *err, int r, const char *path, const char *fmt, va_list args)
{
	struct vtb_error old;

	if (!err)
		return r;
	old = *err; /* the arguments may point into it */
	*err = (struct vtb_error){ .code = r };
	set_path(err, !path ? "" : path == err->path ? old.path : path);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	vtb_plain_make(err->text);
	return r;
}

int vtb_error_set(struct vtb_error *err, int r, const char *path, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, r, path, fmt, args);
	va_end(args);
	if (err)
		err->offset = offset;
	return r;
}

int vtb_error_set_line(struct vtb_error *err, int r, const char *path, uint32_t line, uint32_t column, const char *fmt,
                       ...)
{
	va_list args;

	va_start(args, fmt);
	fill(err, r, path, fmt, args);
	va_end(args);
	if (err) {
		err->line = line;
		err->column = column;
	}
	return r;
}

const char *vtb_error_print(const struct vtb_error *err, char *buf, uint32_t size)
{
	const char *text = err->text[0] ? err->text : vtb_strerror(err->code);

	if (!err->path[0])
		snprintf(buf, size, "%s", text);
	else if (err->line)
		snprintf(buf, size, "%s:%" PRIu32 ":%" PRIu32 ": %s", err->path, err->line, err->column, text);
	else if (err->offset)
		snprintf(buf, size, "%s: offset %" PRIu64 ": %s", err->path, err->offset, text);
	else
		snprintf(buf, size, "%s: %s", err->path, text);
	return buf;
}

void vtb_assert_failed(const char *cond, const char *file, int line)
{
	fprintf(stderr, "%s:%d: internal error: \"%s\" does not hold\n", file, line, cond);
	abort();
}
