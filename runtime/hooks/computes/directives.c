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
