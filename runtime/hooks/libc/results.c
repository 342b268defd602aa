/* SPDX-License-Identifier: BSD-2-Clause */
/* More of libc with arguments in the program's memory and results there: dates, random numbers, wide characters,
 * addresses, tokens. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <arpa/inet.h>
#include <stdlib.h>
#include <time.h>
#include <wchar.h>

#include "computed.h"
#include "instr_libc.h"

/* ---- what calls hand over, and handles of threads */

void vtb_rt_hand_over(void *to, const void *what, size_t size, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		changes(to, size, pc);
	memcpy(to, what, size);
}

/* Written when the thread is made, which others may come before: told before and after, and without the value, which is
 * another in each process. Nobody else looks at one on the stack. */
void vtb_rt_gets_handle(const pthread_t *handle, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc) && !vtb_rt_own_stack(vtb_self, (uint64_t)handle))
		changes(handle, sizeof(*handle), pc);
}

/* ---- dates; those of the time zone are in zone.c */

#define DATE sizeof("Thu Jan  1 00:00:00 1970\n")
COMPUTES_WROTE(char *, asctime_r, (const struct tm *when, char *to), (when, to), looks(when, sizeof(*when), pc),
               INTO(to, DATE), WROTE_IF(result))

/* ---- random numbers whose state is the program's own */

#define LOOKS(it) looks(it, sizeof(*(it)), pc)
#define LEAVES(it) INTO(it, sizeof(*(it)))
COMPUTES(int, rand_r, (unsigned *seed), (seed), LOOKS(seed), LEAVES(seed))
COMPUTES(int, drand48_r, (struct drand48_data * it, double *to), (it, to), LOOKS(it), LEAVES(it); LEAVES(to))
COMPUTES(int, lrand48_r, (struct drand48_data * it, long *to), (it, to), LOOKS(it), LEAVES(it); LEAVES(to))
COMPUTES(int, mrand48_r, (struct drand48_data * it, long *to), (it, to), LOOKS(it), LEAVES(it); LEAVES(to))
ROW(int, srand48_r, (long seed, struct drand48_data *it), (seed, it), changes(it, sizeof(*it), pc))
/* The next number is made in a table, whose word is written with the place in it. */
COMPUTES(int, random_r, (struct random_data * it, int32_t *to), (it, to), SEES(it, sizeof(*it));
         if (it->rand_type) SEES(it->rptr, sizeof(*it->rptr));
         LOOKS(it->rand_type ? it->fptr : it->state), INTO_SOME(it, sizeof(*it));
         LEAVES(it->rand_type ? it->fptr : it->state); LEAVES(to))
ROW(int, srandom_r, (unsigned seed, struct random_data *it), (seed, it), changes(it, sizeof(*it), pc))

/* ---- wide characters */

static size_t wide_length(const wchar_t *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n + 1;
}

static size_t wide_size(const wchar_t *text, size_t most)
{
	size_t n = 0;

	while (n < most && text[n])
		n++;
	return (n < most ? n + 1 : n) * sizeof(*text);
}

static void looks_wide(const wchar_t *text, size_t most, uint64_t pc)
{
	looks(text, wide_size(text, most), pc);
}

#define SEES_WIDE(text, most) SEES(text, wide_size(text, most))

#define WIDE(n) ((n) * sizeof(wchar_t))
ROW(size_t, wcslen, (const wchar_t *text), (text), looks_wide(text, SIZE_MAX, pc))
ROW(size_t, wcsnlen, (const wchar_t *text, size_t most), (text, most), looks_wide(text, most, pc))
COMPUTES(int, wcscmp, (const wchar_t *a, const wchar_t *b), (a, b), SEES_WIDE(a, SIZE_MAX);
         looks_wide(b, SIZE_MAX, pc), (void)0)
COMPUTES(int, wcsncmp, (const wchar_t *a, const wchar_t *b, size_t most), (a, b, most), SEES_WIDE(a, most);
         looks_wide(b, most, pc), (void)0)
ROW(wchar_t *, wcschr, (const wchar_t *text, wchar_t c), (text, c), looks_wide(text, SIZE_MAX, pc))
ROW(wchar_t *, wcsrchr, (const wchar_t *text, wchar_t c), (text, c), looks_wide(text, SIZE_MAX, pc))
COMPUTES(wchar_t *, wcsstr, (const wchar_t *text, const wchar_t *what), (text, what), SEES_WIDE(what, SIZE_MAX);
         looks_wide(text, SIZE_MAX, pc), (void)0)
COMPUTES(wchar_t *, wcscpy, (wchar_t * to, const wchar_t *from), (to, from), looks_wide(from, SIZE_MAX, pc),
         INTO(to, WIDE(wide_length(from))))
COMPUTES(wchar_t *, wcsncpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n), looks_wide(from, n, pc),
         INTO(to, WIDE(n)))
COMPUTES(wchar_t *, wcscat, (wchar_t * to, const wchar_t *from), (to, from), SEES_WIDE(from, SIZE_MAX);
         looks_wide(to, SIZE_MAX, pc), INTO(to + wide_length(to) - 1, WIDE(wide_length(from))))
COMPUTES(wchar_t *, wmemcpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n), looks(from, WIDE(n), pc),
         INTO(to, WIDE(n)))
COMPUTES(wchar_t *, wmemmove, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n), looks(from, WIDE(n), pc),
         INTO(to, WIDE(n)))
ROW(wchar_t *, wmemset, (wchar_t * to, wchar_t c, size_t n), (to, c, n), changes(to, WIDE(n), pc))
COMPUTES(int, wmemcmp, (const wchar_t *a, const wchar_t *b, size_t n), (a, b, n), SEES(a, WIDE(n));
         looks(b, WIDE(n), pc), (void)0)
ROW(wchar_t *, wmemchr, (const wchar_t *at, wchar_t c, size_t n), (at, c, n), looks(at, WIDE(n), pc))
/* With the end, where there was room for it. */
#define UNITS (result == SIZE_MAX || result >= n ? n : result + 1)
COMPUTES_WROTE(size_t, mbstowcs, (wchar_t * to, const char *from, size_t n), (to, from, n), vtb_rt_asks_locale(pc);
               looks_text(from, pc), INTO(to, WIDE(n)), WROTE(0, WIDE(UNITS)); WROTE_IF(result != SIZE_MAX))
COMPUTES_WROTE(size_t, wcstombs, (char *to, const wchar_t *from, size_t n), (to, from, n), vtb_rt_asks_locale(pc);
               looks_wide(from, SIZE_MAX, pc), INTO(to, n), WROTE(0, UNITS); WROTE_IF(result != SIZE_MAX))

/* ---- addresses */

static size_t address_size(int family)
{
	return family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
}
ROW(in_addr_t, inet_addr, (const char *text), (text), looks_text(text, pc))
COMPUTES_WROTE(int, inet_aton, (const char *text, struct in_addr *to), (text, to), looks_text(text, pc), LEAVES(to),
               WROTE_IF(result))
COMPUTES_WROTE(int, inet_pton, (int family, const char *text, void *to), (family, text, to), looks_text(text, pc),
               INTO(to, address_size(family)), WROTE_IF(result == 1))
COMPUTES_WROTE(const char *, inet_ntop, (int family, const void *from, char *to, socklen_t size),
               (family, from, to, size), looks(from, address_size(family), pc), INTO(to, size),
               WROTE(0, result ? vtb_real.strlen(result) + 1 : size);
               WROTE_IF(result))

/* ---- tokens */

/* Where it ends is its end written; not where the text ends. */
static char *token_end(char *text, const char *set)
{
	char *end = text;

	while (*end && !vtb_real.strchr(set, *end))
		end++;
	return *end ? end : NULL;
}

COMPUTES(
    char *, strsep, (char **text, const char *set), (text, set), SEES_TEXT(set); SEES(text, sizeof(*text));
    char *const at = *text; if (at) looks_text(at, pc), if (at) {
	    INTO(token_end(at, set), 1);
	    LEAVES(text);
    })
