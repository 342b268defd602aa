/* SPDX-License-Identifier: BSD-2-Clause */
/* Scanning: what it writes stands in the format. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include <alloca.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "computed.h"
#include "instr_libc.h"

/* ---- what a directive writes */

struct directive {
	bool skips, makes_room; /* *, m */
	unsigned place;         /* which argument is meant; 0: the next one */
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

static const char *read_number(const char *f, size_t *ret)
{
	for (*ret = 0; *f >= '0' && *f <= '9' && *ret < 1000000; f++)
		*ret = *ret * 10 + (size_t)(*f - '0');
	return f;
}

static const char *read_directive(const char *f, struct directive *d)
{
	size_t number;
	const char *behind = read_number(f, &number);

	*d = (struct directive){ .place = *behind == '$' ? (unsigned)number : 0 };
	f = *behind == '$' ? behind + 1 : f;
	d->skips = *f == '*';
	f = read_number(f + d->skips, &d->width);
	for (; *f && vtb_real.strchr("'Imhlqjzt", *f); f++) {
		d->makes_room |= *f == 'm';
		d->shorts += *f == 'h';
		d->longs += !vtb_real.strchr("'Imh", *f);
	}
	d->long_double = *f == 'L';
	f += d->long_double;
	if (!*f)
		return f;
	d->conversion = *f;
	return *f == '[' ? behind_set(f + 1) : f + 1;
}

static bool is_text(const struct directive *d)
{
	return !d->makes_room && vtb_real.strchr("sc[SC", d->conversion);
}

static bool is_wide(const struct directive *d)
{
	return d->longs || d->conversion == 'S' || d->conversion == 'C';
}

/* Characters of one have no end behind them. */
static bool has_end(const struct directive *d)
{
	return d->conversion != 'c' && d->conversion != 'C';
}

/* Of a text without a width the first character: how long it becomes is not known before. */
static size_t text_size(const struct directive *d)
{
	const size_t n = d->width ? d->width + has_end(d) : 1;

	return is_wide(d) ? n * sizeof(wchar_t) : n;
}

static size_t size_of(const struct directive *d)
{
	if (d->makes_room || d->conversion == 'p')
		return sizeof(void *);
	if (is_text(d))
		return text_size(d);
	if (vtb_real.strchr("diouxXn", d->conversion))
		return d->longs || d->long_double ? 8 : d->shorts > 1 ? 1 : d->shorts ? 2 : 4;
	if (vtb_real.strchr("aAeEfFgG", d->conversion))
		return d->long_double ? sizeof(long double) : d->longs ? 8 : 4;
	return 0;
}

static void *nth(va_list args, unsigned place)
{
	void *at = NULL;
	va_list ap;

	va_copy(ap, args);
	while (place--)
		at = va_arg(ap, void *);
	va_end(ap);
	return at;
}

/* The next directive with an argument from *f on, and that argument; of `given`, which counts those that are not
 * numbered. False: there is none, or it is not known. */
static bool next_directive(const char **f, struct directive *d, va_list args, unsigned *given, void **ret, uint64_t pc)
{
	while ((*f = vtb_real.strchr(*f, '%'))) {
		*f = read_directive(*f + 1, d);
		if (!d->conversion)
			return false;
		if (vtb_rt_is_of_locale(d->conversion, d->longs))
			vtb_rt_asks_locale(pc);
		if (d->conversion == '%' || d->skips)
			continue;
		*ret = nth(args, d->place ? d->place : ++*given);
		return true;
	}
	return false;
}

void vtb_rt_scanned(const char *format, va_list args, uint64_t pc)
{
	struct directive d;
	unsigned given = 0;
	void *to;

	if (vtb_rt_is_hooked(pc))
		while (next_directive(&format, &d, args, &given, &to, pc))
			changes(to, size_of(&d), pc);
}

/* ---- texts that are scanned
 *
 * The call is made as soon as the text has been read, into room of ours. What it has left there is then written, place
 * by place, each of which others may come before.
 */

#define PLACES_MOST 32u
#define UNWRITTEN 0xff /* what is no address and no count of characters */
#define ALIGNED(n) (((n) + 15) & ~(size_t)15)

struct place {
	struct directive d;
	void *to;
	char *room;
	size_t size;
};

struct scan {
	bool wide;
	const void *text, *format;
	const char *letters; /* of the format: what is no letter there is no directive */
	void *theirs;        /* with a list */
	uint64_t pc;
};

struct places {
	unsigned n;
	struct place place[PLACES_MOST];
};

/* False: more than there is room for. */
static bool read_format(const struct scan *s, struct places *all, va_list args)
{
	const char *f = s->letters;
	unsigned given = 0;
	struct place *p = all->place;

	for (all->n = 0; next_directive(&f, &p->d, args, &given, &p->to, s->pc); p++) {
		p->d.place = p->d.place ? p->d.place : given;
		if (p->d.place > PLACES_MOST || ++all->n == PLACES_MOST)
			return false;
	}
	return true;
}

/* A text becomes no longer than what is scanned. */
static size_t room_of(const struct scan *s, const struct directive *d, size_t length)
{
	const size_t unit = is_wide(d) ? sizeof(wchar_t) : s->wide ? MB_LEN_MAX : 1;

	return is_text(d) ? ((d->width && d->width < length ? d->width : length) + 1) * unit : size_of(d);
}

static size_t measure(const struct scan *s, struct places *all, size_t length)
{
	size_t sum = 0;

	for (struct place *p = all->place; p < all->place + all->n; p++) {
		p->size = room_of(s, &p->d, length);
		sum += ALIGNED(p->size);
	}
	return sum;
}

static int with_list(const struct scan *s, ...)
{
	va_list args;
	int n;

	va_start(args, s);
	n = ((int (*)(const void *, const void *, va_list))s->theirs)(s->text, s->format, args);
	va_end(args);
	return n;
}

#define FOUR(i) args[i], args[(i) + 1], args[(i) + 2], args[(i) + 3]
#define ALL FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24), FOUR(28)

static int call_into(const struct scan *s, struct places *all, char *room)
{
	void *args[PLACES_MOST] = { NULL };

	for (struct place *p = all->place; p < all->place + all->n; p++) {
		p->room = room;
		memset(room, is_text(&p->d) ? 0 : UNWRITTEN, p->size);
		room += ALIGNED(p->size);
		args[p->d.place - 1] = p->room;
	}
	return with_list(s, ALL);
}

/* It has no end in it, and its room was empty before. */
static size_t text_written(const struct place *p)
{
	size_t n = 0;

	if (!is_wide(&p->d))
		return vtb_real.strnlen(p->room, p->size) + has_end(&p->d);
	while ((n + 1) * sizeof(wchar_t) <= p->size && ((const wchar_t *)(const void *)p->room)[n])
		n++;
	return (n + has_end(&p->d)) * sizeof(wchar_t);
}

/* Not counted are counts, and addresses that are taken back. */
static bool is_written(const struct place *p)
{
	size_t i = 0;

	while (i < p->size && (unsigned char)p->room[i] == UNWRITTEN)
		i++;
	return i < p->size;
}

/* `n`: so many were counted. */
static void write_places(const struct scan *s, const struct places *all, int n)
{
	const int saved = errno;

	for (const struct place *p = all->place; p < all->place + all->n; p++) {
		const bool counted = p->d.conversion != 'n' && n-- > 0;
		size_t size = p->size;

		if (!counted && ((p->d.conversion != 'n' && !p->d.makes_room) || !is_written(p)))
			continue;
		if (is_text(&p->d))
			size = text_written(p);
		changes(p->to, size, s->pc);
		memcpy(p->to, p->room, size);
	}
	errno = saved;
}

static size_t length_of(const struct scan *s, const void *text)
{
	const wchar_t *wide = text;
	size_t n = 0;

	if (!s->wide)
		return vtb_real.strlen(text);
	while (wide[n])
		n++;
	return n;
}

static size_t bytes_of(const struct scan *s, const void *text)
{
	return (length_of(s, text) + 1) * (s->wide ? sizeof(wchar_t) : 1);
}

static const char *narrow(const wchar_t *from, size_t n, char *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] >= 0 && from[i] < 128 ? (char)from[i] : '?';
	return to;
}

/* As it is, told before. */
static int scan_there(const struct scan *s, va_list args)
{
	vtb_rt_scanned(s->letters, args, s->pc);
	looks(s->text, bytes_of(s, s->text), s->pc);
	return ((int (*)(const void *, const void *, va_list))s->theirs)(s->text, s->format, args);
}

static int scan_copied(const struct scan *s, va_list args)
{
	struct places all;
	size_t room;
	int n;

	if (!read_format(s, &all, args))
		return scan_there(s, args);
	looks(s->text, bytes_of(s, s->text), s->pc);
	room = measure(s, &all, length_of(s, s->text));
	if (room && !vtb_rt_fits_on_stack(room))
		return scan_there(s, args);
	n = call_into(s, &all, alloca(room));
	write_places(s, &all, n);
	return n;
}

/* The format stays what it was when it was read; mostly it is constant. */
static int scan_format(struct scan *s, va_list args)
{
	const size_t length = length_of(s, s->format) + 1, bytes = s->wide ? length * sizeof(wchar_t) : length;

	if (!vtb_rt_fits_on_stack(bytes + sizeof(struct places))) {
		s->letters = s->wide ? "" : s->format;
		return scan_there(s, args);
	}
	s->format = memcpy(alloca(bytes), s->format, bytes);
	s->letters = s->wide ? narrow(s->format, length, alloca(length)) : s->format;
	return vtb_rt_others_come() ? scan_copied(s, args) : scan_there(s, args);
}

static int scan_any(struct scan *s, va_list args)
{
	if (!vtb_rt_is_hooked(s->pc))
		return ((int (*)(const void *, const void *, va_list))s->theirs)(s->text, s->format, args);
	looks(s->format, bytes_of(s, s->format), s->pc);
	return scan_format(s, args);
}

#define SCAN(symbol, list_symbol, name, type, is_wide)                                                             \
	VTB_EXPORT int name##_list(const type *text, const type *format, va_list args) __asm__(#list_symbol);      \
	VTB_EXPORT int name##_list(const type *text, const type *format, va_list args)                             \
	{                                                                                                          \
		static void *behind;                                                                               \
		struct scan s = { is_wide, text, format, NULL, vtb_real_kept(&behind, #list_symbol), VTB_CALLER }; \
                                                                                                                   \
		return scan_any(&s, args);                                                                         \
	}                                                                                                          \
	VTB_EXPORT int name(const type *text, const type *format, ...) __asm__(#symbol);                           \
	VTB_EXPORT int name(const type *text, const type *format, ...)                                             \
	{                                                                                                          \
		static void *behind;                                                                               \
		struct scan s = { is_wide, text, format, NULL, vtb_real_kept(&behind, #list_symbol), VTB_CALLER }; \
		va_list args;                                                                                      \
		int n;                                                                                             \
                                                                                                                   \
		va_start(args, format);                                                                            \
		n = scan_any(&s, args);                                                                            \
		va_end(args);                                                                                      \
		return n;                                                                                          \
	}
SCAN(sscanf, vsscanf, scan, char, false)
SCAN(__isoc99_sscanf, __isoc99_vsscanf, scan_c99, char, false)
SCAN(__isoc23_sscanf, __isoc23_vsscanf, scan_c23, char, false)
SCAN(swscanf, vswscanf, scan_wide, wchar_t, true)
SCAN(__isoc99_swscanf, __isoc99_vswscanf, scan_wide_c99, wchar_t, true)
SCAN(__isoc23_swscanf, __isoc23_vswscanf, scan_wide_c23, wchar_t, true)
