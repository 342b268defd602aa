/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More of libc that works on memory of the program's choosing, besides memcpy, strcpy and their like (instr_string.c):
 * looking in texts, numbers from texts, printing into memory; and functions that keep a result in static memory of
 * libc's. One row each: what a call reads and writes is told before it is made, as accesses at the
 * place that calls.
 *
 * What is looked at ends where the answer is found: behind it there may be memory that is not the program's to read,
 * and a text of a megabyte that is read number by number would be told anew for each of them. Only of sscanf's text all
 * is taken, as libc itself measures it.
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

#include "computed.h"
#include "own_names.h"

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
COMPUTES(void *, memmem, (const void *at, size_t size, const void *what, size_t what_size), (at, size, what, what_size),
         SEES(what, what_size);
         looks(at, size, pc), (void)0)
ROW(char *, strrchr, (const char *text, int byte), (text, byte), looks_text(text, pc))
ROW(char *, strchrnul, (const char *text, int byte), (text, byte), looks_found(text, call(text, byte), 1, pc))
COMPUTES(char *, strstr, (const char *text, const char *what), (text, what), SEES_TEXT(what);
         looks_found(text, call(text, what), vtb_real.strlen(what), pc), (void)0)
COMPUTES(char *, strcasestr, (const char *text, const char *what), (text, what), SEES_TEXT(what);
         looks_found(text, call(text, what), vtb_real.strlen(what), pc), (void)0)
COMPUTES(size_t, strspn, (const char *text, const char *set), (text, set), SEES_TEXT(set);
         looks(text, call(text, set) + 1, pc), (void)0)
COMPUTES(size_t, strcspn, (const char *text, const char *set), (text, set), SEES_TEXT(set);
         looks(text, call(text, set) + 1, pc), (void)0)
COMPUTES(char *, strpbrk, (const char *text, const char *set), (text, set), SEES_TEXT(set);
         looks_found(text, call(text, set), 1, pc), (void)0)
COMPUTES(int, strcasecmp, (const char *a, const char *b), (a, b), SEES_TEXT(a); looks_text(b, pc), (void)0)
COMPUTES(int, strncasecmp, (const char *a, const char *b, size_t most), (a, b, most), SEES_START(a, most);
         looks_start(b, most, pc), (void)0)

/* ---- copies */

COMPUTES(char *, stpncpy, (char *to, const char *from, size_t size), (to, from, size), looks_start(from, size, pc),
         INTO(to, size))
COMPUTES(void *, memccpy, (void *to, const void *from, int byte, size_t size), (to, from, byte, size),
         looks(from, until(from, byte, size), pc), INTO(to, until(from, byte, size)))
COMPUTES_VOID(bcopy, (const void *from, void *to, size_t size), (from, to, size), looks(from, size, pc), INTO(to, size))
ROW(void, bzero, (void *to, size_t size), (to, size), changes(to, size, pc))
ROW(void, explicit_bzero, (void *to, size_t size), (to, size), changes(to, size, pc))

/* malloc() is no schedule point. */
static char *anew(const char *text, size_t n, uint64_t pc)
{
	char *to = vtb_rt_malloc(n + 1, pc);

	if (!to)
		return NULL;
	memcpy(to, text, n);
	to[n] = 0;
	return to;
}

VTB_EXPORT char *strdup(const char *text);
VTB_EXPORT char *strdup(const char *text)
{
	if (vtb_rt_is_hooked(VTB_CALLER))
		looks_text(text, VTB_CALLER);
	return anew(text, VTB_CALL_REAL(strlen)(text), VTB_CALLER);
}

VTB_EXPORT char *strndup(const char *text, size_t most);
VTB_EXPORT char *strndup(const char *text, size_t most)
{
	if (vtb_rt_is_hooked(VTB_CALLER))
		looks_start(text, most, VTB_CALLER);
	return anew(text, VTB_CALL_REAL(strnlen)(text, most), VTB_CALLER);
}

/* ---- numbers from texts */

ROW(int, atoi, (const char *text), (text), looks_whole(text, 10, pc))
ROW(long, atol, (const char *text), (text), looks_whole(text, 10, pc))
ROW(long long, atoll, (const char *text), (text), looks_whole(text, 10, pc))
ROW(double, atof, (const char *text), (text), looks_real(text, pc))
/* also as headers of glibc 2.38 and newer call them */
#define NUMBER_AS(symbol, ret, name)                                                                \
	COMPUTES_AS(symbol, ret, name, (const char *text, char **end, int base), (text, end, base), \
	            looks_whole(text, base, pc), INTO(end, sizeof(*end)), (void)0)
#define NUMBER(ret, name) NUMBER_AS(name, ret, vtb_##name) NUMBER_AS(__isoc23_##name, ret, vtb_isoc23_##name)
NUMBER(long, strtol)
NUMBER(long long, strtoll)
NUMBER(unsigned long, strtoul)
NUMBER(unsigned long long, strtoull)
COMPUTES(double, strtod, (const char *text, char **end), (text, end), looks_real(text, pc), INTO(end, sizeof(*end)))
COMPUTES(float, strtof, (const char *text, char **end), (text, end), looks_real(text, pc), INTO(end, sizeof(*end)))

/* ---- results in static memory */

COMPUTES_KEPT(char *, asctime, (const struct tm *when), (when), sizeof("Thu Jan  1 00:00:00 1970\n"), call(when),
              looks(when, sizeof(*when), pc), (void)0)
