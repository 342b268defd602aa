/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file utf8.h Well-formed UTF-8 as Unicode's table 3-7 defines it. */
#ifndef VTB_UTF8_H
#define VTB_UTF8_H

/** Bytes of the character at `text` (not at its NUL), or 0 if it is not well-formed. */
static inline unsigned vtb_utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	const unsigned char lo = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80; /* no overlong forms */
	const unsigned char hi = s[0] == 0xed   ? 0x9f
	                         : s[0] == 0xf4 ? 0x8f
	                                        : 0xbf; /* no surrogates, nothing above U+10FFFF */
	const unsigned len = s[0] < 0x80   ? 1
	                     : s[0] < 0xc2 ? 0
	                     : s[0] < 0xe0 ? 2
	                     : s[0] < 0xf0 ? 3
	                     : s[0] < 0xf5 ? 4
	                                   : 0;

	if (len > 1 && (s[1] < lo || s[1] > hi))
		return 0;
	for (unsigned i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

#endif /* VTB_UTF8_H */
