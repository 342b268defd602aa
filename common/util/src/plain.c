/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/plain.h"

#include <stdint.h>
#include <string.h>

#include "utf8.h"

struct range {
	uint32_t first, last;
};

/* By their code points; noncharacters at the end of each plane are seen by their last 16 bits. */
static const struct range hidden[] = {
	{ 0x00, 0x1f },       { 0x7f, 0x9f },     /* control characters */
	{ 0x061c, 0x061c },   { 0x200e, 0x200f }, /* marks of direction */
	{ 0x2028, 0x202e },                       /* separators; embedding and override of direction */
	{ 0x2060, 0x206f },                       /* invisible operators; isolates */
	{ 0xfdd0, 0xfdef },                       /* noncharacters */
	{ 0xfeff, 0xfeff },   { 0xfff9, 0xfffb }, /* byte order mark; annotation */
	{ 0xe0000, 0xe007f },                     /* tags */
};

static size_t utf8_length(const char *s, size_t n, uint32_t *ret_point)
{
	char text[5] = { 0 };
	size_t length;

	memcpy(text, s, n < 4 ? n : 4);
	length = text[0] ? vtb_utf8_length(text) : 1;
	*ret_point = length == 1 ? (unsigned char)text[0] : (unsigned char)text[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++)
		*ret_point = *ret_point << 6 | ((unsigned char)text[i] & 0x3f);
	return length;
}

size_t vtb_plain_length(const char *s, size_t n)
{
	uint32_t point;
	size_t length;

	if ((unsigned char)*s >= ' ' && (unsigned char)*s < 0x7f)
		return 1;
	length = utf8_length(s, n, &point);
	if ((point & 0xfffe) == 0xfffe)
		return 0;
	for (size_t i = 0; length && i < sizeof(hidden) / sizeof(*hidden); i++)
		if (point >= hidden[i].first && point <= hidden[i].last)
			return 0;
	return length;
}

size_t vtb_plain_skip(const char *s, size_t n)
{
	uint32_t point;
	const size_t length = utf8_length(s, n, &point);

	return length ? length : 1;
}

void vtb_plain_make(char *s)
{
	char *to = s;

	for (size_t n = strlen(s); n;) {
		const size_t length = vtb_plain_length(s, n), skip = length ? length : vtb_plain_skip(s, n);

		if (length)
			memmove(to, s, length);
		else
			*to = '?';
		to += length ? length : 1;
		s += skip;
		n -= skip;
	}
	*to = '\0';
}
