/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Printing into memory, and what any print reads: texts among its arguments. They are read one after the other, and
 * printed as they were then.
 */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "computed.h"
#include "instr_libc.h"
#include "kernel.h"
#include "own_names.h"

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

/* What is done with the arguments of a print: its texts are read, and kept if there is room; or, before, how much room
 * that takes is added up in `left`. */
struct print {
	uint64_t pc;
	struct computed *computed; /* NULL: nothing is kept */
	char *room;
	size_t left;
	bool measures;
};

static size_t shown_size(const char *text, int precision)
{
	return precision < 0 ? vtb_real.strlen(text) + 1 : computed_start_size(text, (size_t)precision);
}

static size_t shown_size_wide(const wchar_t *text, int precision)
{
	size_t n = 0;

	while ((precision < 0 || n < (size_t)precision) && text[n])
		n++;
	return (n + (precision < 0)) * sizeof(*text);
}

static void keep(struct print *p, const void *text, size_t size)
{
	if (!p->computed || size > p->left)
		return;
	computed_keep(p->computed, text, size, p->room);
	p->room += size;
	p->left -= size;
}

static void show(struct print *p, const char *text, int precision)
{
	if (text && p->measures) {
		p->left += shown_size(text, precision);
	} else if (text) {
		looks(text, shown_size(text, precision), p->pc);
		keep(p, text, shown_size(text, precision));
	}
}

static void show_wide(struct print *p, const wchar_t *text, int precision)
{
	if (text && p->measures) {
		p->left += shown_size_wide(text, precision);
	} else if (text) {
		looks(text, shown_size_wide(text, precision), p->pc);
		keep(p, text, shown_size_wide(text, precision));
	}
}

/* How much has been printed so far. */
static void counts(struct print *p, void *to, size_t size)
{
	if (p->measures)
		return;
	if (p->computed)
		computed_into(p->computed, to, size, false);
	else
		changes(to, size, p->pc);
}

/* The decimal point, how thousands are grouped, how wide characters are written. */
bool vtb_rt_is_of_locale(char conversion, bool is_long)
{
	return conversion &&
	       (vtb_real.strchr("eEfFgGaACS", conversion) || (is_long && vtb_real.strchr("sc[", conversion)));
}

/* Take one argument. False: what it is is not known, nor where the next one lies. */
static bool take_argument(struct print *p, char conversion, bool is_long, bool long_double, int precision, va_list *ap)
{
	if (conversion == '%' || conversion == 'm')
		return true;
	if (vtb_rt_is_of_locale(conversion, is_long) && !p->measures)
		vtb_rt_asks_locale(p->pc);
	if (conversion == 's' && is_long)
		show_wide(p, va_arg(*ap, const wchar_t *), precision);
	else if (conversion == 's')
		show(p, va_arg(*ap, const char *), precision);
	else if (conversion == 'n')
		counts(p, va_arg(*ap, void *), is_long ? 8 : 4);
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

static void take_arguments(struct print *p, const char *format, va_list args)
{
	bool known = true, is_long, long_double;
	va_list ap;

	va_copy(ap, args);
	for (const char *f = vtb_real.strchr(format, '%'); f && known; f = vtb_real.strchr(f, '%')) {
		int precision = -1, width;

		for (f++; *f && vtb_real.strchr("-+ #0'I", *f);)
			f++;
		f = take_number(f, &ap, &width);
		if (*f == '.')
			f = take_number(f + 1, &ap, &precision);
		f = skip_length(f, &is_long, &long_double);
		known = take_argument(p, *f, is_long, long_double, precision, &ap);
		f += known;
	}
	va_end(ap);
}

void vtb_rt_printed(const char *format, va_list args, uint64_t pc)
{
	struct print p = { .pc = pc };

	if (vtb_rt_is_hooked(pc))
		take_arguments(&p, format, args);
}

/* ---- printing into memory */

/* On the stack, for the texts that are printed. */
static size_t room_for_texts(const struct computed *c, const char *format, va_list args)
{
	struct print p = { .measures = true };

	if (!c->keeps)
		return 0;
	take_arguments(&p, format, args);
	return vtb_rt_fits_on_stack(p.left);
}

static void read_texts(struct computed *c, const char *format, va_list args, char *room, size_t bytes)
{
	struct print p = { .pc = c->pc, .computed = c, .room = room, .left = bytes };

	take_arguments(&p, format, args);
}

/* How long the text becomes is found by printing it twice; what %n leaves is put back the first time. */
static int measure(const struct computed *c, const char *format, va_list args)
{
	BEHIND(int, call, (char *, size_t, const char *, va_list), vsnprintf)
	uint64_t was[COMPUTED_PLACES] = { 0 };
	va_list copy;
	int n;

	for (unsigned i = 0; i < c->n; i++)
		memcpy(&was[i], c->place[i].at, c->place[i].size);
	va_copy(copy, args);
	n = call(NULL, 0, format, copy);
	va_end(copy);
	for (unsigned i = 0; i < c->n; i++)
		memcpy(c->place[i].at, &was[i], c->place[i].size);
	return n;
}

static void into_text(struct computed *c, char *to, size_t room, int n)
{
	if (n >= 0)
		computed_into(c, to, (size_t)n < room ? (size_t)n + 1 : room, false);
}

#define READS_TEXTS(narrow_format, ap)                                                         \
	do {                                                                                   \
		const size_t texts = room_for_texts(&computed, narrow_format, ap);             \
                                                                                               \
		read_texts(&computed, narrow_format, ap, texts ? alloca(texts) : NULL, texts); \
	} while (0)
#define PRINTS(ap, room, list_args)                                                                               \
	do {                                                                                                      \
		computed_start(&computed, pc);                                                                    \
		SEES_TEXT(format);                                                                                \
		READS_TEXTS(format, ap);                                                                          \
		COMPUTED_CALL(into_text(&computed, to, room, measure(&computed, format, ap)), n = call list_args, \
		              (void)0);                                                                           \
	} while (0)

/* ---- wide texts: how long one becomes is known when it is printed */

static size_t length_of(const wchar_t *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

/* A format says the same in narrow letters; what is none is no directive. */
static const char *narrow(const wchar_t *format, size_t n, char *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = format[i] >= 0 && format[i] < 128 ? (char)format[i] : '?';
	to[n] = 0;
	return to;
}

/* As many letters as there is room for, in four bytes each; texts that are printed have no more. */
#define WIDE(n) ((n) <= SIZE_MAX / sizeof(wchar_t) ? (n) * sizeof(wchar_t) : SIZE_MAX)
#define PRINTS_WIDE(ap, room, list_args)                                                                   \
	do {                                                                                               \
		size_t letters;                                                                            \
		const char *format_letters;                                                                \
                                                                                                           \
		computed_start(&computed, pc);                                                             \
		SEES(format, WIDE(length_of(format) + 1));                                                 \
		letters = vtb_rt_fits_on_stack(length_of(format) + 1);                                     \
		format_letters = letters ? narrow(format, letters - 1, alloca(letters)) : "";              \
		READS_TEXTS(format_letters, ap);                                                           \
		COMPUTED_CALL(computed_into(&computed, to, WIDE(room), false), n = call list_args,         \
		              if (n >= 0) computed_wrote(&computed, computed.n - 1, WIDE((size_t)n + 1))); \
	} while (0)

/* ---- texts that are made anew, of blocks that the program gives back */

static int print_anew(char **to, const char *format, va_list ap, uint64_t pc)
{
	BEHIND(int, call, (char *, size_t, const char *, va_list), vsnprintf)
	const int n = measure(&(struct computed){ .n = 0 }, format, ap);
	const int32_t step = vtb_self->kernel.step;
	char *made = NULL;

	if (n < 0)
		return n;
	vtb_self->kernel.step = 0; /* the block is not one of libc's own */
	made = vtb_rt_malloc((size_t)n + 1, pc);
	vtb_self->kernel.step = step;
	if (!made)
		return -1;
	*to = made;
	return call(made, (size_t)n + 1, format, ap);
}

#define PRINTS_ANEW(ap, room, list_args)                                                                     \
	do {                                                                                                 \
		computed_start(&computed, pc);                                                               \
		SEES_TEXT(format);                                                                           \
		READS_TEXTS(format, ap);                                                                     \
		COMPUTED_CALL(computed_into(&computed, to, room, false), n = print_anew(to, format, ap, pc), \
		              WROTE_IF(n >= 0));                                                             \
	} while (0)

/* ---- the functions: theirs is the one that takes a list */

#define PRINT(how, name, list_name, params, last, list_params, list_args, room) \
	VTB_EXPORT int list_name list_params;                                   \
	VTB_EXPORT int list_name list_params                                    \
	{                                                                       \
		const uint64_t pc = VTB_CALLER;                                 \
		struct computed computed;                                       \
		int n;                                                          \
		BEHIND(int, call, list_params, list_name)                       \
                                                                                \
		if (!vtb_rt_is_hooked(pc))                                      \
			return call list_args;                                  \
		how(ap, room, list_args);                                       \
		return n;                                                       \
	}                                                                       \
	VTB_EXPORT int name params;                                             \
	VTB_EXPORT int name params                                              \
	{                                                                       \
		const uint64_t pc = VTB_CALLER;                                 \
		struct computed computed;                                       \
		va_list ap;                                                     \
		int n;                                                          \
		BEHIND(int, call, list_params, list_name)                       \
                                                                                \
		va_start(ap, last);                                             \
		if (vtb_rt_is_hooked(pc))                                       \
			how(ap, room, list_args);                               \
		else                                                            \
			n = call list_args;                                     \
		va_end(ap);                                                     \
		return n;                                                       \
	}
PRINT(PRINTS, sprintf, vsprintf, (char *to, const char *format, ...), format,
      (char *to, const char *format, va_list ap), (to, format, ap), SIZE_MAX)
PRINT(PRINTS, snprintf, vsnprintf, (char *to, size_t size, const char *format, ...), format,
      (char *to, size_t size, const char *format, va_list ap), (to, size, format, ap), size)
PRINT(PRINTS, __sprintf_chk, __vsprintf_chk, (char *to, int flag, size_t room, const char *format, ...), format,
      (char *to, int flag, size_t room, const char *format, va_list ap), (to, flag, room, format, ap), room)
PRINT(PRINTS, __snprintf_chk, __vsnprintf_chk, (char *to, size_t size, int flag, size_t room, const char *format, ...),
      format, (char *to, size_t size, int flag, size_t room, const char *format, va_list ap),
      (to, size, flag, room, format, ap), size)
PRINT(PRINTS_WIDE, swprintf, vswprintf, (wchar_t * to, size_t size, const wchar_t *format, ...), format,
      (wchar_t * to, size_t size, const wchar_t *format, va_list ap), (to, size, format, ap), size)
PRINT(PRINTS_WIDE, __swprintf_chk, __vswprintf_chk,
      (wchar_t * to, size_t size, int flag, size_t room, const wchar_t *format, ...), format,
      (wchar_t * to, size_t size, int flag, size_t room, const wchar_t *format, va_list ap),
      (to, size, flag, room, format, ap), size)
PRINT(PRINTS_ANEW, asprintf, vasprintf, (char **to, const char *format, ...), format,
      (char **to, const char *format, va_list ap), (to, format, ap), sizeof(*to))
PRINT(PRINTS_ANEW, __asprintf_chk, __vasprintf_chk, (char **to, int flag, const char *format, ...), format,
      (char **to, int flag, const char *format, va_list ap), (to, flag, format, ap), sizeof(*to))
