/* SPDX-License-Identifier: BSD-2-Clause */
/* Scanning: what it writes stands in the format. Texts and streams are scanned into room of ours. What has been left
 * there is then written, place by place, each of which others may come before. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include <alloca.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

#include "computed.h"
#include "directives.h"
#include "instr_libc.h"

void vtb_rt_scanned(const char *format, va_list args, uint64_t pc)
{
	struct directive d;
	unsigned given = 0;
	void *to;

	if (vtb_rt_is_hooked(pc))
		while (vtb_rt_next_directive(&format, &d, args, &given, &to, pc))
			changes(to, vtb_directive_size(&d), pc);
}

/* ---- into room of ours */

#define PLACES_MOST VTB_SCAN_PLACES
#define UNWRITTEN 0xff /* what is no address and no count of characters */
#define ALIGNED(n) (((n) + 15) & ~(size_t)15)

struct place {
	struct directive d;
	void *to;
	char *room;
	size_t size;
	bool ours;    /* a text of a stream: libc makes room for it */
	bool counted; /* characters of a stream: libc says how many had been read before them and behind them */
	int begins, end;
};

struct scan {
	bool wide;
	const void *text, *format; /* or a stream */
	const char *letters;       /* of the format: what is no letter there is no directive */
	void *theirs;              /* with a list */
	uint64_t pc;
	vtb_rt_scan_call *call; /* of a stream */
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

	for (all->n = 0; vtb_rt_next_directive(&f, &p->d, args, &given, &p->to, s->pc); p++) {
		p->d.place = p->d.place ? p->d.place : given;
		p->ours = p->counted = false;
		if (p->d.place > PLACES_MOST || ++all->n == PLACES_MOST)
			return false;
	}
	return true;
}

/* A text becomes no longer than what is scanned. */
static size_t room_of(const struct scan *s, const struct directive *d, size_t length)
{
	const size_t unit = vtb_directive_is_wide(d) ? sizeof(wchar_t) : s->wide ? MB_LEN_MAX : 1;

	if (s->call)
		return vtb_directive_size(d);
	return vtb_directive_is_text(d) ? ((d->width && d->width < length ? d->width : length) + 1) * unit
	                                : vtb_directive_size(d);
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

static int make(const struct scan *s, va_list args)
{
	return s->call ? s->call(s->text, s->format, args, s->theirs, s->pc)
	               : ((int (*)(const void *, const void *, va_list))s->theirs)(s->text, s->format, args);
}

static int with_list(const struct scan *s, ...)
{
	va_list args;
	int n;

	va_start(args, s);
	n = make(s, args);
	va_end(args);
	return n;
}

#define FOUR(i) args[i], args[(i) + 1], args[(i) + 2], args[(i) + 3]
#define SIXTEEN(i) FOUR(i), FOUR((i) + 4), FOUR((i) + 8), FOUR((i) + 12)
#define ALL SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48)

/* What no character is stands where none is written. */
static bool shows_end(const struct directive *d)
{
	return vtb_directive_is_text(d) && (vtb_directive_has_end(d) || !vtb_directive_is_wide(d));
}

static int call_into(const struct scan *s, struct places *all, char *room)
{
	void *args[PLACES_MOST] = { NULL };
	unsigned more = 0; /* arguments of ours; where there are any, the program's are not numbered */

	for (struct place *p = all->place; p < all->place + all->n; p++) {
		p->room = room;
		memset(room, shows_end(&p->d) ? 0 : UNWRITTEN, p->size);
		room += ALIGNED(p->size);
		if (p->counted)
			args[p->d.place - 1 + more++] = &p->begins;
		args[p->d.place - 1 + more] = p->room;
		if (p->counted)
			args[p->d.place - 1 + ++more] = &p->end;
	}
	return with_list(s, ALL);
}

static size_t length_of(const void *text, bool wide)
{
	size_t n = 0;

	while (wide ? ((const wchar_t *)text)[n] != 0 : ((const char *)text)[n] != 0)
		n++;
	return n;
}

/* Its room was empty before. What a stream has may have ends in it. */
static size_t text_written(const struct place *p)
{
	const size_t unit = vtb_directive_is_wide(&p->d) ? sizeof(wchar_t) : 1;
	const char none = shows_end(&p->d) ? 0 : (char)UNWRITTEN;
	size_t n = p->size;

	if (p->counted)
		return (size_t)(p->end - p->begins);
	while (n && p->room[n - 1] == none)
		n--;
	n = (n + unit - 1) / unit + vtb_directive_has_end(&p->d);
	return n ? n * unit : unit; /* one character, which is an end */
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
		const void *from = p->ours ? *(void **)(void *)p->room : p->room;
		size_t size = p->size;

		if (p->ours && !counted)
			continue;
		if (!counted && ((p->d.conversion != 'n' && !p->d.makes_room) || !is_written(p)))
			continue;
		if (p->ours)
			size = (length_of(from, vtb_directive_is_wide(&p->d)) + 1) *
			       (vtb_directive_is_wide(&p->d) ? sizeof(wchar_t) : 1);
		else if (vtb_directive_is_text(&p->d))
			size = text_written(p);
		changes(p->to, size, s->pc);
		memcpy(p->to, from, size);
		if (p->ours)
			free(*(void **)(void *)p->room);
	}
	errno = saved;
}

static size_t bytes_of(const struct scan *s, const void *text)
{
	return (length_of(text, s->wide) + 1) * (s->wide ? sizeof(wchar_t) : 1);
}

static const char *narrow(const wchar_t *from, size_t n, char *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] >= 0 && from[i] < 128 ? (char)from[i] : '?';
	return to;
}

/* As it is: several places are written in one step then, of which others could see half. */
static void note_step(const struct scan *s)
{
	if (vtb_rt_others_come() && (!*s->letters || vtb_scan_writes_several(s->letters)))
		vtb_rt_uncontrolled(VTB_UNC_SCANS);
}

/* Told before. */
static int scan_there(const struct scan *s, va_list args)
{
	note_step(s);
	vtb_rt_scanned(s->letters, args, s->pc);
	looks(s->text, bytes_of(s, s->text), s->pc);
	return make(s, args);
}

static int scan_copied(const struct scan *s, va_list args)
{
	struct places all;
	size_t room;
	int n;

	if (!read_format(s, &all, args))
		return scan_there(s, args);
	looks(s->text, bytes_of(s, s->text), s->pc);
	room = measure(s, &all, length_of(s->text, s->wide));
	if (room && !vtb_rt_fits_on_stack(room))
		return scan_there(s, args);
	n = call_into(s, &all, alloca(room));
	write_places(s, &all, n);
	return n;
}

/* The format stays what it was when it was read; mostly it is constant. */
static int scan_format(struct scan *s, va_list args)
{
	const size_t length = length_of(s->format, s->wide) + 1, bytes = s->wide ? length * sizeof(wchar_t) : length;

	if (!vtb_rt_fits_on_stack(bytes + sizeof(struct places))) {
		s->letters = s->wide ? "" : s->format;
		return scan_there(s, args);
	}
	s->format = memcpy(alloca(bytes), s->format, bytes);
	s->letters = s->wide ? narrow(s->format, length, alloca(length)) : s->format;
	return vtb_rt_others_come() ? scan_copied(s, args) : scan_there(s, args);
}

/* ---- streams */

/* libc may have to wait before it writes: told before and after. */
static int scan_stream_there(const struct scan *s, va_list args)
{
	va_list ap;
	int n;

	note_step(s);
	vtb_rt_scanned(s->letters, args, s->pc);
	va_copy(ap, args);
	n = make(s, ap);
	va_end(ap);
	vtb_rt_scanned(s->letters, args, s->pc);
	return n;
}

/* The rest of the call is made when everything has been read. */
static int scan_stream_copied(struct scan *s, const struct vtb_scan_asked *a, va_list args, bool *ret_there)
{
	struct places all;
	size_t room;
	int n;

	*ret_there = !read_format(s, &all, args);
	if (*ret_there)
		return 0;
	for (unsigned i = 0; i < all.n; i++) {
		all.place[i].ours = a->room >> i & 1;
		all.place[i].counted = a->counted >> i & 1;
	}
	room = measure(s, &all, 0);
	*ret_there = room && !vtb_rt_fits_on_stack(room);
	if (*ret_there)
		return 0;
	n = call_into(s, &all, alloca(room));
	write_places(s, &all, n);
	return n;
}

int vtb_rt_scan_stream(void *stream, const char *format, va_list args, void *theirs, vtb_rt_scan_call *call,
                       uint64_t pc)
{
	const struct scan there = { false, stream, format, format, theirs, pc, call };
	struct scan s = there;
	const size_t length = vtb_real.strlen(format) + 1, bytes = 4 * length;
	bool as_it_is = true;
	struct vtb_scan_asked asked;
	int n = 0;

	if (!vtb_rt_is_hooked(pc))
		return make(&s, args);
	if (vtb_rt_others_come() && vtb_rt_fits_on_stack(bytes + sizeof(struct places))) {
		char *const letters = memcpy(alloca(bytes), format, length); /* it stays what it was */

		s.letters = letters;
		s.format = letters + length;
		if (vtb_scan_ask(&asked, letters, letters + length))
			n = scan_stream_copied(&s, &asked, args, &as_it_is);
	}
	return as_it_is ? scan_stream_there(&there, args) : n;
}

/* ---- texts */

static int scan_any(struct scan *s, va_list args)
{
	if (!vtb_rt_is_hooked(s->pc))
		return make(s, args);
	looks(s->format, bytes_of(s, s->format), s->pc);
	return scan_format(s, args);
}

#define SCAN(symbol, list_symbol, name, type, is_wide)                                                        \
	VTB_EXPORT int name##_list(const type *text, const type *format, va_list args) __asm__(#list_symbol); \
	VTB_EXPORT int name##_list(const type *text, const type *format, va_list args)                        \
	{                                                                                                     \
		static void *behind;                                                                          \
		struct scan s = {                                                                             \
			is_wide, text, format, NULL, vtb_real_kept(&behind, #list_symbol), VTB_CALLER, NULL   \
		};                                                                                            \
                                                                                                              \
		return scan_any(&s, args);                                                                    \
	}                                                                                                     \
	VTB_EXPORT int name(const type *text, const type *format, ...) __asm__(#symbol);                      \
	VTB_EXPORT int name(const type *text, const type *format, ...)                                        \
	{                                                                                                     \
		static void *behind;                                                                          \
		struct scan s = {                                                                             \
			is_wide, text, format, NULL, vtb_real_kept(&behind, #list_symbol), VTB_CALLER, NULL   \
		};                                                                                            \
		va_list args;                                                                                 \
		int n;                                                                                        \
                                                                                                              \
		va_start(args, format);                                                                       \
		n = scan_any(&s, args);                                                                       \
		va_end(args);                                                                                 \
		return n;                                                                                     \
	}
SCAN(sscanf, vsscanf, scan, char, false)
SCAN(__isoc99_sscanf, __isoc99_vsscanf, scan_c99, char, false)
SCAN(__isoc23_sscanf, __isoc23_vsscanf, scan_c23, char, false)
SCAN(swscanf, vswscanf, scan_wide, wchar_t, true)
SCAN(__isoc99_swscanf, __isoc99_vswscanf, scan_wide_c99, wchar_t, true)
SCAN(__isoc23_swscanf, __isoc23_vswscanf, scan_wide_c23, wchar_t, true)
