/* SPDX-License-Identifier: BSD-2-Clause */
/* More functions that leave their results where they are told to: wide texts, numbers, addresses, names, lists. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <dirent.h>
#include <dlfcn.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <link.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "computed.h"
#include "hidden.h"
#include "instr_libc.h"

#define LEFT(at) changes(at, sizeof(*(at)), pc)
#define WIDE(n) ((n) * sizeof(wchar_t))

static size_t length_of(const wchar_t *text, size_t most)
{
	size_t n = 0;

	while (n < most && text[n])
		n++;
	return n;
}

static void looks_wide(const wchar_t *text, size_t most, uint64_t pc)
{
	const size_t n = length_of(text, most);

	looks(text, WIDE(n < most ? n + 1 : n), pc);
}

COMPUTES(wchar_t *, wcpcpy, (wchar_t * to, const wchar_t *from), (to, from), looks_wide(from, SIZE_MAX, pc),
         INTO(to, WIDE(length_of(from, SIZE_MAX) + 1)))
COMPUTES(wchar_t *, wcpncpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n), looks_wide(from, n, pc),
         INTO(to, WIDE(n)))
COMPUTES(wchar_t *, wmempcpy, (wchar_t * to, const wchar_t *from, size_t n), (to, from, n), looks(from, WIDE(n), pc),
         INTO(to, WIDE(n)))
#define ENDS INTO(end, sizeof(*end))
COMPUTES(long double, wcstold, (const wchar_t *text, wchar_t **end), (text, end), vtb_rt_asks_locale(pc);
         looks_wide(text, SIZE_MAX, pc), ENDS)
COMPUTES(float, wcstof, (const wchar_t *text, wchar_t **end), (text, end), vtb_rt_asks_locale(pc);
         looks_wide(text, SIZE_MAX, pc), ENDS)
COMPUTES(unsigned long long, wcstoull, (const wchar_t *text, wchar_t **end, int base), (text, end, base),
         looks_wide(text, SIZE_MAX, pc), ENDS)

#define GREATEST(symbol, ret)                                                                                          \
	COMPUTES(ret, symbol, (const char *text, char **end, int base), (text, end, base), looks_text(text, pc), ENDS) \
	COMPUTES_AS(__isoc23_##symbol, ret, isoc23_##symbol, (const char *text, char **end, int base),                 \
	            (text, end, base), looks_text(text, pc), ENDS, (void)0)
GREATEST(strtoimax, intmax_t)
GREATEST(strtoumax, uintmax_t)
#define GREATEST_WIDE(symbol, ret)                                                                           \
	COMPUTES(ret, symbol, (const wchar_t *text, wchar_t **end, int base), (text, end, base),             \
	         looks_wide(text, SIZE_MAX, pc), ENDS)                                                       \
	COMPUTES_AS(__isoc23_##symbol, ret, isoc23_##symbol, (const wchar_t *text, wchar_t **end, int base), \
	            (text, end, base), looks_wide(text, SIZE_MAX, pc), ENDS, (void)0)
GREATEST_WIDE(wcstoimax, intmax_t)
GREATEST_WIDE(wcstoumax, uintmax_t)

/* ---- numbers */

COMPUTES(long double, strtold, (const char *text, char **end), (text, end), vtb_rt_asks_locale(pc);
         looks_text(text, pc), ENDS)
ROW(long double, modfl, (long double x, long double *whole), (x, whole), LEFT(whole))
ROW(long double, frexpl, (long double x, int *power), (x, power), LEFT(power))
ROW(long double, remquol, (long double x, long double y, int *part), (x, y, part), LEFT(part))
ROW(double, lgamma_r, (double x, int *sign), (x, sign), LEFT(sign))
ROW(float, lgammaf_r, (float x, int *sign), (x, sign), LEFT(sign))
ROW(long double, lgammal_r, (long double x, int *sign), (x, sign), LEFT(sign))
#define DIGITS(name)                                                                               \
	COMPUTES_WROTE(int, name, (double x, int n, int *point, int *sign, char *to, size_t size), \
	               (x, n, point, sign, to, size), (void)0, INTO(point, sizeof(*point));        \
	               INTO(sign, sizeof(*sign));                                                  \
	               INTO(to, size), if (!result) WROTE(2, vtb_real.strnlen(to, size) + 1))
DIGITS(ecvt_r)
DIGITS(fcvt_r)
COMPUTES(int, initstate_r, (unsigned seed, char *state, size_t n, struct random_data *it), (seed, state, n, it),
         looks(it, sizeof(*it), pc), INTO_SOME(state, n);
         INTO_SOME(it, sizeof(*it)))
#define KIND_OF_STATE sizeof(int32_t) /* the first word */
COMPUTES(int, setstate_r, (char *state, struct random_data *it), (state, it), SEES(state, KIND_OF_STATE);
         looks(it, sizeof(*it), pc), INTO_SOME(it->state - 1, KIND_OF_STATE); INTO_SOME(it, sizeof(*it)))
COMPUTES(int, seed48_r, (unsigned short seed[3], struct drand48_data *it), (seed, it), SEES(seed, 6);
         looks(it, sizeof(*it), pc), INTO_SOME(it, sizeof(*it)))
COMPUTES(int, lcong48_r, (unsigned short words[7], struct drand48_data *it), (words, it), looks(words, 14, pc),
         INTO_SOME(it, sizeof(*it)))

#define SPEED(name)                                                                                  \
	COMPUTES(int, name, (struct termios * it, speed_t to), (it, to), looks(it, sizeof(*it), pc), \
	         INTO_SOME(it, sizeof(*it)))
SPEED(cfsetispeed)
SPEED(cfsetospeed)
SPEED(cfsetspeed)
COMPUTES_VOID(cfmakeraw, (struct termios * it), (it), looks(it, sizeof(*it), pc), INTO_SOME(it, sizeof(*it)))

/* ---- names, addresses, lists */

ROW(char *, strerror_r, (int error, char *to, size_t n), (error, to, n), changes(to, n, pc))
ROW(int, __xpg_strerror_r, (int error, char *to, size_t n), (error, to, n), changes(to, n, pc))
ROW(int, getdomainname, (char *to, size_t n), (to, n), changes(to, n, pc))
ROW(char *, ctermid, (char *to), (to), changes(to, to ? L_ctermid : 0, pc))
ROW(int, getloadavg, (double to[], int n), (to, n), changes(to, n > 0 ? (size_t)n * sizeof(*to) : 0, pc))
ROW(int, dladdr, (const void *at, Dl_info *to), (at, to), vtb_rt_asks_libraries(pc); LEFT(to))
ROW(int, dladdr1, (const void *at, Dl_info *to, void **more, int what), (at, to, more, what), vtb_rt_asks_libraries(pc);
    LEFT(to); if (what) LEFT(more))
/* An address or a number; of a text the first letters. */
ROW(int, dlinfo, (void *library, int what, void *to), (library, what, to), vtb_rt_asks_libraries(pc);
    changes(to, sizeof(void *), pc))
ROW(int, backtrace, (void **to, int n), (to, n), changes(to, n > 0 ? (size_t)n * sizeof(*to) : 0, pc))
COMPUTES_WROTE(char *, ether_ntoa_r, (const struct ether_addr *from, char *to), (from, to),
               looks(from, sizeof(*from), pc), INTO(to, sizeof("00:00:00:00:00:00")), WROTE(0, vtb_real.strlen(to) + 1))
COMPUTES_WROTE(struct ether_addr *, ether_aton_r, (const char *text, struct ether_addr *to), (text, to),
               looks_text(text, pc), INTO(to, sizeof(*to)), WROTE_IF(result))
#define NEW_NAME changes(template, vtb_real.strlen(template) + 1, pc)
AROUND(char *, mktemp, (char *template), (template), true, NEW_NAME)
AROUND(int, mkstemps, (char *template, int n), (template, n), result >= 0, NEW_NAME)
AROUND(int, mkostemps, (char *template, int n, int flags), (template, n, flags), result >= 0, NEW_NAME)
AROUND(int, mkstemps64, (char *template, int n), (template, n), result >= 0, NEW_NAME)
AROUND(int, mkostemps64, (char *template, int n, int flags), (template, n, flags), result >= 0, NEW_NAME)
AROUND(char *, tmpnam, (char to[L_tmpnam]), (to), true, changes(to, to ? L_tmpnam : 0, pc))
ANSWERS(int, getifaddrs, (struct ifaddrs * *to), (to), (void)0, OUT(to, sizeof(*to)), result == 0, (void)0)
AROUND(char *, if_indextoname, (unsigned n, char to[IF_NAMESIZE]), (n, to), result, changes(to, IF_NAMESIZE, pc))
#define LISTS(name, entry)                                                                 \
	ANSWERS(int, name,                                                                 \
	        (const char *path, struct entry ***to, int (*takes)(const struct entry *), \
	         int (*order)(const struct entry **, const struct entry **)),              \
	        (path, to, takes, order), IN_TEXT(path), OUT(to, sizeof(*to)), result >= 0, (void)0)
LISTS(scandir, dirent)
LISTS(scandir64, dirent64)

/* ---- libraries that go: with them what their functions touch, and who is in one of them falls */

struct library {
	uint64_t base, lo, hi;
};

static int spans(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct library *l = arg;

	(void)size;
	if (info->dlpi_addr != l->base)
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		const uint64_t lo = l->base + h->p_vaddr, hi = lo + h->p_memsz;

		if (h->p_type != PT_LOAD)
			continue;
		l->lo = lo < l->lo ? lo : l->lo;
		l->hi = hi > l->hi ? hi : l->hi;
	}
	return 1;
}

/* Whether somebody else still uses it is the loader's to know; then it stays. */
static void goes(void *handle, uint64_t pc)
{
	struct library l = { .lo = UINT64_MAX };
	struct link_map *map = NULL;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) || !map || !map->l_addr)
		return;
	l.base = map->l_addr;
	if (dl_iterate_phdr(spans, &l) && l.lo < l.hi)
		changes((void *)l.lo, l.hi - l.lo, pc);
}
ROW(int, dlclose, (void *handle), (handle), goes(handle, pc); vtb_rt_alters_libraries(pc))
