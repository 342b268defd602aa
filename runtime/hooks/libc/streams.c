/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams of C++. What formats and parses is ready-made in libstdc++.so, without hooks, while what sets flags, width
 * and precision is inline in the program, with them. So what each call there reads of the stream's own state, and
 * changes of it, is told here: each makes a sentry first, which the library calls through its linkage table.
 *
 * The library moves the place in a buffer by itself, whoever has made the buffer: that is told. What string buffers do
 * where there is no more room has hooks (../cxx), a class of the program's has its own, and what is printed to
 * std::cout goes on to stdout, where it is an operation (stdio.c).
 *
 * Where members lie is the ABI of libstdc++.so.6.
 */
#include <dlfcn.h>
#include <stdint.h>

#include "hidden.h"
#include "rows.h"

#define FORMAT 8u /* precision, width, flags, exceptions, state: */
#define FORMAT_SIZE 28u
#define WIDTH 16u
#define STATE 32u
#define TIE 216u /* tie, fill, buffer: */
#define TIE_SIZE 24u
#define FILL 224u
#define BUFFER 232u
#define COUNT 8u   /* of a stream that is read: how much came last */
#define GETS 16u   /* of a buffer: what comes next, */
#define PUTS 40u   /* and where */
#define FIRST 0x10 /* function of a class, in its table */

static int synchronised_streams; /* named as the report is to call it */

/* The part that all streams have, which is a virtual base of this one. */
static char *base_of(void *stream)
{
	return (char *)stream + (*(int64_t **)stream)[-3];
}

static uint64_t word_of(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void reads_format(const char *ios, uint64_t pc)
{
	looks(ios + FORMAT, FORMAT_SIZE, pc);
	looks(ios + TIE, TIE_SIZE, pc);
}

/* Does it hand on to a stream of libc's what it gets? */
static bool is_libc(uint64_t class)
{
	static void *narrow, *wide;

	return class == (uint64_t)vtb_real_kept(&narrow, "_ZTVN9__gnu_cxx18stdio_sync_filebufIcSt11char_traitsIcEEE") +
	                    FIRST ||
	       class ==
	           (uint64_t)vtb_real_kept(&wide, "_ZTVN9__gnu_cxx18stdio_sync_filebufIwSt11char_traitsIwEEE") + FIRST;
}

/* The buffer's pointer `at`: `what` is done to it. */
static void buffer(const char *ios, unsigned at, uint64_t pc)
{
	const uint64_t buf = word_of(ios + BUFFER);

	if (buf && !is_libc(word_of((char *)buf)))
		changes((char *)buf + at, 8, pc);
}

static void prints(void *stream, uint64_t pc)
{
	const char *ios;

	if (!vtb_rt_is_hooked(pc))
		return;
	ios = base_of(stream);
	reads_format(ios, pc);
	if (word_of(ios + WIDTH)) /* is 0 again afterwards */
		changes(ios + WIDTH, 8, pc);
	buffer(ios, PUTS, pc);
}

/* Any number of threads may read from std::cin, and how much came last is the last one's. */
static void counts(char *stream, const char *ios, uint64_t pc)
{
	const uint64_t buf = word_of(ios + BUFFER);

	if (!buf || !is_libc(word_of((char *)buf))) {
		changes(stream + COUNT, 8, pc);
		return;
	}
	vtb_rt_atomic_begin(VTB_E_ATOMIC_RMW, stream + COUNT, 3, pc);
	vtb_rt_atomic_end(false);
}

static void parses(void *stream, uint64_t pc)
{
	const char *ios;

	if (!vtb_rt_is_hooked(pc))
		return;
	ios = base_of(stream);
	reads_format(ios, pc);
	if (word_of(ios + WIDTH))
		changes(ios + WIDTH, 8, pc);
	counts(stream, ios, pc);
	buffer(ios, GETS, pc);
}

static void flushes(void *stream, uint64_t pc)
{
	if (!vtb_rt_is_hooked(pc))
		return;
	looks(base_of(stream) + BUFFER, 8, pc);
	buffer(base_of(stream), PUTS, pc);
}

/* Set to what it was, it is as if nobody had. */
static void sets_state(char *ios, int to, uint64_t pc)
{
	int now;

	memcpy(&now, ios + STATE, sizeof(now));
	if (vtb_rt_is_hooked(pc) && now != to)
		changes(ios + STATE, sizeof(now), pc);
}

static void gets_of(const char *ios, unsigned at, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		looks(ios + at, at == STATE ? 4 : 8, pc);
}

static void sets(char *ios, unsigned at, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		changes(ios + at, 8, pc);
}

static void copies_format(char *to, const char *from, uint64_t pc)
{
	if (!vtb_rt_is_hooked(pc))
		return;
	reads_format(from, pc);
	changes(to + FORMAT, FORMAT_SIZE, pc);
	changes(to + TIE, TIE_SIZE, pc);
}

/* What kind an object is, is read from it. The library itself asks of the facets of locales, which do not change. */
static void asks_kind(const void *object, const void *real, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc) && !vtb_rt_same_module(pc, (uint64_t)real))
		looks(object, 8, pc);
}

VTB_EXPORT void *__dynamic_cast(const void *object, const void *from, const void *to, long where);
VTB_EXPORT void *__dynamic_cast(const void *object, const void *from, const void *to, long where)
{
	static void *known;
	void *real = vtb_real_kept(&known, "__dynamic_cast");

	asks_kind(object, real, VTB_CALLER);
	return ((void *(*)(const void *, const void *, const void *, long))real)(object, from, to, where);
}

/* Those of the library get other buffers; before they are made nobody looks. */
static void renews_standard(uint64_t pc)
{
	static const char *const names[] = { "_ZSt4cout",  "_ZSt3cin",  "_ZSt4cerr",  "_ZSt4clog",
		                             "_ZSt5wcout", "_ZSt4wcin", "_ZSt5wcerr", "_ZSt5wclog" };
	void *stream;

	races(&synchronised_streams, pc);
	if (!vtb_rt_is_hooked(pc))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if ((stream = dlsym(RTLD_DEFAULT, names[i])) != NULL && word_of(stream))
			changes(base_of(stream) + BUFFER, sizeof(void *), pc);
}

static void reads_word(const void *at, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		looks(at, sizeof(uint64_t), pc);
}

static void copies_locale(const void *to, const void *from, uint64_t pc)
{
	reads_word(from, pc);
	if (vtb_rt_is_hooked(pc))
		changes(to, sizeof(uint64_t), pc);
}

#define FILE_AT 104u /* in a buffer of a file: open or not */

static void alters_file(const char *buffer, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		changes(buffer + FILE_AT, sizeof(uint64_t), pc);
}

/* clang-format off */
#define HERE VTB_CALLER
#define OUTPUT(symbol) HIDDEN_VOID(symbol, (void *sentry, void *stream), (sentry, stream), prints(stream, HERE))
OUTPUT(_ZNSo6sentryC1ERSo)
OUTPUT(_ZNSo6sentryC2ERSo)
OUTPUT(_ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryC1ERS2_)
OUTPUT(_ZNSt13basic_ostreamIwSt11char_traitsIwEE6sentryC2ERS2_)
#define INPUT(symbol) \
	HIDDEN_VOID(symbol, (void *sentry, void *stream, bool all), (sentry, stream, all), parses(stream, HERE))
INPUT(_ZNSi6sentryC1ERSib)
INPUT(_ZNSi6sentryC2ERSib)
INPUT(_ZNSt13basic_istreamIwSt11char_traitsIwEE6sentryC1ERS2_b)
INPUT(_ZNSt13basic_istreamIwSt11char_traitsIwEE6sentryC2ERS2_b)
#define FLUSH(symbol) HIDDEN(void *, symbol, (void *stream), (stream), flushes(stream, HERE))
FLUSH(_ZNSo5flushEv)
FLUSH(_ZNSt13basic_ostreamIwSt11char_traitsIwEE5flushEv)

/* Inline, unless the compiler was told not to. */
#define OF_CHAR(kind, name) kind##St9basic_iosIcSt11char_traitsIcEE##name
#define OF_WIDE(kind, name) kind##St9basic_iosIwSt11char_traitsIwEE##name
#define GET(ret, symbol, at) HIDDEN(ret, symbol, (void *ios), (ios), gets_of(ios, at, HERE))
#define GETS_OF(ret, name, at) GET(ret, OF_CHAR(_ZNK, name), at) GET(ret, OF_WIDE(_ZNK, name), at)
GETS_OF(bool, 4goodEv, STATE)
GETS_OF(bool, 3eofEv, STATE)
GETS_OF(bool, 3badEv, STATE)
GETS_OF(bool, 4failEv, STATE)
GETS_OF(bool, cvbEv, STATE)
GETS_OF(bool, ntEv, STATE)
GETS_OF(int, 7rdstateEv, STATE)
GETS_OF(wchar_t, 4fillEv, FILL)
GETS_OF(void *, 3tieEv, TIE)
GETS_OF(void *, 5rdbufEv, BUFFER)
#define COUNT_OF(symbol) HIDDEN(long, symbol, (void *stream), (stream), gets_of(stream, COUNT, HERE))
COUNT_OF(_ZNKSi6gcountEv)
COUNT_OF(_ZNKSt13basic_istreamIwSt11char_traitsIwEE6gcountEv)
#define SET(ret, symbol, type, at) HIDDEN(ret, symbol, (void *ios, type to), (ios, to), sets(ios, at, HERE))
SET(wchar_t, OF_CHAR(_ZN, 4fillEc), char, FILL)
SET(wchar_t, OF_WIDE(_ZN, 4fillEw), wchar_t, FILL)
SET(void *, OF_CHAR(_ZN, 3tieEPSo), void *, TIE)
SET(void *, OF_WIDE(_ZN, 3tieEPSt13basic_ostreamIwS1_E), void *, TIE)
SET(void *, OF_CHAR(_ZN, 5rdbufEPSt15basic_streambufIcS1_E), void *, BUFFER)
SET(void *, OF_WIDE(_ZN, 5rdbufEPSt15basic_streambufIwS1_E), void *, BUFFER)
#define STATE_TO(symbol) HIDDEN_VOID(symbol, (void *ios, int to), (ios, to), sets_state(ios, to, HERE))
STATE_TO(OF_CHAR(_ZN, 5clearESt12_Ios_Iostate))
STATE_TO(OF_WIDE(_ZN, 5clearESt12_Ios_Iostate))
HIDDEN(bool, _ZNSt8ios_base15sync_with_stdioEb, (bool on), (on), renews_standard(HERE))
#define FILE_OF(ret, symbol, params, args) HIDDEN(ret, symbol, params, args, alters_file(buffer, HERE))
FILE_OF(void *, _ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode,
        (char *buffer, const char *name, int how), (buffer, name, how))
FILE_OF(void *, _ZNSt13basic_filebufIwSt11char_traitsIwEE4openEPKcSt13_Ios_Openmode,
        (char *buffer, const char *name, int how), (buffer, name, how))
FILE_OF(void *, _ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv, (char *buffer), (buffer))
FILE_OF(void *, _ZNSt13basic_filebufIwSt11char_traitsIwEE5closeEv, (char *buffer), (buffer))
HIDDEN(bool, _ZNKSt12__basic_fileIcE7is_openEv, (const void *file), (file), reads_word(file, HERE))
#define LOCALE_COPY(symbol) \
	HIDDEN(void *, symbol, (void *to, const void *from), (to, from), copies_locale(to, from, HERE))
LOCALE_COPY(_ZNSt6localeC1ERKS_)
LOCALE_COPY(_ZNSt6localeC2ERKS_)
LOCALE_COPY(_ZNSt6localeaSERKS_)
HIDDEN(bool, _ZNKSt6localeeqERKS_, (const void *it, const void *other), (it, other),
       reads_word(it, HERE); reads_word(other, HERE))
#define COPY(symbol) HIDDEN(void *, symbol, (void *to, void *from), (to, from), copies_format(to, from, HERE))
COPY(OF_CHAR(_ZN, 7copyfmtERKS2_))
COPY(OF_WIDE(_ZN, 7copyfmtERKS2_))

/* clang-format on */
