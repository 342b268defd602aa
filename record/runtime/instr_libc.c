/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More of libc that works on memory of the program's choosing, besides memcpy, strcpy and their like (instr_string.c): looking in texts, numbers
 * from texts, printing into memory, sorting; and functions that keep a result or a place in static memory of libc's. One row each: what
 * a call reads and writes is told before it is made, as accesses at the place that calls.
 *
 * How much is looked at is not always known: of a number's or a search's text, all of it is taken. What printf's %s and scanf's pointers
 * lead to is not followed.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "instr.h"
#include "real.h"
#include "rt.h"

#undef strtok_r
#undef strncasecmp
#undef strcasecmp

static void looks(const void *addr, size_t size, uint64_t pc)
{
	if (size)
		vtb_rt_range(VTB_E_READ, addr, size, pc);
}

static void changes(const void *addr, size_t size, uint64_t pc)
{
	if (addr && size)
		vtb_rt_range(VTB_E_WRITE, addr, size, pc);
}

static void looks_text(const char *text, uint64_t pc)
{
	looks(text, vtb_real.strlen(text) + 1, pc);
}

static void looks_start(const char *text, size_t most, uint64_t pc)
{
	const size_t n = vtb_real.strnlen(text, most);

	looks(text, n < most ? n + 1 : n, pc);
}

/* The function behind ours, looked up at the first call, which may come before our constructor. */
#define BEHIND(ret, call, params, name) \
	static ret(*behind) params; \
	ret(*call) params = (ret(*) params)__atomic_load_n(&behind, __ATOMIC_RELAXED); \
\
	if (!call) { \
		call = (ret(*) params)vtb_real_symbol(#name); \
		__atomic_store_n(&behind, call, __ATOMIC_RELAXED); \
	}

#define ROW(ret, name, params, args, told) \
	VTB_EXPORT ret name params; \
	VTB_EXPORT ret name params \
	{ \
		const uint64_t pc = VTB_CALLER; \
		BEHIND(ret, call, params, name) \
\
		if (vtb_rt_is_hooked(pc)) { \
			told; \
		} \
		return call args; \
	}

/* ---- looking in memory and texts */

ROW(void *, memchr, (const void *at, int byte, size_t size), (at, byte, size), looks(at, size, pc))
ROW(void *, memrchr, (const void *at, int byte, size_t size), (at, byte, size), looks(at, size, pc))
ROW(void *, memmem, (const void *at, size_t size, const void *what, size_t what_size), (at, size, what, what_size), looks(at, size, pc); looks(what, what_size, pc))
ROW(char *, strrchr, (const char *text, int byte), (text, byte), looks_text(text, pc))
ROW(char *, strchrnul, (const char *text, int byte), (text, byte), looks_text(text, pc))
ROW(char *, strstr, (const char *text, const char *what), (text, what), looks_text(text, pc); looks_text(what, pc))
ROW(char *, strcasestr, (const char *text, const char *what), (text, what), looks_text(text, pc); looks_text(what, pc))
ROW(size_t, strspn, (const char *text, const char *set), (text, set), looks_text(text, pc); looks_text(set, pc))
ROW(size_t, strcspn, (const char *text, const char *set), (text, set), looks_text(text, pc); looks_text(set, pc))
ROW(char *, strpbrk, (const char *text, const char *set), (text, set), looks_text(text, pc); looks_text(set, pc))
ROW(int, strcasecmp, (const char *a, const char *b), (a, b), looks_text(a, pc); looks_text(b, pc))
ROW(int, strncasecmp, (const char *a, const char *b, size_t most), (a, b, most), looks_start(a, most, pc); looks_start(b, most, pc))

/* ---- copies */

ROW(char *, stpncpy, (char *to, const char *from, size_t size), (to, from, size), looks_start(from, size, pc); changes(to, size, pc))
ROW(void *, memccpy, (void *to, const void *from, int byte, size_t size), (to, from, byte, size), looks(from, size, pc); changes(to, size, pc))
ROW(void, bcopy, (const void *from, void *to, size_t size), (from, to, size), looks(from, size, pc); changes(to, size, pc))
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

ROW(int, atoi, (const char *text), (text), looks_text(text, pc))
ROW(long, atol, (const char *text), (text), looks_text(text, pc))
ROW(long long, atoll, (const char *text), (text), looks_text(text, pc))
ROW(double, atof, (const char *text), (text), looks_text(text, pc))
ROW(long, strtol, (const char *text, char **end, int base), (text, end, base), looks_text(text, pc); changes(end, end ? sizeof(*end) : 0, pc))
ROW(long long, strtoll, (const char *text, char **end, int base), (text, end, base), looks_text(text, pc); changes(end, end ? sizeof(*end) : 0, pc))
ROW(unsigned long, strtoul, (const char *text, char **end, int base), (text, end, base), looks_text(text, pc); changes(end, end ? sizeof(*end) : 0, pc))
ROW(unsigned long long, strtoull, (const char *text, char **end, int base), (text, end, base), looks_text(text, pc); changes(end, end ? sizeof(*end) : 0, pc))
ROW(double, strtod, (const char *text, char **end), (text, end), looks_text(text, pc); changes(end, end ? sizeof(*end) : 0, pc))
ROW(float, strtof, (const char *text, char **end), (text, end), looks_text(text, pc); changes(end, end ? sizeof(*end) : 0, pc))

/* ---- sorting: the program's function is called in between */

#define SORT(name, params, args) \
	VTB_EXPORT void name params; \
	VTB_EXPORT void name params \
	{ \
		const uint64_t pc = VTB_CALLER; \
		BEHIND(void, call, params, name) \
\
		if (vtb_rt_is_hooked(pc)) { \
			looks(base, n * size, pc); \
			changes(base, n * size, pc); \
		} \
		call args; \
		if (vtb_rt_is_hooked(pc)) \
			changes(base, n * size, pc); \
	}
SORT(qsort, (void *base, size_t n, size_t size, int (*order)(const void *, const void *)), (base, n, size, order))
SORT(qsort_r, (void *base, size_t n, size_t size, int (*order)(const void *, const void *, void *), void *arg), (base, n, size, order, arg))

/* ---- printing into memory: how long it becomes is found by printing it twice */

static void prints(char *to, size_t room, const char *format, va_list ap, uint64_t pc)
{
	BEHIND(int, call, (char *, size_t, const char *, va_list), vsnprintf)
	va_list copy;
	int n;

	if (!vtb_rt_is_hooked(pc))
		return;
	looks_text(format, pc);
	va_copy(copy, ap);
	n = call(NULL, 0, format, copy);
	va_end(copy);
	if (n >= 0 && room)
		changes(to, (size_t)n < room ? (size_t)n + 1 : room, pc);
}

#define PRINT(name, list_name, params, last, list_params, list_args, room) \
	VTB_EXPORT int list_name list_params; \
	VTB_EXPORT int list_name list_params \
	{ \
		BEHIND(int, call, list_params, list_name) \
\
		prints(to, room, format, ap, VTB_CALLER); \
		return call list_args; \
	} \
	VTB_EXPORT int name params; \
	VTB_EXPORT int name params \
	{ \
		BEHIND(int, call, list_params, list_name) \
		va_list ap; \
		int n; \
\
		va_start(ap, last); \
		prints(to, room, format, ap, VTB_CALLER); \
		va_end(ap); \
		va_start(ap, last); \
		n = call list_args; \
		va_end(ap); \
		return n; \
	}
PRINT(sprintf, vsprintf, (char *to, const char *format, ...), format, (char *to, const char *format, va_list ap), (to, format, ap), SIZE_MAX)
PRINT(snprintf, vsnprintf, (char *to, size_t size, const char *format, ...), format, (char *to, size_t size, const char *format, va_list ap), (to, size, format, ap), size)
PRINT(__sprintf_chk, __vsprintf_chk, (char *to, int flag, size_t room, const char *format, ...), format, (char *to, int flag, size_t room, const char *format, va_list ap), (to, flag, room, format, ap), room)
PRINT(__snprintf_chk, __vsnprintf_chk, (char *to, size_t size, int flag, size_t room, const char *format, ...), format, (char *to, size_t size, int flag, size_t room, const char *format, va_list ap), (to, size, flag, room, format, ap), size)

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
#define KEEPS(ret, name, params, args, size) \
	VTB_EXPORT ret name params; \
	VTB_EXPORT ret name params \
	{ \
		const uint64_t pc = VTB_CALLER; \
		static ret kept; \
		BEHIND(ret, call, params, name) \
\
		if (vtb_rt_is_hooked(pc)) { \
			looks(when, sizeof(*when), pc); \
			if (!kept) \
				kept = call args; \
			changes(kept, size, pc); \
		} \
		return call args; \
	}
KEEPS(struct tm *, gmtime, (const time_t *when), (when), sizeof(struct tm))
KEEPS(struct tm *, localtime, (const time_t *when), (when), sizeof(struct tm))
KEEPS(char *, ctime, (const time_t *when), (when), sizeof("Thu Jan  1 00:00:00 1970\n"))
KEEPS(char *, asctime, (const struct tm *when), (when), sizeof("Thu Jan  1 00:00:00 1970\n"))
