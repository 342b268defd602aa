/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "length.h"

#include <stdbool.h>

#define LONGEST 15u

/*
 * One letter an opcode:
 *   . nothing follows     m ModRM             b 1 byte           z 4 bytes, 2 with prefix 66
 *   B ModRM and b         Z ModRM and z       w 2 bytes          j 4 bytes; with prefix 66 -
 *   v 4 bytes, 2 with prefix 66, 8 with REX.W                    F B if ModRM.reg < 2, else m (f6)
 *   G Z if ModRM.reg < 2, else m (f7)         X m if ModRM.reg is 0 (8f)                     - ask the decoder
 */
/* 0f, prefixes, REX, VEX and EVEX do not come here. */
static const char one_byte[] = "mmmmbz--mmmmbz--" /* 00 */
                               "mmmmbz--mmmmbz--" /* 10 */
                               "mmmmbz--mmmmbz--" /* 20 */
                               "mmmmbz--mmmmbz--" /* 30 */
                               "----------------" /* 40 */
                               "................" /* 50 */
                               "---m----jZbB...." /* 60 */
                               "bbbbbbbbbbbbbbbb" /* 70 */
                               "BZ-BmmmmmmmmmmmX" /* 80 */
                               "..........-....." /* 90 */
                               "----....bz......" /* a0 */
                               "bbbbbbbbvvvvvvvv" /* b0 */
                               "BB-.--BZ-.w..b-." /* c0 */
                               "mmmm---.mmmmmmmm" /* d0 */
                               "bbbbbbbbjj-b...." /* e0 */
                               "-.--..FG......mm" /* f0 */;
/* 38 and 3a are maps of their own. */
static const char after_0f[] = "mmmm-..-..-.-m--" /* 00 */
                               "mmmmmmmmmmmmmmmm" /* 10 */
                               "--------mmmmmmmm" /* 20 */
                               "......-.--------" /* 30 */
                               "mmmmmmmmmmmmmmmm" /* 40 */
                               "mmmmmmmmmmmmmmmm" /* 50 */
                               "mmmmmmmmmmmmmmmm" /* 60 */
                               "BBBBmmm.----mmmm" /* 70 */
                               "jjjjjjjjjjjjjjjj" /* 80 */
                               "mmmmmmmmmmmmmmmm" /* 90 */
                               "...mBm--...mBmmm" /* a0 */
                               "mmmmmmmmm-Bmmmmm" /* b0 */
                               "mmBmBBBm........" /* c0 */
                               "mmmmmmmmmmmmmmmm" /* d0 */
                               "mmmmmmmmmmmmmmmm" /* e0 */
                               "mmmmmmmmmmmmmmm-" /* f0 */;

struct prefixes {
	bool small; /* 66 */
	bool wide;  /* REX.W */
};

/* ModRM, SIB and displacement. 0: more than there is. */
static unsigned address_bytes(const uint8_t *p, const uint8_t *end)
{
	unsigned mod, rm, n = 1;

	if (p >= end)
		return 0;
	mod = *p >> 6;
	rm = *p & 7;
	if (mod == 3)
		return 1;
	if (rm == 4) {
		if (p + 1 >= end)
			return 0;
		n++;
		if (mod == 0 && (p[1] & 7) == 5)
			return n + 4;
	} else if (mod == 0 && rm == 5) {
		return n + 4;
	}
	return n + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static unsigned small_or_4(const struct prefixes *x)
{
	return x->small && !x->wide ? 2 : 4;
}

/* What of an opcode with ModRM comes behind its address. */
static unsigned bytes_after_address(char kind, unsigned reg, const struct prefixes *x)
{
	if (kind == 'B' || (kind == 'F' && reg < 2))
		return 1;
	return kind == 'Z' || (kind == 'G' && reg < 2) ? small_or_4(x) : 0;
}

/* Bytes behind the opcode; -1: ask the decoder. */
static int behind(char kind, const uint8_t *p, const uint8_t *end, const struct prefixes *x)
{
	unsigned address;

	switch (kind) {
	case '.':
		return 0;
	case 'b':
		return 1;
	case 'w':
		return 2;
	case 'z':
		return (int)small_or_4(x);
	case 'v':
		return x->wide ? 8 : (int)small_or_4(x);
	case 'j':
		return x->small ? -1 : 4;
	case '-':
		return -1;
	default:
		break;
	}
	address = address_bytes(p, end);
	if (!address || (kind == 'X' && *p >> 3 & 7))
		return -1;
	return (int)(address + bytes_after_address(kind, *p >> 3 & 7, x));
}

static char of_vector(unsigned map, uint8_t opcode)
{
	if (map == 1)
		return opcode == 0x77 ? '.' : after_0f[opcode] == 'B' ? 'B' : 'm';
	return map == 2 ? 'm' : map == 3 ? 'B' : '-';
}

/* VEX and EVEX: the opcode, of that map, stands `skip` bytes further. */
static int vector_bytes(const uint8_t *p, const uint8_t *end, unsigned skip, unsigned map)
{
	const struct prefixes none = { 0 };
	int n;

	if (p + skip >= end)
		return -1;
	n = behind(of_vector(map, p[skip]), p + skip + 1, end, &none);
	return n < 0 ? n : (int)skip + 1 + n;
}

static int after_escape(const uint8_t *p, const uint8_t *end, const struct prefixes *x)
{
	int n;

	if (p + 1 >= end)
		return -1;
	if (p[1] == 0x38 || p[1] == 0x3a) {
		n = behind(p[1] == 0x38 ? 'm' : 'B', p + 3, end, x);
		return n < 0 ? n : 3 + n;
	}
	n = behind(after_0f[p[1]], p + 2, end, x);
	return n < 0 ? n : 2 + n;
}

/* From the opcode on, or from what stands for it. */
static int opcode_bytes(const uint8_t *p, const uint8_t *end, const struct prefixes *x)
{
	int n;

	switch (*p) {
	case 0x0f:
		return after_escape(p, end, x);
	case 0x62:
		return p + 1 < end ? vector_bytes(p, end, 4, p[1] & 7) : -1;
	case 0xc4:
		return p + 1 < end ? vector_bytes(p, end, 3, p[1] & 31) : -1;
	case 0xc5:
		return vector_bytes(p, end, 2, 1);
	default:
		n = behind(one_byte[*p], p + 1, end, x);
		return n < 0 ? n : 1 + n;
	}
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 || byte == 0x2e || byte == 0x3e ||
	       byte == 0x64 || byte == 0x65;
}

unsigned vtb_instruction_length(const uint8_t *code, size_t size)
{
	const uint8_t *p = code, *end = code + size;
	struct prefixes x = { 0 };
	int n;

	while (p < end && is_prefix(*p))
		x.small |= *p++ == 0x66;
	if (p < end && *p >> 4 == 4)
		x.wide = *p++ >> 3 & 1;
	if (p >= end)
		return 0;
	n = opcode_bytes(p, end, &x);
	return n > 0 && n <= end - p && (size_t)n + (size_t)(p - code) <= LONGEST ? (unsigned)(n + (p - code)) : 0;
}
