/* SPDX-License-Identifier: BSD-2-Clause */
/* Scanning: what it writes stands in the format. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "instr_libc.h"
#include "rows.h"

/* ---- what a directive writes */

struct directive {
	bool skips, makes_room; /* *, m */
	size_t width;           /* 0: none is given */
	unsigned shorts, longs; /* how many h, and l, q, j, z, t, L */
	bool long_double;
	char conversion; /* 0: not known, nor is what comes after */
};

static const char *behind_set(const char *f)
{
	f += *f == '^';
	f += *f == ']';
	while (*f && *f != ']')
		f++;
	return *f ? f + 1 : f;
}

static const char *read_directive(const char *f, struct directive *d)
{
	*d = (struct directive){ .skips = *f == '*' };
	for (f += d->skips; *f >= '0' && *f <= '9' && d->width < 1000000; f++)
		d->width = d->width * 10 + (size_t)(*f - '0');
	for (; *f && vtb_real.strchr("'Imhlqjzt", *f); f++) {
		d->makes_room |= *f == 'm';
		d->shorts += *f == 'h';
		d->longs += !vtb_real.strchr("'Imh", *f);
	}
	d->long_double = *f == 'L';
	f += d->long_double;
	if (!*f || *f == '$')
		return f;
	d->conversion = *f;
	return *f == '[' ? behind_set(f + 1) : f + 1;
}

/* Of a text without a width the first character: how long it becomes is not known before. */
static size_t text_size(const struct directive *d)
{
	const size_t unit = d->longs || d->conversion == 'S' || d->conversion == 'C' ? sizeof(wchar_t) : 1,
	             end = d->conversion == 'c' || d->conversion == 'C' || !d->width ? 0 : 1;

	return ((d->width ? d->width : 1) + end) * unit;
}

static size_t size_of(const struct directive *d)
{
	if (d->makes_room || d->conversion == 'p')
		return sizeof(void *);
	if (vtb_real.strchr("sc[SC", d->conversion))
		return text_size(d);
	if (vtb_real.strchr("diouxXn", d->conversion))
		return d->longs || d->long_double ? 8 : d->shorts > 1 ? 1 : d->shorts ? 2 : 4;
	if (vtb_real.strchr("aAeEfFgG", d->conversion))
		return d->long_double ? sizeof(long double) : d->longs ? 8 : 4;
	return 0;
}

void vtb_rt_scanned(const char *format, va_list args, uint64_t pc)
{
	const char *f = vtb_rt_is_hooked(pc) ? vtb_real.strchr(format, '%') : NULL;
	struct directive d = { .conversion = '%' };
	va_list ap;

	va_copy(ap, args);
	for (; f && d.conversion; f = vtb_real.strchr(f, '%')) {
		f = read_directive(f + 1, &d);
		if (vtb_rt_is_of_locale(d.conversion, d.longs))
			vtb_rt_asks_locale(pc);
		if (d.conversion && d.conversion != '%' && !d.skips)
			hands(va_arg(ap, void *), size_of(&d), pc);
	}
	va_end(ap);
}

/* ---- texts that are scanned */

static void scans(const char *text, const char *format, va_list ap, uint64_t pc)
{
	if (!vtb_rt_is_hooked(pc))
		return;
	looks_text(text, pc);
	looks_text(format, pc);
	vtb_rt_scanned(format, ap, pc);
}

#define SCAN(symbol, list_symbol, name)                                                                     \
	VTB_EXPORT int name##_list(const char *text, const char *format, va_list ap) __asm__(#list_symbol); \
	VTB_EXPORT int name##_list(const char *text, const char *format, va_list ap)                        \
	{                                                                                                   \
		BEHIND(int, call, (const char *, const char *, va_list), list_symbol)                       \
                                                                                                            \
		scans(text, format, ap, VTB_CALLER);                                                        \
		return call(text, format, ap);                                                              \
	}                                                                                                   \
	VTB_EXPORT int name(const char *text, const char *format, ...) __asm__(#symbol);                    \
	VTB_EXPORT int name(const char *text, const char *format, ...)                                      \
	{                                                                                                   \
		BEHIND(int, call, (const char *, const char *, va_list), list_symbol)                       \
		va_list ap;                                                                                 \
		int n;                                                                                      \
                                                                                                            \
		va_start(ap, format);                                                                       \
		scans(text, format, ap, VTB_CALLER);                                                        \
		va_end(ap);                                                                                 \
		va_start(ap, format);                                                                       \
		n = call(text, format, ap);                                                                 \
		va_end(ap);                                                                                 \
		return n;                                                                                   \
	}
SCAN(sscanf, vsscanf, scan)
SCAN(__isoc99_sscanf, __isoc99_vsscanf, scan_c99)
SCAN(__isoc23_sscanf, __isoc23_vsscanf, scan_c23)
