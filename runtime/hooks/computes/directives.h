/* SPDX-License-Identifier: BSD-2-Clause */
/** @file directives.h What a directive of a scan's format writes. */
#ifndef VTB_RT_DIRECTIVES_H
#define VTB_RT_DIRECTIVES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct directive {
	bool skips, makes_room; /* *, m */
	unsigned place;         /* which argument is meant; 0: the next one */
	size_t width;           /* 0: none is given */
	unsigned shorts, longs; /* how many h, and l, q, j, z, t, L */
	bool long_double;
	char conversion; /* 0: not known, nor is what comes after */
};

/** Read one; *f stands behind its %. What stands behind it. */
const char *vtb_rt_read_directive(const char *f, struct directive *d);
/** Characters, and not an address of some? */
bool vtb_directive_is_text(const struct directive *d);
bool vtb_directive_is_wide(const struct directive *d);
/** Is an end written behind them? */
bool vtb_directive_has_end(const struct directive *d);
/** How many bytes a text may become; without a width it is not known before, and its first character is meant. */
size_t vtb_directive_text_size(const struct directive *d);
/** How many bytes it writes. 0: it is not known. */
size_t vtb_directive_size(const struct directive *d);
/** The next directive with an argument from *f on, and that argument; of `given`, which counts those that are not
 * numbered. False: there is none, or it is not known. */
bool vtb_rt_next_directive(const char **f, struct directive *d, va_list args, unsigned *given, void **ret, uint64_t pc);
/** Does a scan by this format write more than one place? */
bool vtb_scan_writes_several(const char *format);

#define VTB_SCAN_PLACES 64u

/** What a format asks of libc besides. A bit for each place. */
struct vtb_scan_asked {
	uint64_t room;    /* how long a text without a width becomes nobody knows: libc makes room for it, by an m */
	uint64_t counted; /* so many characters may come, or the end of the file before: by %n before them and behind */
	unsigned n, more; /* places, arguments of ours */
	bool numbered;    /* the program's arguments are */
};

/** Make such a format of `format`; `to` has room for three times as much. False: not all can be scanned so, and as many
 * as VTB_SCAN_PLACES arguments. */
bool vtb_scan_ask(struct vtb_scan_asked *a, const char *format, char *to);

#endif /* VTB_RT_DIRECTIVES_H */
