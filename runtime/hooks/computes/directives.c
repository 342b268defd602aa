/* SPDX-License-Identifier: BSD-2-Clause */
/* What a directive of a scan's format writes. */
#include "directives.h"

#include <string.h>
#include <wchar.h>

#include "base.h"
#include "instr_libc.h"

static const char *behind_set(const char *f)
{
	f += *f == '^';
	f += *f == ']';
	while (*f && *f != ']')
		f++;
	return *f ? f + 1 : f;
}

static const char *read_number(const char *f, size_t *ret)
{
	for (*ret = 0; *f >= '0' && *f <= '9' && *ret < 1000000; f++)
		*ret = *ret * 10 + (size_t)(*f - '0');
	return f;
}

const char *vtb_rt_read_directive(const char *f, struct directive *d)
{
	size_t number;
	const char *behind = read_number(f, &number);

	*d = (struct directive){ .place = *behind == '$' ? (unsigned)number : 0 };
	f = *behind == '$' ? behind + 1 : f;
	d->skips = *f == '*';
	f = read_number(f + d->skips, &d->width);
	for (; *f && strchr("'Imhlqjzt", *f); f++) {
		d->makes_room |= *f == 'm';
		d->shorts += *f == 'h';
		d->longs += !strchr("'Imh", *f);
	}
	d->long_double = *f == 'L';
	f += d->long_double;
	if (!*f)
		return f;
	d->conversion = *f;
	return *f == '[' ? behind_set(f + 1) : f + 1;
}

bool vtb_directive_is_text(const struct directive *d)
{
	return !d->makes_room && strchr("sc[SC", d->conversion);
}

bool vtb_directive_is_wide(const struct directive *d)
{
	return d->longs || d->conversion == 'S' || d->conversion == 'C';
}

/* Characters of one have no end behind them. */
bool vtb_directive_has_end(const struct directive *d)
{
	return d->conversion != 'c' && d->conversion != 'C';
}

/* Of a text without a width the first character: how long it becomes is not known before. */
size_t vtb_directive_text_size(const struct directive *d)
{
	const size_t n = d->width ? d->width + vtb_directive_has_end(d) : 1;

	return vtb_directive_is_wide(d) ? n * sizeof(wchar_t) : n;
}

size_t vtb_directive_size(const struct directive *d)
{
	if (d->makes_room || d->conversion == 'p')
		return sizeof(void *);
	if (vtb_directive_is_text(d))
		return vtb_directive_text_size(d);
	if (strchr("diouxXn", d->conversion))
		return d->longs || d->long_double ? 8 : d->shorts > 1 ? 1 : d->shorts ? 2 : 4;
	if (strchr("aAeEfFgG", d->conversion))
		return d->long_double ? sizeof(long double) : d->longs ? 8 : 4;
	return 0;
}

static void *nth(va_list args, unsigned place)
{
	void *at = NULL;
	va_list ap;

	va_copy(ap, args);
	while (place--)
		at = va_arg(ap, void *);
	va_end(ap);
	return at;
}

bool vtb_rt_next_directive(const char **f, struct directive *d, va_list args, unsigned *given, void **ret, uint64_t pc)
{
	while ((*f = strchr(*f, '%'))) {
		*f = vtb_rt_read_directive(*f + 1, d);
		if (!d->conversion)
			return false;
		if (vtb_rt_is_of_locale(d->conversion, d->longs))
			vtb_rt_asks_locale(pc);
		if (d->conversion == '%' || d->skips)
			continue;
		*ret = nth(args, d->place ? d->place : ++*given);
		return true;
	}
	return false;
}

bool vtb_scan_writes_several(const char *f)
{
	struct directive d;
	unsigned n = 0;

	while (n < 2 && (f = strchr(f, '%'))) {
		f = vtb_rt_read_directive(f + 1, &d);
		n += d.conversion != '%' && !d.skips;
	}
	return n > 1;
}

/* ---- a format that says more */

static char *add(char *to, const char *from, const char *end)
{
	return (char *)memcpy(to, from, (size_t)(end - from)) + (end - from);
}

/* Without h, behind which no m is known, and which means nothing for a text. */
static char *add_room(char *to, const char *from, const char *end)
{
	*to++ = 'm';
	for (; *from == 'h' || *from == '\'' || *from == 'I'; from++)
		if (*from != 'h')
			*to++ = *from;
	return add(to, from, end);
}

/* A directive from its % on. NULL: not all can be scanned so. */
static char *ask_for(struct vtb_scan_asked *a, const struct directive *d, const char *at, const char *end, char *to)
{
	static const char count[] = "%n";
	const bool text = !d->skips && vtb_directive_is_text(d), sized = d->width != 0;
	const bool counted = text && !vtb_directive_has_end(d) && d->width > 1 && !vtb_directive_is_wide(d);
	const char *f = at + 1;

	a->numbered |= d->place != 0;
	a->more += counted ? 2 : 0;
	if (!d->conversion || a->n + a->more >= VTB_SCAN_PLACES || (a->numbered && a->more))
		return NULL;
	while (*f == '$' || (*f >= '0' && *f <= '9'))
		f++;
	if (counted) {
		a->counted |= 1ull << a->n;
		return add(add(add(to, count, count + 2), at, end), count, count + 2);
	}
	if (!text || sized || !vtb_directive_has_end(d))
		return add(to, at, end);
	a->room |= 1ull << a->n;
	return add_room(add(to, at, f), f, end);
}

bool vtb_scan_ask(struct vtb_scan_asked *a, const char *f, char *to)
{
	struct directive d;

	*a = (struct vtb_scan_asked){ 0 };
	while (*f) {
		const char *const at = f;

		if (*f != '%') {
			*to++ = *f++;
			continue;
		}
		f = vtb_rt_read_directive(f + 1, &d);
		to = ask_for(a, &d, at, f, to);
		if (!to)
			return false;
		a->n += d.conversion != '%' && !d.skips;
	}
	*to = 0;
	return true;
}
