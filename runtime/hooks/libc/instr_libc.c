/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More of libc that works on memory of the program's choosing, besides memcpy, strcpy and their like (instr_string.c):
 * looking in texts, numbers from texts, printing into memory, sorting; and functions that keep a result or a place in
 * static memory of libc's. One row each: what a call reads and writes is told before it is made, as accesses at the
 * place that calls.
 *
 * What is looked at ends where the answer is found: behind it there may be memory that is not the program's to read,
 * and a text of a megabyte that is read number by number would be told anew for each of them. Only of sscanf's text all
 * is taken, as libc itself measures it. What scanf's pointers lead to is not followed.
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "instr_libc.h"

#include "base.h"
#include "instr.h"
#include "rows.h"
#include "own_names.h"

#undef strtok_r
#undef strncasecmp
#undef strcasecmp

/* Bytes from `at` on up to the first such byte, it included; or all. */
static size_t until(const void *at, int byte, size_t size)
{
	BEHIND(void *, call, (const void *, int, size_t), memchr)
	const char *found = call(at, byte, size);

	return found ? (size_t)(found - (const char *)at) + 1 : size;
}

/* A text in which `found` was found, `size` bytes long; if NULL, all of it was looked at. */
static void looks_found(const char *text, const char *found, size_t size, uint64_t pc)
{
	if (found)
		looks(text, (size_t)(found - text) + size, pc);
	else
		looks_text(text, pc);
}

/* A number, and the character that ends it. */
static void looks_whole(const char *text, int base, uint64_t pc)
{
	BEHIND(long long, call, (const char *, char **, int), strtoll)
	const int saved = errno;
	char *end = NULL;

	call(text, &end, base);
	errno = saved;
	looks_found(text, end ? end : text, 1, pc);
}

static void looks_real(const char *text, uint64_t pc)
{
	BEHIND(double, call, (const char *, char **), strtod)
	const int saved = errno;
	char *end = NULL;

	vtb_rt_asks_locale(pc);
	call(text, &end);
	errno = saved;
	looks_found(text, end ? end : text, 1, pc);
}

/* ---- looking in memory and texts */

ROW(void *, memchr, (const void *at, int byte, size_t size), (at, byte, size), looks(at, until(at, byte, size), pc))
ROW(void *, memrchr, (const void *at, int byte, size_t size), (at, byte, size), looks(at, size, pc))
ROW(void *, memmem, (const void *at, size_t size, const void *what, size_t what_size), (at, size, what, what_size),
    looks(at, size, pc);
    looks(what, what_size, pc))
ROW(char *, strrchr, (const char *text, int byte), (text, byte), looks_text(text, pc))
ROW(char *, strchrnul, (const char *text, int byte), (text, byte), looks_found(text, call(text, byte), 1, pc))
ROW(char *, strstr, (const char *text, const char *what), (text, what),
    looks_found(text, call(text, what), vtb_real.strlen(what), pc);
    looks_text(what, pc))
ROW(char *, strcasestr, (const char *text, const char *what), (text, what),
    looks_found(text, call(text, what), vtb_real.strlen(what), pc);
    looks_text(what, pc))
ROW(size_t, strspn, (const char *text, const char *set), (text, set), looks(text, call(text, set) + 1, pc);
    looks_text(set, pc))
ROW(size_t, strcspn, (const char *text, const char *set), (text, set), looks(text, call(text, set) + 1, pc);
    looks_text(set, pc))
ROW(char *, strpbrk, (const char *text, const char *set), (text, set), looks_found(text, call(text, set), 1, pc);
    looks_text(set, pc))
ROW(int, strcasecmp, (const char *a, const char *b), (a, b), looks_text(a, pc); looks_text(b, pc))
ROW(int, strncasecmp, (const char *a, const char *b, size_t most), (a, b, most), looks_start(a, most, pc);
    looks_start(b, most, pc))

/* ---- copies */

COMPUTES(char *, stpncpy, (char *to, const char *from, size_t size), (to, from, size), looks_start(from, size, pc),
         INTO(to, size))
COMPUTES(void *, memccpy, (void *to, const void *from, int byte, size_t size), (to, from, byte, size),
         looks(from, until(from, byte, size), pc), INTO(to, until(from, byte, size)))
COMPUTES_VOID(bcopy, (const void *from, void *to, size_t size), (from, to, size), looks(from, size, pc), INTO(to, size))
ROW(void, bzero, (void *to, size_t size), (to, size), changes(to, size, pc))
ROW(void, explicit_bzero, (void *to, size_t size), (to, size), changes(to, size, pc))

VTB_EXPORT char *strndup(const char *text, size_t most);
VTB_EXPORT char *strndup(const char *text, size_t most)
{
	const uint64_t pc = VTB_CALLER;
	size_t n;
	char *to;

	if (vtb_rt_is_hooked(pc))
		looks_start(text, most, pc);
	n = VTB_CALL_REAL(strnlen)(text, most);
	to = vtb_rt_malloc(n + 1, pc);
	if (!to)
		return NULL;
	memcpy(to, text, n);
	to[n] = 0;
	return to;
}

/* ---- numbers from texts */

ROW(int, atoi, (const char *text), (text), looks_whole(text, 10, pc))
ROW(long, atol, (const char *text), (text), looks_whole(text, 10, pc))
ROW(long long, atoll, (const char *text), (text), looks_whole(text, 10, pc))
ROW(double, atof, (const char *text), (text), looks_real(text, pc))
/* also as headers of glibc 2.38 and newer call them */
#define NUMBER_AS(symbol, ret, name)                                                                \
	COMPUTES_AS(symbol, ret, name, (const char *text, char **end, int base), (text, end, base), \
	            looks_whole(text, base, pc), INTO(end, sizeof(*end)))
#define NUMBER(ret, name) NUMBER_AS(name, ret, vtb_##name) NUMBER_AS(__isoc23_##name, ret, vtb_isoc23_##name)
NUMBER(long, strtol)
NUMBER(long long, strtoll)
NUMBER(unsigned long, strtoul)
NUMBER(unsigned long long, strtoull)
COMPUTES(double, strtod, (const char *text, char **end), (text, end), looks_real(text, pc), INTO(end, sizeof(*end)))
COMPUTES(float, strtof, (const char *text, char **end), (text, end), looks_real(text, pc), INTO(end, sizeof(*end)))

/* ---- sorting: the program's function is called in between */

#define SORT(name, params, args)                    \
	VTB_EXPORT void name params;                \
	VTB_EXPORT void name params                 \
	{                                           \
		const uint64_t pc = VTB_CALLER;     \
		BEHIND(void, call, params, name)    \
                                                    \
		if (vtb_rt_is_hooked(pc)) {         \
			looks(base, n *size, pc);   \
			changes(base, n *size, pc); \
		}                                   \
		call args;                          \
		if (vtb_rt_is_hooked(pc))           \
			changes(base, n *size, pc); \
	}
SORT(qsort, (void *base, size_t n, size_t size, int (*order)(const void *, const void *)), (base, n, size, order))
SORT(qsort_r, (void *base, size_t n, size_t size, int (*order)(const void *, const void *, void *), void *arg),
     (base, n, size, order, arg))

/* ---- texts among the arguments of a print */

/* A directive's flags, width and precision are behind us: its length modifier. */
static const char *skip_length(const char *f, bool *ret_long, bool *ret_long_double)
{
	*ret_long = *ret_long_double = false;
	for (; *f && vtb_real.strchr("hlqLjzt", *f); f++) {
		*ret_long |= *f != 'h' && *f != 'L';
		*ret_long_double |= *f == 'L';
	}
	return f;
}

/* A number in the format, or one among the arguments. */
static const char *take_number(const char *f, va_list *ap, int *ret)
{
	if (*f == '*') {
		*ret = va_arg(*ap, int);
		return f + 1;
	}
	for (*ret = 0; *f >= '0' && *f <= '9' && *ret < 1000000; f++)
		*ret = *ret * 10 + (*f - '0');
	return f;
}

static void looks_shown(const char *text, int precision, uint64_t pc)
{
	if (text && precision < 0)
		looks_text(text, pc);
	else if (text)
		looks_start(text, (size_t)precision, pc);
}

static void looks_shown_wide(const wchar_t *text, int precision, uint64_t pc)
{
	size_t n = 0;

	while (text && (precision < 0 || n < (size_t)precision) && text[n])
		n++;
	if (text)
		looks(text, (n + (precision < 0)) * sizeof(*text), pc);
}

/* The decimal point, how thousands are grouped, how wide characters are written. */
bool vtb_rt_is_of_locale(char conversion, bool is_long)
{
	return conversion &&
	       (vtb_real.strchr("eEfFgGaACS", conversion) || (is_long && vtb_real.strchr("sc[", conversion)));
}

/* Take one argument. False: what it is is not known, nor where the next one lies. */
static bool take_argument(char conversion, bool is_long, bool long_double, int precision, va_list *ap, uint64_t pc)
{
	if (conversion == '%' || conversion == 'm')
		return true;
	if (vtb_rt_is_of_locale(conversion, is_long))
		vtb_rt_asks_locale(pc);
	if (conversion == 's' && is_long)
		looks_shown_wide(va_arg(*ap, const wchar_t *), precision, pc);
	else if (conversion == 's')
		looks_shown(va_arg(*ap, const char *), precision, pc);
	else if (conversion == 'n')
		hands(va_arg(*ap, void *), is_long ? 8 : 4, pc);
	else if (conversion == 'p')
		(void)va_arg(*ap, void *);
	else if (conversion && vtb_real.strchr("diouxXc", conversion) && is_long)
		(void)va_arg(*ap, long);
	else if (conversion && vtb_real.strchr("diouxXc", conversion))
		(void)va_arg(*ap, int);
	else if (conversion && vtb_real.strchr("eEfFgGaA", conversion) && long_double)
		(void)va_arg(*ap, long double);
	else if (conversion && vtb_real.strchr("eEfFgGaA", conversion))
		(void)va_arg(*ap, double);
	else
		return false; /* a number of an argument ("%1$s"), or what programs have registered */
	return true;
}

void vtb_rt_printed(const char *format, va_list args, uint64_t pc)
{
	bool known = vtb_rt_is_hooked(pc), is_long, long_double;
	va_list ap;

	va_copy(ap, args);
	for (const char *f = known ? vtb_real.strchr(format, '%') : NULL; f && known; f = vtb_real.strchr(f, '%')) {
		int precision = -1, width;

		for (f++; *f && vtb_real.strchr("-+ #0'I", *f);)
			f++;
		f = take_number(f, &ap, &width);
		if (*f == '.')
			f = take_number(f + 1, &ap, &precision);
		f = skip_length(f, &is_long, &long_double);
		known = take_argument(*f, is_long, long_double, precision, &ap, pc);
		f += known;
	}
	va_end(ap);
}

/* ---- printing into memory: how long it becomes is found by printing it twice */

static void prints(struct computed *c, char *to, size_t room, const char *format, va_list ap, uint64_t pc)
{
	BEHIND(int, call, (char *, size_t, const char *, va_list), vsnprintf)
	va_list copy;
	int n;

	c->n = 0;
	if (!vtb_rt_is_hooked(pc))
		return;
	looks_text(format, pc);
	vtb_rt_printed(format, ap, pc);
	va_copy(copy, ap);
	n = call(NULL, 0, format, copy);
	va_end(copy);
	if (n >= 0 && room)
		computed_into(c, to, (size_t)n < room ? (size_t)n + 1 : room, pc);
}

#define PRINT(name, list_name, params, last, list_params, list_args, room) \
	VTB_EXPORT int list_name list_params;                              \
	VTB_EXPORT int list_name list_params                               \
	{                                                                  \
		BEHIND(int, call, list_params, list_name)                  \
		struct computed computed;                                  \
		int n;                                                     \
                                                                           \
		prints(&computed, to, room, format, ap, VTB_CALLER);       \
		n = call list_args;                                        \
		computed_end(&computed, VTB_CALLER);                       \
		return n;                                                  \
	}                                                                  \
	VTB_EXPORT int name params;                                        \
	VTB_EXPORT int name params                                         \
	{                                                                  \
		BEHIND(int, call, list_params, list_name)                  \
		struct computed computed;                                  \
		va_list ap;                                                \
		int n;                                                     \
                                                                           \
		va_start(ap, last);                                        \
		prints(&computed, to, room, format, ap, VTB_CALLER);       \
		va_end(ap);                                                \
		va_start(ap, last);                                        \
		n = call list_args;                                        \
		va_end(ap);                                                \
		computed_end(&computed, VTB_CALLER);                       \
		return n;                                                  \
	}
PRINT(sprintf, vsprintf, (char *to, const char *format, ...), format, (char *to, const char *format, va_list ap),
      (to, format, ap), SIZE_MAX)
PRINT(snprintf, vsnprintf, (char *to, size_t size, const char *format, ...), format,
      (char *to, size_t size, const char *format, va_list ap), (to, size, format, ap), size)
PRINT(__sprintf_chk, __vsprintf_chk, (char *to, int flag, size_t room, const char *format, ...), format,
      (char *to, int flag, size_t room, const char *format, va_list ap), (to, flag, room, format, ap), room)
PRINT(__snprintf_chk, __vsnprintf_chk, (char *to, size_t size, int flag, size_t room, const char *format, ...), format,
      (char *to, size_t size, int flag, size_t room, const char *format, va_list ap),
      (to, size, flag, room, format, ap), size)

/* ---- places and results in static memory */

static char *next_token(char *text, const char *set, char **rest, uint64_t pc)
{
	const bool hooked = vtb_rt_is_hooked(pc);
	char *end;

	if (!text) {
		if (hooked)
			looks(rest, sizeof(*rest), pc);
		text = *rest;
	}
	if (hooked && text) {
		looks_text(set, pc);
		looks_text(text, pc);
	}
	if (text)
		for (; *text && VTB_CALL_REAL(strchr)(set, *text);)
			text++;
	for (end = text; end && *end && !VTB_CALL_REAL(strchr)(set, *end);)
		end++;
	if (hooked && end && *end)
		changes(end, 1, pc);
	if (hooked)
		changes(rest, sizeof(*rest), pc);
	*rest = end && *end ? end + 1 : end;
	if (!text || end == text)
		return NULL;
	*end = 0;
	return text;
}

VTB_EXPORT char *strtok(char *restrict text, const char *restrict set);
VTB_EXPORT char *strtok(char *restrict text, const char *restrict set)
{
	static char *rest;

	return next_token(text, set, &rest, VTB_CALLER);
}

VTB_EXPORT char *strtok_r(char *restrict text, const char *restrict set, char **restrict rest);
VTB_EXPORT char *strtok_r(char *restrict text, const char *restrict set, char **restrict rest)
{
	return next_token(text, set, rest, VTB_CALLER);
}

VTB_EXPORT char *__strtok_r(char *restrict text, const char *restrict set, char **restrict rest);
VTB_EXPORT char *__strtok_r(char *restrict text, const char *restrict set, char **restrict rest)
{
	return next_token(text, set, rest, VTB_CALLER);
}

/* Where libc keeps a result is known from the first; that call is made before it is told. */
#define KEEPS(ret, name, params, args, size, zone)      \
	VTB_EXPORT ret name params;                     \
	VTB_EXPORT ret name params                      \
	{                                               \
		const uint64_t pc = VTB_CALLER;         \
		static ret kept;                        \
		BEHIND(ret, call, params, name)         \
                                                        \
		if (vtb_rt_is_hooked(pc)) {             \
			zone;                           \
			looks(when, sizeof(*when), pc); \
			if (!kept)                      \
				kept = call args;       \
			changes(kept, size, pc);        \
		}                                       \
		return call args;                       \
	}
KEEPS(char *, asctime, (const struct tm *when), (when), sizeof("Thu Jan  1 00:00:00 1970\n"), (void)0)
