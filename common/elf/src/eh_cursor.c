/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "eh_cursor.h"

#include <string.h>

uint64_t eh_fixed(struct eh_cursor *c, unsigned n)
{
	uint64_t v = 0;

	if (c->end - c->at < n) {
		c->failed = true;
		return 0;
	}
	memcpy(&v, c->bytes + c->at, n);
	c->at += n;
	c->addr += n;
	return v;
}

uint64_t eh_leb(struct eh_cursor *c, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)eh_fixed(c, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !c->failed);
	if (is_signed && byte & 0x40 && shift < 64)
		v |= ~0ull << shift;
	return v;
}

uint64_t eh_encoded(struct eh_cursor *c, uint8_t enc)
{
	const uint64_t here = c->addr;
	uint64_t v = 0;

	switch (enc & 0x0f) {
	case ENC_ABS:
	case ENC_U8:
	case ENC_S8:
		v = eh_fixed(c, 8);
		break;
	case ENC_ULEB:
		v = eh_leb(c, false);
		break;
	case ENC_SLEB:
		v = eh_leb(c, true);
		break;
	case ENC_U2:
		v = eh_fixed(c, 2);
		break;
	case ENC_S2:
		v = (uint64_t)(int16_t)eh_fixed(c, 2);
		break;
	case ENC_U4:
		v = eh_fixed(c, 4);
		break;
	case ENC_S4:
		v = (uint64_t)(int32_t)eh_fixed(c, 4);
		break;
	default:
		c->failed = true;
		break;
	}
	switch (enc & 0x70) {
	case 0:
		return v;
	case ENC_PCREL:
		return v ? v + here : 0;
	case ENC_DATAREL:
		return v + c->header;
	default:
		c->failed = true;
		return 0;
	}
}

void eh_skip(struct eh_cursor *c, uint64_t n)
{
	if (n > c->end - c->at)
		c->failed = true;
	else
		c->at += n;
}
