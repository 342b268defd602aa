/* SPDX-License-Identifier: BSD-2-Clause */
/* More of libc with arguments in the program's memory and results there, as in results.c: patterns, character sets,
 * multibyte characters, wide texts, directories, lists, what the kernel says of itself. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <dirent.h>
#include <iconv.h>
#include <limits.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "hidden.h"
#include "instr_libc.h"
#include "computed.h"

/* Named as the report is to call it: what a text in several bytes has begun with. */
static int shift_state;

/* ---- patterns */

static void looks_at_subject(const char *text, const regmatch_t *match, int flags, uint64_t pc)
{
	if (flags & REG_STARTEND)
		looks(text + match->rm_so, (size_t)(match->rm_eo - match->rm_so), pc);
	else
		looks_text(text, pc);
}

COMPUTES(int, regcomp, (regex_t * to, const char *pattern, int flags), (to, pattern, flags), vtb_rt_asks_locale(pc);
         looks_text(pattern, pc), INTO(to, sizeof(*to)))
COMPUTES_AS(regexec, int, vtb_matches, (const regex_t *it, const char *text, size_t n, regmatch_t *to, int flags),
            (it, text, n, to, flags), SEES(it, sizeof(*it));
            if (flags & REG_STARTEND) SEES(to, sizeof(*to));
            looks_at_subject(text, to, flags, pc), INTO(to, it->no_sub ? 0 : n * sizeof(*to)), WROTE_IF(result == 0))
ROW(void, regfree, (regex_t * it), (it), changes(it, sizeof(*it), pc))

/* ---- character sets: where the texts begin, and how much is left, stands in the program's memory, too */

static bool is_text(char **text, const size_t *left)
{
	return text && *text && left;
}

/* What lies there, and how much of it: those that are read first are kept. */
#define SEES_PLACE(text, left)                    \
	SEES(text, (text) ? sizeof(*(text)) : 0); \
	SEES(left, (left) ? sizeof(*(left)) : 0)

static void moves_on(struct computed *c, char **text, size_t *left)
{
	if (!is_text(text, left))
		return;
	computed_into(c, text, sizeof(*text), false);
	computed_into(c, left, sizeof(*left), false);
}

COMPUTES_WROTE(size_t, iconv, (iconv_t it, char **from, size_t *n, char **to, size_t *room), (it, from, n, to, room),
               changes(it, 8, pc);
               SEES_PLACE(to, room); SEES_PLACE(from, n);
               if (is_text(from, n)) looks(*from, *n, pc), char *const first = is_text(to, room) ? *to : NULL;
               INTO(first, first ? *room : 0); moves_on(&computed, from, n);
               moves_on(&computed, to, room), if (first) WROTE(0, (size_t)(*to - first)))

/* ---- characters of several bytes; without a state of the program's it is libc's */

static void shifts(uint64_t pc)
{
	vtb_rt_asks_locale(pc);
	races(&shift_state, pc);
}

static void looks_narrow(const char *text, size_t most, uint64_t pc)
{
	if (text)
		looks_start(text, most, pc);
}

static size_t wide_end(const wchar_t *text, size_t most)
{
	size_t n = 0;

	while (n < most && text[n])
		n++;
	return n;
}

static size_t wide_start(const wchar_t *text, size_t most)
{
	const size_t n = wide_end(text, most);

	return (n < most ? n + 1 : n) * sizeof(*text);
}

static void looks_at_wide(const wchar_t *text, size_t most, uint64_t pc)
{
	looks(text, wide_start(text, most), pc);
}

#define LONGEST 16u /* of one character */
#define ONE(text, n) looks_narrow(text, (n) < LONGEST ? (n) : LONGEST, pc)
#define SHIFTS SEES_STATE(state)
#define SEES_STATE(state)                              \
	do {                                           \
		vtb_rt_asks_locale(pc);                \
		if (state)                             \
			SEES(state, sizeof(*(state))); \
		else                                   \
			races(&shift_state, pc);       \
	} while (0)
#define STATE INTO(state, sizeof(*state))
#define CHARACTER ((ssize_t)result > 0 ? (size_t)result : 0)
/* With the end, where there was room for it. */
#define WROTE_UNITS(size)                                                 \
	do {                                                              \
		if (result == SIZE_MAX)                                   \
			vtb_computed_failed(&computed);                   \
		else                                                      \
			WROTE(0, (result < n ? result + 1 : n) * (size)); \
	} while (0)
ROW(int, mblen, (const char *text, size_t n), (text, n), shifts(pc); ONE(text, n))
COMPUTES_WROTE(int, mbtowc, (wchar_t * to, const char *text, size_t n), (to, text, n), shifts(pc);
               ONE(text, n), INTO(to, sizeof(*to)), WROTE_IF(result >= 0))
COMPUTES_WROTE(int, wctomb, (char *to, wchar_t c), (to, c), shifts(pc), INTO(to, LONGEST), WROTE(0, CHARACTER))
COMPUTES(size_t, mbrlen, (const char *text, size_t n, mbstate_t *state), (text, n, state), SHIFTS; ONE(text, n), STATE)
COMPUTES(size_t, __mbrlen, (const char *text, size_t n, mbstate_t *state), (text, n, state), SHIFTS;
         ONE(text, n), STATE)
COMPUTES_WROTE(size_t, mbrtowc, (wchar_t * to, const char *text, size_t n, mbstate_t *state), (to, text, n, state),
               SHIFTS;
               ONE(text, n), INTO(to, sizeof(*to)); STATE, WROTE_IF((ssize_t)result >= 0))
COMPUTES_WROTE(size_t, wcrtomb, (char *to, wchar_t c, mbstate_t *state), (to, c, state), SHIFTS, INTO(to, LONGEST);
               STATE, if (to) WROTE(0, CHARACTER))
ROW(int, mbsinit, (const mbstate_t *state), (state), looks(state, state ? sizeof(*state) : 0, pc))
COMPUTES_WROTE(size_t, mbsrtowcs, (wchar_t * to, const char **from, size_t n, mbstate_t *state), (to, from, n, state),
               SHIFTS;
               SEES(from, sizeof(*from)); if (*from) looks_text(*from, pc), INTO(to, n * sizeof(*to));
               if (to) INTO(from, sizeof(*from)); STATE, if (to) WROTE_UNITS(sizeof(*to)))
COMPUTES_WROTE(size_t, wcsrtombs, (char *to, const wchar_t **from, size_t n, mbstate_t *state), (to, from, n, state),
               SHIFTS;
               SEES(from, sizeof(*from)); if (*from) looks_at_wide(*from, SIZE_MAX, pc), INTO(to, n);
               if (to) INTO(from, sizeof(*from)); STATE, if (to) WROTE_UNITS(1))

COMPUTES_WROTE(size_t, mbsnrtowcs, (wchar_t * to, const char **from, size_t bytes, size_t n, mbstate_t *state),
               (to, from, bytes, n, state), SHIFTS;
               SEES(from, sizeof(*from)); if (*from) looks_narrow(*from, bytes, pc), INTO(to, n * sizeof(*to));
               if (to) INTO(from, sizeof(*from)); STATE, if (to) WROTE_UNITS(sizeof(*to)))
COMPUTES_WROTE(size_t, wcsnrtombs, (char *to, const wchar_t **from, size_t units, size_t n, mbstate_t *state),
               (to, from, units, n, state), SHIFTS;
               SEES(from, sizeof(*from)); if (*from) looks_at_wide(*from, units, pc), INTO(to, n);
               if (to) INTO(from, sizeof(*from)); STATE, if (to) WROTE_UNITS(1))

/* ---- wide texts */

#define READS(text) looks_at_wide(text, SIZE_MAX, pc)
ROW(wchar_t *, wcsdup, (const wchar_t *text), (text), READS(text))
#define SEES_WIDE(text) SEES(text, (wide_end(text, SIZE_MAX) + 1) * sizeof(*(text)))
COMPUTES(wchar_t *, wcspbrk, (const wchar_t *text, const wchar_t *set), (text, set), SEES_WIDE(set);
         READS(text), (void)0)
COMPUTES(size_t, wcsspn, (const wchar_t *text, const wchar_t *set), (text, set), SEES_WIDE(set); READS(text), (void)0)
COMPUTES(size_t, wcscspn, (const wchar_t *text, const wchar_t *set), (text, set), SEES_WIDE(set); READS(text), (void)0)
COMPUTES(int, wcscasecmp, (const wchar_t *a, const wchar_t *b), (a, b), SEES_WIDE(a); READS(b), (void)0)
COMPUTES(int, wcscoll, (const wchar_t *a, const wchar_t *b), (a, b), vtb_rt_asks_locale(pc); SEES_WIDE(a);
         READS(b), (void)0)
#define ENDS INTO(end, sizeof(*end))
COMPUTES(long, wcstol, (const wchar_t *text, wchar_t **end, int base), (text, end, base), READS(text), ENDS)
COMPUTES(unsigned long, wcstoul, (const wchar_t *text, wchar_t **end, int base), (text, end, base), READS(text), ENDS)
COMPUTES(long long, wcstoll, (const wchar_t *text, wchar_t **end, int base), (text, end, base), READS(text), ENDS)
COMPUTES(double, wcstod, (const wchar_t *text, wchar_t **end), (text, end), vtb_rt_asks_locale(pc); READS(text), ENDS)
/* The end of the token is written, where the text goes on behind it. */
static wchar_t *wide_token_end(wchar_t *text, const wchar_t *set)
{
	text += wcsspn(text, set);
	text += wcscspn(text, set);
	return *text ? text : NULL;
}
COMPUTES(
    wchar_t *, wcstok, (wchar_t * text, const wchar_t *set, wchar_t **rest), (text, set, rest), SEES_WIDE(set);
    wchar_t *at = text; if (!at) {
	    SEES(rest, sizeof(*rest));
	    at = *rest;
    } if (at) READS(at),
                        if (at) INTO(wide_token_end(at, set), sizeof(*at));
    INTO(rest, sizeof(*rest)))
COMPUTES(wchar_t *, wcsncat, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n),
         SEES(from, wide_start(from, n));
         READS(to), INTO(to + wide_end(to, SIZE_MAX), (wide_end(from, n) + 1) * sizeof(*to)))

/* ---- texts */

COMPUTES(int, bcmp, (const void *a, const void *b, size_t n), (a, b, n), SEES(a, n); looks(b, n, pc), (void)0)
COMPUTES(int, strcoll, (const char *a, const char *b), (a, b), vtb_rt_asks_locale(pc); SEES_TEXT(a);
         looks_text(b, pc), (void)0)
COMPUTES(int, strverscmp, (const char *a, const char *b), (a, b), SEES_TEXT(a); looks_text(b, pc), (void)0)
COMPUTES_WROTE(size_t, strxfrm, (char *to, const char *from, size_t n), (to, from, n), vtb_rt_asks_locale(pc);
               looks_text(from, pc), INTO(to, n), if (result < n) WROTE(0, result + 1))
ROW(long, a64l, (const char *text), (text), looks_start(text, 6, pc))
ROW(char *, gcvt, (double x, int digits, char *to), (x, digits, to), changes(to, (size_t)digits + 2, pc))
COMPUTES(char *, strptime, (const char *text, const char *format, struct tm *to), (text, format, to), SEES_TEXT(format);
         looks_text(text, pc), INTO_SOME(to, sizeof(*to)))
#define PATH looks(path, path ? vtb_real.strlen(path) + 1 : 0, pc)
#define CUTS INTO_SOME(path, path ? vtb_real.strlen(path) + 1 : 0)
COMPUTES(char *, __xpg_basename, (char *path), (path), PATH, CUTS)
COMPUTES(char *, dirname, (char *path), (path), PATH, CUTS)
#define PAIRS (n > 0 ? (size_t)n & ~(size_t)1 : 0)
COMPUTES_VOID(swab, (const void *from, void *to, ssize_t n), (from, to, n), looks(from, PAIRS, pc), INTO(to, PAIRS))

/* ---- what libc keeps of a result, from the first call on */

#define DIGITS 17u
#define POINT                        \
	INTO(point, sizeof(*point)); \
	INTO(sign, sizeof(*sign))
#define LEARNED call(x, n, &(int){ 0 }, &(int){ 0 })
COMPUTES_KEPT(char *, ecvt, (double x, int n, int *point, int *sign), (x, n, point, sign), DIGITS, LEARNED, (void)0,
              POINT)
COMPUTES_KEPT(char *, fcvt, (double x, int n, int *point, int *sign), (x, n, point, sign), DIGITS, LEARNED, (void)0,
              POINT)

/* 0 is a text of its own. */
VTB_EXPORT char *l64a(long n);
VTB_EXPORT char *l64a(long n)
{
	const uint64_t pc = VTB_CALLER;
	static char *kept;
	BEHIND(char *, call, (long), l64a)

	if (n && vtb_rt_is_hooked(pc)) {
		if (!kept)
			kept = call(n);
		changes(kept, 7, pc);
	}
	return call(n);
}

/* ---- directories: who reads one that another reads gets the next name */

#define PLACE changes(it, 8, pc)
ROW(struct dirent *, readdir, (DIR * it), (it), PLACE)
ROW(struct dirent64 *, readdir64, (DIR * it), (it), PLACE)
ROW(void, rewinddir, (DIR * it), (it), PLACE)
ROW(void, seekdir, (DIR * it, long to), (it, to), PLACE)
ROW(long, telldir, (DIR * it), (it), looks(it, 8, pc))
ROW(int, closedir, (DIR * it), (it), PLACE)

/* ---- lists of <search.h> */

struct element {
	struct element *next, *before;
};

/* As libc does it, and told as it is done: each pointer is read before those that come of it are written. */
static struct element *reads_link(struct element *const *at, uint64_t pc)
{
	looks(at, sizeof(*at), pc);
	return *at;
}

static void sets_link(struct element **at, struct element *to, uint64_t pc)
{
	changes(at, sizeof(*at), pc);
	*at = to;
}

static void joins(struct element *it, struct element *before, uint64_t pc)
{
	struct element *next = before ? reads_link(&before->next, pc) : NULL;

	if (before)
		sets_link(&before->next, it, pc);
	if (next)
		sets_link(&next->before, it, pc);
	sets_link(&it->next, next, pc);
	sets_link(&it->before, before, pc);
}

static void parts(const struct element *it, uint64_t pc)
{
	struct element *next = reads_link(&it->next, pc), *before = reads_link(&it->before, pc);

	if (next)
		sets_link(&next->before, before, pc);
	if (before)
		sets_link(&before->next, next, pc);
}

VTB_EXPORT void insque(void *it, void *before);
VTB_EXPORT void insque(void *it, void *before)
{
	BEHIND(void, call, (void *, void *), insque)

	if (vtb_rt_is_hooked(VTB_CALLER))
		joins(it, before, VTB_CALLER);
	else
		call(it, before);
}

VTB_EXPORT void remque(void *it);
VTB_EXPORT void remque(void *it)
{
	BEHIND(void, call, (void *), remque)

	if (vtb_rt_is_hooked(VTB_CALLER))
		parts(it, VTB_CALLER);
	else
		call(it);
}

/* ---- sets of signals */

#define OWN_SIGNALS (3ul << 31) /* 32 and 33: of the threads' library itself */

/* The runtime uses it, too, where nothing may be looked up: as libc does it. */
VTB_EXPORT int all_signals(sigset_t *set) __asm__("sigfillset");
VTB_EXPORT int all_signals(sigset_t *set)
{
	const unsigned long all = ~OWN_SIGNALS;

	if (!set) {
		errno = EINVAL;
		return -1;
	}
	if (vtb_rt_is_hooked(VTB_CALLER))
		changes(set, sizeof(*set), VTB_CALLER);
	memset(set, 0xff, sizeof(*set));
	memcpy(set, &all, sizeof(all));
	return 0;
}

ROW(int, sigemptyset, (sigset_t * set), (set), changes(set, sizeof(*set), pc))
/* The word that has the signal; others of the set stay as they are. */
static unsigned long *word_of(const sigset_t *set, int signal)
{
	const size_t word = (size_t)(signal - 1) / (8 * sizeof(unsigned long));

	return signal > 0 && signal < _NSIG ? (unsigned long *)(uintptr_t)set + word : NULL;
}
#define WORD word_of(set, signal)
#define LOOKS_AT_WORD looks(WORD, WORD ? sizeof(unsigned long) : 0, pc)
COMPUTES(int, sigaddset, (sigset_t * set, int signal), (set, signal), LOOKS_AT_WORD, INTO(WORD, sizeof(unsigned long)))
COMPUTES(int, sigdelset, (sigset_t * set, int signal), (set, signal), LOOKS_AT_WORD, INTO(WORD, sizeof(unsigned long)))
ROW(int, sigismember, (const sigset_t *set, int signal), (set, signal), LOOKS_AT_WORD)
#define BOTH                 \
	SEES(a, sizeof(*a)); \
	looks(b, sizeof(*b), pc)
COMPUTES(int, sigorset, (sigset_t * to, const sigset_t *a, const sigset_t *b), (to, a, b), BOTH,
         INTO_SOME(to, sizeof(*to)))
COMPUTES(int, sigandset, (sigset_t * to, const sigset_t *a, const sigset_t *b), (to, a, b), BOTH,
         INTO_SOME(to, sizeof(*to)))
ROW(int, sigisemptyset, (const sigset_t *set), (set), looks(set, sizeof(*set), pc))

/* ---- what the kernel says */

ROW(int, uname, (struct utsname * to), (to), changes(to, sizeof(*to), pc))
ROW(int, gethostname, (char *to, size_t n), (to, n), changes(to, n, pc))
ROW(int, getrusage, (int who, struct rusage *to), (who, to), changes(to, sizeof(*to), pc))
ROW(clock_t, times, (struct tms * to), (to), changes(to, sizeof(*to), pc))
ROW(int, sysinfo, (struct sysinfo * to), (to), changes(to, sizeof(*to), pc))
ROW(size_t, confstr, (int name, char *to, size_t n), (name, to, n), changes(to, n, pc))
ANSWERS(ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n), IN_TEXT(path), OUT(to, n),
        result >= 0, WROTE(0, (size_t)result))
ANSWERS(ssize_t, readlinkat, (int fd, const char *path, char *to, size_t n), (fd, path, to, n), IN_TEXT(path),
        OUT(to, n), result >= 0, WROTE(0, (size_t)result))
/* Where it looks the path up others come in between. */
AROUND(char *, realpath, (const char *path, char *to), (path, to), true, looks_text(path, pc);
       changes(to, PATH_MAX, pc))
#define TEMPLATE changes(template, vtb_real.strlen(template) + 1, pc)
ROW(int, mkstemp, (char *template), (template), TEMPLATE)
ROW(int, mkstemp64, (char *template), (template), TEMPLATE)
ROW(int, mkostemp64, (char *template, int flags), (template, flags), TEMPLATE)
ROW(int, mkostemp, (char *template, int flags), (template, flags), TEMPLATE)
ROW(char *, mkdtemp, (char *template), (template), TEMPLATE)
