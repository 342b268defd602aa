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

#include "instr_libc.h"
#include "rows.h"

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
COMPUTES(char *, asctime_r, (const struct tm *when, char *to), (when, to), looks(when, sizeof(*when), pc),
         INTO(to, DATE))

/* ---- random numbers whose state is the program's own */

#define LOOKS(it) looks(it, sizeof(*(it)), pc)
#define LEAVES(it) INTO(it, sizeof(*(it)))
COMPUTES(int, rand_r, (unsigned *seed), (seed), LOOKS(seed), LEAVES(seed))
COMPUTES(int, drand48_r, (struct drand48_data * it, double *to), (it, to), LOOKS(it), LEAVES(it); LEAVES(to))
COMPUTES(int, lrand48_r, (struct drand48_data * it, long *to), (it, to), LOOKS(it), LEAVES(it); LEAVES(to))
COMPUTES(int, mrand48_r, (struct drand48_data * it, long *to), (it, to), LOOKS(it), LEAVES(it); LEAVES(to))
ROW(int, srand48_r, (long seed, struct drand48_data *it), (seed, it), changes(it, sizeof(*it), pc))
/* The next number is made in a table, whose word is written with the place in it. */
COMPUTES(int, random_r, (struct random_data * it, int32_t *to), (it, to), LOOKS(it), LEAVES(it);
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

static void looks_wide(const wchar_t *text, size_t most, uint64_t pc)
{
	size_t n = 0;

	while (n < most && text[n])
		n++;
	looks(text, (n < most ? n + 1 : n) * sizeof(*text), pc);
}

#define WIDE(n) ((n) * sizeof(wchar_t))
ROW(size_t, wcslen, (const wchar_t *text), (text), looks_wide(text, SIZE_MAX, pc))
ROW(size_t, wcsnlen, (const wchar_t *text, size_t most), (text, most), looks_wide(text, most, pc))
ROW(int, wcscmp, (const wchar_t *a, const wchar_t *b), (a, b), looks_wide(a, SIZE_MAX, pc); looks_wide(b, SIZE_MAX, pc))
ROW(int, wcsncmp, (const wchar_t *a, const wchar_t *b, size_t most), (a, b, most), looks_wide(a, most, pc);
    looks_wide(b, most, pc))
ROW(wchar_t *, wcschr, (const wchar_t *text, wchar_t c), (text, c), looks_wide(text, SIZE_MAX, pc))
ROW(wchar_t *, wcsrchr, (const wchar_t *text, wchar_t c), (text, c), looks_wide(text, SIZE_MAX, pc))
ROW(wchar_t *, wcsstr, (const wchar_t *text, const wchar_t *what), (text, what), looks_wide(text, SIZE_MAX, pc);
    looks_wide(what, SIZE_MAX, pc))
COMPUTES(wchar_t *, wcscpy, (wchar_t * to, const wchar_t *from), (to, from), looks_wide(from, SIZE_MAX, pc),
         INTO(to, WIDE(wide_length(from))))
COMPUTES(wchar_t *, wcsncpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n), looks_wide(from, n, pc),
         INTO(to, WIDE(n)))
COMPUTES(wchar_t *, wcscat, (wchar_t * to, const wchar_t *from), (to, from), looks_wide(from, SIZE_MAX, pc);
         looks_wide(to, SIZE_MAX, pc), INTO(to + wide_length(to) - 1, WIDE(wide_length(from))))
COMPUTES(wchar_t *, wmemcpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n), looks(from, WIDE(n), pc),
         INTO(to, WIDE(n)))
COMPUTES(wchar_t *, wmemmove, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n), looks(from, WIDE(n), pc),
         INTO(to, WIDE(n)))
ROW(wchar_t *, wmemset, (wchar_t * to, wchar_t c, size_t n), (to, c, n), changes(to, WIDE(n), pc))
ROW(int, wmemcmp, (const wchar_t *a, const wchar_t *b, size_t n), (a, b, n), looks(a, WIDE(n), pc);
    looks(b, WIDE(n), pc))
ROW(wchar_t *, wmemchr, (const wchar_t *at, wchar_t c, size_t n), (at, c, n), looks(at, WIDE(n), pc))
ROW(size_t, mbstowcs, (wchar_t * to, const char *from, size_t n), (to, from, n), vtb_rt_asks_locale(pc);
    looks_text(from, pc); changes(to, WIDE(n), pc))
ROW(size_t, wcstombs, (char *to, const wchar_t *from, size_t n), (to, from, n), vtb_rt_asks_locale(pc);
    looks_wide(from, SIZE_MAX, pc); changes(to, n, pc))

/* ---- addresses */

static size_t address_size(int family)
{
	return family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
}
ROW(in_addr_t, inet_addr, (const char *text), (text), looks_text(text, pc))
COMPUTES(int, inet_aton, (const char *text, struct in_addr *to), (text, to), looks_text(text, pc), LEAVES(to))
COMPUTES(int, inet_pton, (int family, const char *text, void *to), (family, text, to), looks_text(text, pc),
         INTO(to, address_size(family)))
COMPUTES(const char *, inet_ntop, (int family, const void *from, char *to, socklen_t size), (family, from, to, size),
         looks(from, address_size(family), pc), INTO(to, size))

/* ---- tokens */

/* Where it ends is its end written; not where the text ends. */
static char *token_end(char *text, const char *set)
{
	char *end = text;

	while (end && *end && !vtb_real.strchr(set, *end))
		end++;
	return end && *end ? end : NULL;
}

COMPUTES(char *, strsep, (char **text, const char *set), (text, set), LOOKS(text); looks_text(set, pc);
         if (*text) looks_text(*text, pc), INTO(token_end(*text, set), 1); LEAVES(text))
