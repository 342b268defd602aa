/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dates. libc reads the time zone's file when it is first asked for a date, under a lock of its own; localtime(),
 * mktime(), strftime() and tzset() also look whether TZ has changed, and if it is not set, whether the file has.
 *
 *     reads environ ── asks what zone it is ──┬─ known ──────────────────────────────► the function
 *                                             └─ not: may read files ── sets the zone ──► the function
 *
 * So that dates of a zone that is known may come in any order.
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "computed.h"
#include "hidden.h"
#include "steps.h"

/* Named as the report is to call it. */
static int time_zone;
static bool zone_is_known;
static uint64_t zone_text; /* fingerprint of TZ, from which it was set */

/* Does the function look whether TZ has changed since? */
enum how { ONCE, ALWAYS };

/* 0: TZ is not set. */
static uint64_t fingerprint(const char *text)
{
	uint64_t h = 1;

	for (; text && *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return text ? h : 0;
}

/* The function itself may look again, and finds nothing new. */
static void look_now(enum how how, struct vtb_rt_thread *t)
{
	static void *set, *date;
	const time_t zero = 0;
	struct tm parts;
	VTB_LIBC_STEP(vtb_libc_within(t));

	if (!t)
		return;
	if (how == ALWAYS)
		((void (*)(void))vtb_real_kept(&set, "tzset"))();
	else
		((struct tm * (*)(const time_t *, struct tm *)) vtb_real_kept(&date, "gmtime_r"))(&zero, &parts);
}

static void reads_environment(uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		vtb_rt_access(VTB_E_READ, &environ, 3, pc);
}

/* libc writes there, under its lock; programs read it. */
static void tell_variables(uint64_t pc)
{
	const struct {
		const void *at;
		unsigned size_log2;
	} variables[] = { { &timezone, 3 }, { &daylight, 2 }, { &tzname[0], 3 }, { &tzname[1], 3 } };

	if (!vtb_rt_is_hooked(pc))
		return;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		vtb_rt_atomic_begin(VTB_E_ATOMIC_STORE, variables[i].at, variables[i].size_log2, pc);
		vtb_rt_atomic_end(false);
	}
}

/* Only what stands behind an operation decides: then another order of operations is what makes it otherwise. */
static struct vtb_rt_thread *begin_date(enum how how, uint64_t pc)
{
	struct vtb_rt_thread *t;
	const int saved = errno;
	uint64_t text;
	bool anew;

	if (how == ALWAYS)
		reads_environment(pc);
	asks(&time_zone, pc);
	text = fingerprint(getenv("TZ"));
	anew = !zone_is_known || (how == ALWAYS && text != zone_text);
	if (!anew && vtb_rt_is_hooked(pc) && (how == ONCE || text))
		return NULL;
	if (anew && how == ONCE)
		reads_environment(pc);
	if (anew)
		tell_variables(pc);
	t = vtb_libc_operation(anew ? &time_zone : NULL, pc);
	if (anew) {
		zone_is_known = true;
		zone_text = fingerprint(getenv("TZ"));
		look_now(how, t);
	}
	errno = saved;
	return t;
}

#define DATE(ret, name, params, args, how, reads, writes, wrote)             \
	VTB_EXPORT ret name params;                                          \
	VTB_EXPORT ret name params                                           \
	{                                                                    \
		const uint64_t pc = VTB_CALLER;                              \
		struct vtb_rt_thread *const t = begin_date(how, pc);         \
		struct computed computed;                                    \
		ret result;                                                  \
		BEHIND(ret, call, params, name)                              \
                                                                             \
		if (!vtb_rt_is_hooked(pc)) {                                 \
			VTB_LIBC_STEP(vtb_libc_within(t));                   \
			return call args;                                    \
		}                                                            \
		computed_start(&computed, pc);                               \
		reads;                                                       \
		COMPUTED_CALL(writes, WITHIN(t, result = call args), wrote); \
		return result;                                               \
	}
#define WITHIN(t, call)                            \
	do {                                       \
		VTB_LIBC_STEP(vtb_libc_within(t)); \
		call;                              \
	} while (0)
#define WHEN looks(when, sizeof(*when), pc)
#define TO INTO(to, sizeof(*to))
#define TEXT sizeof("Thu Jan  1 00:00:00 1970\n")
DATE(struct tm *, gmtime_r, (const time_t *when, struct tm *to), (when, to), ONCE, WHEN, TO, WROTE_IF(result))
DATE(struct tm *, localtime_r, (const time_t *when, struct tm *to), (when, to), ONCE, WHEN, TO, WROTE_IF(result))
DATE(char *, ctime_r, (const time_t *when, char *to), (when, to), ONCE, WHEN, INTO(to, TEXT), WROTE_IF(result))
#define BACK INTO(when, sizeof(*when))
DATE(time_t, timegm, (struct tm * when), (when), ONCE, WHEN, BACK, WROTE_IF(result != -1))
DATE(time_t, mktime, (struct tm * when), (when), ALWAYS, WHEN, BACK, WROTE_IF(result != -1))
DATE(time_t, timelocal, (struct tm * when), (when), ALWAYS, WHEN, BACK, WROTE_IF(result != -1))
#define WROTE_TEXT                                                \
	WROTE(0, result ? (result + 1) * sizeof(*to) : SIZE_MAX); \
	WROTE_IF(result)
DATE(size_t, strftime, (char *to, size_t size, const char *format, const struct tm *when), (to, size, format, when),
     ALWAYS, SEES_TEXT(format);
     WHEN, INTO(to, size), WROTE_TEXT)
DATE(size_t, strftime_l, (char *to, size_t size, const char *format, const struct tm *when, locale_t locale),
     (to, size, format, when, locale), ALWAYS, SEES_TEXT(format);
     WHEN, INTO(to, size), WROTE_TEXT)
DATE(size_t, wcsftime, (wchar_t * to, size_t size, const wchar_t *format, const struct tm *when),
     (to, size, format, when), ALWAYS, SEES(format, (wcslen(format) + 1) * sizeof(*format));
     WHEN, INTO(to, size * sizeof(*to)), WROTE_TEXT)

/* Where libc keeps a result is known from the first; that call is made before it is told. */
#define KEPT(size)                            \
	static void *kept;                    \
	if (!kept)                            \
		WITHIN(t, kept = call(when)); \
	INTO(kept, size)
DATE(struct tm *, gmtime, (const time_t *when), (when), ONCE, WHEN, KEPT(sizeof(struct tm)), (void)0)
DATE(struct tm *, localtime, (const time_t *when), (when), ALWAYS, WHEN, KEPT(sizeof(struct tm)), (void)0)
DATE(char *, ctime, (const time_t *when), (when), ALWAYS, WHEN, KEPT(TEXT), (void)0)

VTB_EXPORT void tzset(void)
{
	static void *real;

	VTB_LIBC_STEP(vtb_libc_within(begin_date(ALWAYS, VTB_CALLER)));
	((void (*)(void))vtb_real_kept(&real, "tzset"))();
}
