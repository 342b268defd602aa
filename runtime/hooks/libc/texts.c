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
#include <stdarg.h>
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
#include "rows.h"

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

ROW(int, regcomp, (regex_t * to, const char *pattern, int flags), (to, pattern, flags), vtb_rt_asks_locale(pc);
    looks_text(pattern, pc); changes(to, sizeof(*to), pc))
ROW_AS(regexec, int, vtb_matches, (const regex_t *it, const char *text, size_t n, regmatch_t *to, int flags),
       (it, text, n, to, flags), looks(it, sizeof(*it), pc);
       looks_at_subject(text, to, flags, pc); changes(to, it->no_sub ? 0 : n * sizeof(*to), pc))
ROW(void, regfree, (regex_t * it), (it), changes(it, sizeof(*it), pc))

/* ---- character sets: where the texts begin, and how much is left, stands in the program's memory, too */

static void converts(char **text, size_t *left, bool written, uint64_t pc)
{
	if (!text || !*text || !left)
		return;
	changes(text, sizeof(*text), pc);
	changes(left, sizeof(*left), pc);
	if (written)
		changes(*text, *left, pc);
	else
		looks(*text, *left, pc);
}

ROW(size_t, iconv, (iconv_t it, char **from, size_t *n, char **to, size_t *room), (it, from, n, to, room),
    changes(it, 8, pc);
    converts(from, n, false, pc); converts(to, room, true, pc))

/* ---- characters of several bytes; without a state of the program's it is libc's */

static void shifts(mbstate_t *state, uint64_t pc)
{
	vtb_rt_asks_locale(pc);
	if (state)
		changes(state, sizeof(*state), pc);
	else
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

static void looks_at_wide(const wchar_t *text, size_t most, uint64_t pc)
{
	const size_t n = wide_end(text, most);

	looks(text, (n < most ? n + 1 : n) * sizeof(*text), pc);
}

#define LONGEST 16u /* of one character */
#define ONE(text, n) looks_narrow(text, (n) < LONGEST ? (n) : LONGEST, pc)
ROW(int, mblen, (const char *text, size_t n), (text, n), ONE(text, n); shifts(NULL, pc))
ROW(int, mbtowc, (wchar_t * to, const char *text, size_t n), (to, text, n), ONE(text, n); shifts(NULL, pc);
    changes(to, sizeof(*to), pc))
ROW(int, wctomb, (char *to, wchar_t c), (to, c), shifts(NULL, pc); changes(to, to ? 1 : 0, pc))
ROW(size_t, mbrlen, (const char *text, size_t n, mbstate_t *state), (text, n, state), ONE(text, n); shifts(state, pc))
ROW(size_t, __mbrlen, (const char *text, size_t n, mbstate_t *state), (text, n, state), ONE(text, n); shifts(state, pc))
ROW(size_t, mbrtowc, (wchar_t * to, const char *text, size_t n, mbstate_t *state), (to, text, n, state), ONE(text, n);
    shifts(state, pc); changes(to, sizeof(*to), pc))
ROW(size_t, wcrtomb, (char *to, wchar_t c, mbstate_t *state), (to, c, state), shifts(state, pc);
    changes(to, to ? 1 : 0, pc))
ROW(int, mbsinit, (const mbstate_t *state), (state), looks(state, state ? sizeof(*state) : 0, pc))
ROW(size_t, mbsrtowcs, (wchar_t * to, const char **from, size_t n, mbstate_t *state), (to, from, n, state),
    shifts(state, pc);
    changes(from, sizeof(*from), pc); looks_text(*from, pc); changes(to, n * sizeof(*to), pc))
ROW(size_t, wcsrtombs, (char *to, const wchar_t **from, size_t n, mbstate_t *state), (to, from, n, state),
    shifts(state, pc);
    changes(from, sizeof(*from), pc); looks_at_wide(*from, SIZE_MAX, pc); changes(to, n, pc))

/* ---- wide texts */

#define READS(text) looks_at_wide(text, SIZE_MAX, pc)
#define ENDS(end) changes(end, sizeof(*(end)), pc)
ROW(wchar_t *, wcsdup, (const wchar_t *text), (text), READS(text))
ROW(wchar_t *, wcspbrk, (const wchar_t *text, const wchar_t *set), (text, set), READS(text); READS(set))
ROW(size_t, wcsspn, (const wchar_t *text, const wchar_t *set), (text, set), READS(text); READS(set))
ROW(size_t, wcscspn, (const wchar_t *text, const wchar_t *set), (text, set), READS(text); READS(set))
ROW(int, wcscasecmp, (const wchar_t *a, const wchar_t *b), (a, b), READS(a); READS(b))
ROW(int, wcscoll, (const wchar_t *a, const wchar_t *b), (a, b), vtb_rt_asks_locale(pc); READS(a); READS(b))
ROW(long, wcstol, (const wchar_t *text, wchar_t **end, int base), (text, end, base), READS(text); ENDS(end))
ROW(unsigned long, wcstoul, (const wchar_t *text, wchar_t **end, int base), (text, end, base), READS(text); ENDS(end))
ROW(long long, wcstoll, (const wchar_t *text, wchar_t **end, int base), (text, end, base), READS(text); ENDS(end))
ROW(double, wcstod, (const wchar_t *text, wchar_t **end), (text, end), vtb_rt_asks_locale(pc); READS(text); ENDS(end))
/* The end of the token is written, where the text goes on behind it. */
static wchar_t *wide_token_end(wchar_t *text, const wchar_t *set)
{
	if (!text)
		return NULL;
	text += wcsspn(text, set);
	text += wcscspn(text, set);
	return *text ? text : NULL;
}
COMPUTES(wchar_t *, wcstok, (wchar_t * text, const wchar_t *set, wchar_t **rest), (text, set, rest), READS(set);
         if (!text) looks(rest, sizeof(*rest), pc);
         if (text || *rest) READS(text ? text : *rest), INTO(wide_token_end(text ? text : *rest, set), sizeof(*text));
         INTO(rest, sizeof(*rest)))
COMPUTES(wchar_t *, wcsncat, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n), looks_at_wide(from, n, pc);
         READS(to), INTO(to + wide_end(to, SIZE_MAX), (wide_end(from, n) + 1) * sizeof(*to)))

/* ---- texts */

ROW(int, bcmp, (const void *a, const void *b, size_t n), (a, b, n), looks(a, n, pc); looks(b, n, pc))
ROW(int, strcoll, (const char *a, const char *b), (a, b), vtb_rt_asks_locale(pc); looks_text(a, pc); looks_text(b, pc))
ROW(int, strverscmp, (const char *a, const char *b), (a, b), looks_text(a, pc); looks_text(b, pc))
ROW(size_t, strxfrm, (char *to, const char *from, size_t n), (to, from, n), vtb_rt_asks_locale(pc);
    looks_text(from, pc); changes(to, n, pc))
ROW(long, a64l, (const char *text), (text), looks_start(text, 6, pc))
ROW(char *, gcvt, (double x, int digits, char *to), (x, digits, to), changes(to, (size_t)digits + 2, pc))
ROW(char *, strptime, (const char *text, const char *format, struct tm *to), (text, format, to), looks_text(text, pc);
    looks_text(format, pc); changes(to, sizeof(*to), pc))
ROW(char *, __xpg_basename, (char *path), (path), if (path) changes(path, vtb_real.strlen(path) + 1, pc))
ROW(char *, dirname, (char *path), (path), if (path) changes(path, vtb_real.strlen(path) + 1, pc))
#define PAIRS (n > 0 ? (size_t)n & ~(size_t)1 : 0)
COMPUTES_VOID(swab, (const void *from, void *to, ssize_t n), (from, to, n), looks(from, PAIRS, pc), INTO(to, PAIRS))

VTB_EXPORT int vasprintf(char **restrict to, const char *restrict format, va_list args);
VTB_EXPORT int vasprintf(char **restrict to, const char *restrict format, va_list args)
{
	const uint64_t pc = VTB_CALLER;
	BEHIND(int, call, (char **, const char *, va_list), vasprintf)

	if (vtb_rt_is_hooked(pc)) {
		vtb_rt_printed(format, args, pc);
		changes(to, sizeof(*to), pc);
	}
	return call(to, format, args);
}

VTB_EXPORT int asprintf(char **restrict to, const char *restrict format, ...);
VTB_EXPORT int asprintf(char **restrict to, const char *restrict format, ...)
{
	const uint64_t pc = VTB_CALLER;
	va_list args;
	int r;
	BEHIND(int, call, (char **, const char *, va_list), vasprintf)

	va_start(args, format);
	if (vtb_rt_is_hooked(pc)) {
		vtb_rt_printed(format, args, pc);
		changes(to, sizeof(*to), pc);
	}
	r = call(to, format, args);
	va_end(args);
	return r;
}

/* ---- what libc keeps of a result, from the first call on */

#define KEEPS(name, params, args, size, told)      \
	VTB_EXPORT char *name params;              \
	VTB_EXPORT char *name params               \
	{                                          \
		const uint64_t pc = VTB_CALLER;    \
		static char *kept;                 \
		BEHIND(char *, call, params, name) \
                                                   \
		if (vtb_rt_is_hooked(pc)) {        \
			told;                      \
			if (!kept)                 \
				kept = call args;  \
			changes(kept, size, pc);   \
		}                                  \
		return call args;                  \
	}
#define DIGITS 17u
#define POINT changes(point, sizeof(*point), pc), changes(sign, sizeof(*sign), pc)
KEEPS(ecvt, (double x, int n, int *point, int *sign), (x, n, point, sign), DIGITS, POINT)
KEEPS(fcvt, (double x, int n, int *point, int *sign), (x, n, point, sign), DIGITS, POINT)

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

static void looks_at_table(const void *at, const size_t *n, size_t size, uint64_t pc)
{
	looks(n, sizeof(*n), pc);
	looks(at, *n * size, pc);
}

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

typedef int (*order_of)(const void *, const void *);
ROW(void *, lfind, (const void *key, const void *at, size_t *n, size_t size, order_of order), (key, at, n, size, order),
    looks_at_table(at, n, size, pc))

/* What is not found is put behind the last, which is counted. */
static void *appends(const void *key, char *to, size_t *n, size_t size, uint64_t pc)
{
	size_t was;

	looks(key, size, pc);
	changes(to, size, pc);
	memcpy(to, key, size);
	looks(n, sizeof(*n), pc);
	was = *n;
	changes(n, sizeof(*n), pc);
	*n = was + 1;
	return to;
}

VTB_EXPORT void *lsearch(const void *key, void *at, size_t *n, size_t size, order_of order);
VTB_EXPORT void *lsearch(const void *key, void *at, size_t *n, size_t size, order_of order)
{
	const uint64_t pc = VTB_CALLER;
	size_t end;
	BEHIND(void *, call, (const void *, void *, size_t *, size_t, order_of), lsearch)

	if (!vtb_rt_is_hooked(pc))
		return call(key, at, n, size, order);
	looks(n, sizeof(*n), pc);
	end = *n;
	for (size_t i = 0; i < end; i++)
		if (order(key, (char *)at + i * size) == 0)
			return (char *)at + i * size;
	looks(n, sizeof(*n), pc);
	return appends(key, (char *)at + *n * size, n, size, pc);
}

/* ---- sets of signals; sigfillset() is the runtime's own, too, and left as it is */

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
/* Of one after the other. */
#define BOTH looks(a, sizeof(*a), pc), looks(b, sizeof(*b), pc), changes(to, sizeof(*to), pc)
ROW(int, sigorset, (sigset_t * to, const sigset_t *a, const sigset_t *b), (to, a, b), BOTH)
ROW(int, sigandset, (sigset_t * to, const sigset_t *a, const sigset_t *b), (to, a, b), BOTH)
ROW(int, sigisemptyset, (const sigset_t *set), (set), looks(set, sizeof(*set), pc))

/* ---- what the kernel says */

ROW(int, uname, (struct utsname * to), (to), changes(to, sizeof(*to), pc))
ROW(int, gethostname, (char *to, size_t n), (to, n), changes(to, n, pc))
ROW(int, getrusage, (int who, struct rusage *to), (who, to), changes(to, sizeof(*to), pc))
ROW(clock_t, times, (struct tms * to), (to), changes(to, sizeof(*to), pc))
ROW(int, sysinfo, (struct sysinfo * to), (to), changes(to, sizeof(*to), pc))
ROW(size_t, confstr, (int name, char *to, size_t n), (name, to, n), changes(to, n, pc))
ROW(ssize_t, readlink, (const char *path, char *to, size_t n), (path, to, n), looks_text(path, pc); changes(to, n, pc))
ROW(ssize_t, readlinkat, (int fd, const char *path, char *to, size_t n), (fd, path, to, n), looks_text(path, pc);
    changes(to, n, pc))
ROW(char *, realpath, (const char *path, char *to), (path, to), looks_text(path, pc); changes(to, PATH_MAX, pc))
#define TEMPLATE changes(template, vtb_real.strlen(template) + 1, pc)
ROW(int, mkstemp, (char *template), (template), TEMPLATE)
ROW(int, mkstemp64, (char *template), (template), TEMPLATE)
ROW(int, mkostemp64, (char *template, int flags), (template, flags), TEMPLATE)
ROW(int, mkostemp, (char *template, int flags), (template, flags), TEMPLATE)
ROW(char *, mkdtemp, (char *template), (template), TEMPLATE)
