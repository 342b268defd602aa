/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file error.h
 * Errors: functions return >= 0 or a negative errno; numbers of our own start at 5000 so that both fit in one int.
 * Readers also fill a struct vtb_error that says where and why, in one line a user can act on.
 */
#ifndef VTB_ERROR_H
#define VTB_ERROR_H

#include <stdint.h>

enum {
	VTB_E_FORMAT = 5000, /* not a file of this format, or a damaged one */
	VTB_E_VERSION,       /* a version or feature this program does not know */
	VTB_E_LIMIT,         /* a count or size beyond the named limit */
	VTB_E_SCHEMA,        /* well-formed, but a member is missing or has the wrong type or value */
	VTB_E_SYMBOLS,       /* debug information is missing or unusable */
	VTB_E_DESYNC,        /* packets or records out of step */
	VTB_E_TARGET,        /* the program under test could not be started or controlled */
	VTB_E_DIVERGED,      /* the program did not follow the schedule */
	VTB_E_TOOL,          /* a program that we run (dot, ...) is missing or failed */
	VTB_E_UNSUPPORTED,   /* understood and refused, by name */
	VTB_E_MAX,
};

/** Where and why. `= {0}` is valid. */
struct vtb_error {
	int code;        /* the negative number returned */
	char path[512];  /* file, "" if none (shortened from the left if longer) */
	uint64_t offset; /* byte offset, if `line` is 0 */
	uint32_t line;   /* text files: line, from 1; else 0 */
	uint32_t column;
	char text[512]; /* a sentence without a full stop: what was found and what was expected */
};

/** Text of a negative return value: strerror() for errno values. Never NULL. */
const char *vtb_strerror(int r);

/** Fill `err` (may be NULL) and return `r`. `path` may be NULL. Control characters in the text become '?'. */
int vtb_error_set(struct vtb_error *err, int r, const char *path, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/** The same for text files. */
int vtb_error_set_line(struct vtb_error *err, int r, const char *path, uint32_t line, uint32_t column, const char *fmt,
                       ...) __attribute__((format(printf, 6, 7)));

/** "path:line:col: text" or "path: offset N: text", one line, for people. Returns `buf`. */
const char *vtb_error_print(const struct vtb_error *err, char *buf, uint32_t size);

/** A broken invariant: print place and condition, abort. On in release builds. */
#define VTB_ASSERT(cond) ((cond) ? (void)0 : vtb_assert_failed(#cond, __FILE__, __LINE__))
_Noreturn void vtb_assert_failed(const char *cond, const char *file, int line);

#endif /* VTB_ERROR_H */
