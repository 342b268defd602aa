/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   62 | R X B R' 0 m m m | W v v v v 1 p p | z L' L b V' a a a | opcode | modrm | sib | displacement | immediate
 *
 * An 8-bit displacement counts in units of what the instruction accesses in memory: see `enum shape`.
 */
#include "disasm_evex.h"

#include <string.h>

enum { NO_PREFIX, P66, PF3, PF2 };

/* Bytes that are accessed: by the vector's length, by W, or fixed; with a broadcast, one element. */
enum shape { FULL, HALF, QUARTER, EIGHTH, HALF_OR_FULL, DUPLICATE, ELEMENT, SMALL_ELEMENT, FIXED };

struct prefix {
	uint8_t map, pp, mask;
	bool w, broadcast;
	uint8_t length;  /* 0: 16 bytes, 1: 32, 2: 64 */
	uint8_t r, x, b; /* bit 3 of registers' numbers; r: bits 3 and 4; x: bit 4 of a vector in rm, too */
};

/* Opcodes that are not of their map's usual shape. `half`: elements (of a broadcast) are half as large as usual, as in
 * AVX512-FP16. */
struct row {
	uint8_t map, opcode, pp;
	uint8_t shape, size;
	bool half;
};

static const struct row rows[] = {
	{ 1, 0x12, NO_PREFIX, FIXED, 8, 0 },   { 1, 0x12, P66, FIXED, 8, 0 },
	{ 1, 0x13, NO_PREFIX, FIXED, 8, 0 },   { 1, 0x13, P66, FIXED, 8, 0 },
	{ 1, 0x16, NO_PREFIX, FIXED, 8, 0 },   { 1, 0x16, P66, FIXED, 8, 0 },
	{ 1, 0x17, NO_PREFIX, FIXED, 8, 0 },   { 1, 0x17, P66, FIXED, 8, 0 },
	{ 1, 0x5a, NO_PREFIX, HALF, 0, 0 },    { 1, 0x7e, PF3, FIXED, 8, 0 },
	{ 1, 0xd6, P66, FIXED, 8, 0 },         { 2, 0x10, PF3, HALF, 0, 0 },
	{ 2, 0x13, P66, HALF, 0, 0 },          { 2, 0x13, PF3, HALF, 0, 0 },
	{ 2, 0x15, PF3, HALF, 0, 0 },          { 2, 0x1b, P66, FIXED, 32, 0 },
	{ 2, 0x20, P66, HALF, 0, 0 },          { 2, 0x20, PF3, HALF, 0, 0 },
	{ 2, 0x23, P66, HALF, 0, 0 },          { 2, 0x23, PF3, HALF, 0, 0 },
	{ 2, 0x25, P66, HALF, 0, 0 },          { 2, 0x25, PF3, HALF, 0, 0 },
	{ 2, 0x30, P66, HALF, 0, 0 },          { 2, 0x30, PF3, HALF, 0, 0 },
	{ 2, 0x33, P66, HALF, 0, 0 },          { 2, 0x33, PF3, HALF, 0, 0 },
	{ 2, 0x35, P66, HALF, 0, 0 },          { 2, 0x35, PF3, HALF, 0, 0 },
	{ 2, 0x5b, P66, FIXED, 32, 0 },        { 3, 0x1a, P66, FIXED, 32, 0 },
	{ 3, 0x1b, P66, FIXED, 32, 0 },        { 3, 0x1d, P66, HALF, 0, 0 },
	{ 3, 0x3a, P66, FIXED, 32, 0 },        { 3, 0x3b, P66, FIXED, 32, 0 },
	{ 1, 0x12, PF3, FULL, 0, 0 },          { 1, 0x16, PF3, FULL, 0, 0 },
	{ 1, 0x5b, PF3, FULL, 0, 0 },          { 1, 0x6f, PF3, FULL, 0, 0 },
	{ 1, 0x6f, PF2, FULL, 0, 0 },          { 1, 0x70, PF3, FULL, 0, 0 },
	{ 1, 0x70, PF2, FULL, 0, 0 },          { 1, 0x7a, PF2, FULL, 0, 0 },
	{ 1, 0x7f, PF3, FULL, 0, 0 },          { 1, 0x7f, PF2, FULL, 0, 0 },
	{ 1, 0xe6, PF2, FULL, 0, 0 },          { 3, 0x42, NO_PREFIX, FULL, 0, 0 },
	{ 3, 0x70, NO_PREFIX, FULL, 0, 0 },    { 3, 0x72, NO_PREFIX, FULL, 0, 0 },
	{ 5, 0x1d, P66, FULL, 0, 0 },          { 5, 0x5a, P66, FULL, 0, 0 },
	{ 5, 0x5b, NO_PREFIX, FULL, 0, 0 },    { 5, 0x7a, PF2, FULL, 0, 0 },
	{ 6, 0x56, PF3, FULL, 0, 0 },          { 6, 0x56, PF2, FULL, 0, 0 },
	{ 6, 0xd6, PF3, FULL, 0, 0 },          { 6, 0xd6, PF2, FULL, 0, 0 },
	{ 1, 0x12, PF2, DUPLICATE, 0, 0 },     { 1, 0x2a, PF3, ELEMENT, 0, 0 },
	{ 1, 0x2a, PF2, ELEMENT, 0, 0 },       { 1, 0x6e, P66, ELEMENT, 0, 0 },
	{ 1, 0x7b, PF3, ELEMENT, 0, 0 },       { 1, 0x7b, PF2, ELEMENT, 0, 0 },
	{ 1, 0x7e, P66, ELEMENT, 0, 0 },       { 2, 0x18, P66, FIXED, 4, 0 },
	{ 2, 0x2d, P66, ELEMENT, 0, 0 },       { 2, 0x43, P66, ELEMENT, 0, 0 },
	{ 2, 0x4d, P66, ELEMENT, 0, 0 },       { 2, 0x4f, P66, ELEMENT, 0, 0 },
	{ 2, 0x58, P66, FIXED, 4, 0 },         { 2, 0x88, P66, ELEMENT, 0, 0 },
	{ 2, 0x89, P66, ELEMENT, 0, 0 },       { 2, 0x8a, P66, ELEMENT, 0, 0 },
	{ 2, 0x8b, P66, ELEMENT, 0, 0 },       { 2, 0xcb, P66, ELEMENT, 0, 0 },
	{ 2, 0xcd, P66, ELEMENT, 0, 0 },       { 3, 0x0a, P66, FIXED, 4, 0 },
	{ 3, 0x0b, P66, FIXED, 8, 0 },         { 3, 0x16, P66, ELEMENT, 0, 0 },
	{ 3, 0x22, P66, ELEMENT, 0, 0 },       { 3, 0x27, P66, ELEMENT, 0, 0 },
	{ 3, 0x51, P66, ELEMENT, 0, 0 },       { 3, 0x55, P66, ELEMENT, 0, 0 },
	{ 3, 0x57, P66, ELEMENT, 0, 0 },       { 3, 0x67, P66, ELEMENT, 0, 0 },
	{ 5, 0x1d, NO_PREFIX, FIXED, 4, 0 },   { 5, 0x2a, PF3, ELEMENT, 0, 0 },
	{ 5, 0x5a, PF2, FIXED, 8, 0 },         { 5, 0x7b, PF3, ELEMENT, 0, 0 },
	{ 6, 0x57, PF3, FIXED, 4, 0 },         { 6, 0x57, PF2, FIXED, 4, 0 },
	{ 6, 0xd7, PF3, FIXED, 4, 0 },         { 6, 0xd7, PF2, FIXED, 4, 0 },
	{ 1, 0x2e, NO_PREFIX, FIXED, 4, 0 },   { 1, 0x2f, NO_PREFIX, FIXED, 4, 0 },
	{ 1, 0x2e, P66, FIXED, 8, 0 },         { 1, 0x2f, P66, FIXED, 8, 0 },
	{ 2, 0x19, P66, FIXED, 8, 0 },         { 2, 0x59, P66, FIXED, 8, 0 },
	{ 1, 0x78, P66, HALF_OR_FULL, 0, 0 },  { 1, 0x79, P66, HALF_OR_FULL, 0, 0 },
	{ 1, 0x7a, P66, HALF_OR_FULL, 0, 0 },  { 1, 0x7a, PF3, HALF_OR_FULL, 0, 0 },
	{ 1, 0x7b, P66, HALF_OR_FULL, 0, 0 },  { 1, 0xe6, PF3, HALF_OR_FULL, 0, 0 },
	{ 1, 0xc4, P66, FIXED, 2, 0 },         { 2, 0x12, PF3, EIGHTH, 0, 0 },
	{ 2, 0x22, P66, EIGHTH, 0, 0 },        { 2, 0x22, PF3, EIGHTH, 0, 0 },
	{ 2, 0x32, P66, EIGHTH, 0, 0 },        { 2, 0x32, PF3, EIGHTH, 0, 0 },
	{ 3, 0x15, P66, FIXED, 2, 0 },         { 1, 0xd1, P66, FIXED, 16, 0 },
	{ 1, 0xd2, P66, FIXED, 16, 0 },        { 1, 0xd3, P66, FIXED, 16, 0 },
	{ 1, 0xe1, P66, FIXED, 16, 0 },        { 1, 0xe2, P66, FIXED, 16, 0 },
	{ 1, 0xf1, P66, FIXED, 16, 0 },        { 1, 0xf2, P66, FIXED, 16, 0 },
	{ 1, 0xf3, P66, FIXED, 16, 0 },        { 2, 0x1a, P66, FIXED, 16, 0 },
	{ 2, 0x52, PF2, FIXED, 16, 0 },        { 2, 0x53, PF2, FIXED, 16, 0 },
	{ 2, 0x5a, P66, FIXED, 16, 0 },        { 2, 0x9a, PF2, FIXED, 16, 0 },
	{ 2, 0x9b, PF2, FIXED, 16, 0 },        { 2, 0xaa, PF2, FIXED, 16, 0 },
	{ 2, 0xab, PF2, FIXED, 16, 0 },        { 3, 0x18, P66, FIXED, 16, 0 },
	{ 3, 0x19, P66, FIXED, 16, 0 },        { 3, 0x38, P66, FIXED, 16, 0 },
	{ 3, 0x39, P66, FIXED, 16, 0 },        { 2, 0x11, PF3, QUARTER, 0, 0 },
	{ 2, 0x14, PF3, QUARTER, 0, 0 },       { 2, 0x21, P66, QUARTER, 0, 0 },
	{ 2, 0x21, PF3, QUARTER, 0, 0 },       { 2, 0x24, P66, QUARTER, 0, 0 },
	{ 2, 0x24, PF3, QUARTER, 0, 0 },       { 2, 0x31, P66, QUARTER, 0, 0 },
	{ 2, 0x31, PF3, QUARTER, 0, 0 },       { 2, 0x34, P66, QUARTER, 0, 0 },
	{ 2, 0x34, PF3, QUARTER, 0, 0 },       { 3, 0x17, P66, FIXED, 4, 0 },
	{ 3, 0x21, P66, FIXED, 4, 0 },         { 5, 0x5a, NO_PREFIX, QUARTER, 0, 1 },
	{ 5, 0x78, P66, QUARTER, 0, 1 },       { 5, 0x79, P66, QUARTER, 0, 1 },
	{ 5, 0x7a, P66, QUARTER, 0, 1 },       { 5, 0x7b, P66, QUARTER, 0, 1 },
	{ 2, 0x62, P66, SMALL_ELEMENT, 0, 0 }, { 2, 0x63, P66, SMALL_ELEMENT, 0, 0 },
	{ 2, 0x78, P66, FIXED, 1, 0 },         { 2, 0x79, P66, FIXED, 2, 0 },
	{ 3, 0x0a, NO_PREFIX, FIXED, 2, 0 },   { 3, 0x27, NO_PREFIX, FIXED, 2, 0 },
	{ 3, 0x57, NO_PREFIX, FIXED, 2, 0 },   { 3, 0x67, NO_PREFIX, FIXED, 2, 0 },
	{ 3, 0xc2, PF3, FIXED, 2, 0 },         { 5, 0x2e, NO_PREFIX, FIXED, 2, 0 },
	{ 5, 0x2f, NO_PREFIX, FIXED, 2, 0 },   { 5, 0x6e, P66, FIXED, 2, 0 },
	{ 5, 0x7e, P66, FIXED, 2, 0 },         { 6, 0x13, NO_PREFIX, FIXED, 2, 0 },
	{ 6, 0x2d, P66, FIXED, 2, 0 },         { 6, 0x43, P66, FIXED, 2, 0 },
	{ 6, 0x4d, P66, FIXED, 2, 0 },         { 6, 0x4f, P66, FIXED, 2, 0 },
	{ 3, 0x14, P66, FIXED, 1, 0 },         { 3, 0x20, P66, FIXED, 1, 0 },
	{ 5, 0x5b, P66, HALF, 0, 1 },          { 5, 0x5b, PF3, HALF, 0, 1 },
	{ 5, 0x78, NO_PREFIX, HALF, 0, 1 },    { 5, 0x79, NO_PREFIX, HALF, 0, 1 },
	{ 6, 0x13, P66, HALF, 0, 1 },          { 5, 0x7d, PF3, FULL, 0, 1 },
	{ 5, 0x7d, PF2, FULL, 0, 1 },
};

/* Instructions whose destination is operand rm, memory or register; all others read it. */
static const struct {
	uint8_t map, opcode, pps; /* bit p of pps: with prefix p */
	bool general;             /* in its register form: a general register */
	bool packs;               /* writes as many elements as the mask has bits */
} stores[] = {
	{ 1, 0x11, 0xf, 0, 0 }, { 1, 0x13, 0x3, 0, 0 }, { 1, 0x17, 0x3, 0, 0 }, { 1, 0x29, 0x3, 0, 0 },
	{ 1, 0x2b, 0x3, 0, 0 }, { 1, 0x7e, 0x2, 1, 0 }, { 1, 0x7f, 0xe, 0, 0 }, { 1, 0xd6, 0x2, 0, 0 },
	{ 1, 0xe7, 0x2, 0, 0 }, { 2, 0x10, 0x4, 0, 0 }, { 2, 0x11, 0x4, 0, 0 }, { 2, 0x12, 0x4, 0, 0 },
	{ 2, 0x13, 0x4, 0, 0 }, { 2, 0x14, 0x4, 0, 0 }, { 2, 0x15, 0x4, 0, 0 }, { 2, 0x20, 0x4, 0, 0 },
	{ 2, 0x21, 0x4, 0, 0 }, { 2, 0x22, 0x4, 0, 0 }, { 2, 0x23, 0x4, 0, 0 }, { 2, 0x24, 0x4, 0, 0 },
	{ 2, 0x25, 0x4, 0, 0 }, { 2, 0x30, 0x4, 0, 0 }, { 2, 0x31, 0x4, 0, 0 }, { 2, 0x32, 0x4, 0, 0 },
	{ 2, 0x33, 0x4, 0, 0 }, { 2, 0x34, 0x4, 0, 0 }, { 2, 0x35, 0x4, 0, 0 }, { 2, 0x63, 0x2, 0, 1 },
	{ 2, 0x8a, 0x2, 0, 1 }, { 2, 0x8b, 0x2, 0, 1 }, { 3, 0x14, 0x2, 1, 0 }, { 3, 0x15, 0x2, 1, 0 },
	{ 3, 0x16, 0x2, 1, 0 }, { 3, 0x17, 0x2, 1, 0 }, { 3, 0x19, 0x2, 0, 0 }, { 3, 0x1b, 0x2, 0, 0 },
	{ 3, 0x1d, 0x2, 0, 0 }, { 3, 0x39, 0x2, 0, 0 }, { 3, 0x3b, 0x2, 0, 0 }, { 5, 0x11, 0x4, 0, 0 },
	{ 5, 0x7e, 0x2, 1, 0 },
};

static const struct row *find_row(const struct prefix *p, uint8_t opcode)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].map == p->map && rows[i].opcode == opcode && rows[i].pp == p->pp)
			return &rows[i];
	return NULL;
}

/* Fused multiply-adds and their like: packed if even, scalar if odd. */
static bool is_scalar_arithmetic(uint8_t opcode)
{
	return opcode >= 0x99 && opcode <= 0xbf && opcode & 1 && opcode != 0xa7 && opcode != 0xb5 && opcode != 0xb7;
}

static struct row usual_row(const struct prefix *p, uint8_t opcode)
{
	struct row r = { .shape = FULL, .half = p->map > 3 || (p->map == 3 && p->pp == NO_PREFIX) };

	if (p->map == 1 && p->pp >= PF3)
		r = (struct row){ .shape = FIXED, .size = p->pp == PF3 ? 4 : 8 };
	else if (p->map == 5 && p->pp >= PF3)
		r = (struct row){ .shape = FIXED, .size = 2 };
	else if (p->map == 2 && is_scalar_arithmetic(opcode))
		r.shape = ELEMENT;
	else if (p->map == 6 && is_scalar_arithmetic(opcode))
		r = (struct row){ .shape = FIXED, .size = 2 };
	return r;
}

static unsigned unit(const struct prefix *p, uint8_t opcode)
{
	const struct row usual = usual_row(p, opcode), *row = find_row(p, opcode);
	const struct row *r = row ? row : &usual;
	const unsigned vector = 16u << p->length, element = (p->w ? 8 : 4) / (r->half ? 2 : 1);

	if (p->broadcast && (r->shape == FULL || r->shape == HALF || r->shape == QUARTER || r->shape == HALF_OR_FULL))
		return element;
	switch (r->shape) {
	case HALF:
		return vector / 2;
	case QUARTER:
		return vector / 4;
	case EIGHTH:
		return vector / 8;
	case HALF_OR_FULL:
		return p->w ? vector : vector / 2;
	case DUPLICATE:
		return p->length ? vector : 8;
	case ELEMENT:
		return element;
	case SMALL_ELEMENT:
		return p->w ? 2 : 1;
	case FIXED:
		return r->size;
	default:
		return vector;
	}
}

/* ------------------------------------------------------------------ operands */

/* The processor's numbers are not DWARF's. */
static uint8_t general(unsigned number)
{
	static const uint8_t low[8] = { OPS_RAX, OPS_RCX, OPS_RDX, OPS_RBX, OPS_RSP, OPS_RBP, OPS_RSI, OPS_RDI };

	return number < 8 ? low[number] : (uint8_t)number;
}

/* modrm and what follows; `ret_end`: offset behind the displacement. `scale`: what an 8-bit displacement counts in. */
static bool take_memory(const uint8_t *at, size_t n, const struct prefix *p, unsigned scale,
                        struct vtb_ops_operand *ret, size_t *ret_end)
{
	const unsigned mod = at[0] >> 6, rm = at[0] & 7;
	size_t i = 1, wide = mod == 2 ? 4 : mod;
	int32_t far = 0;

	*ret = (struct vtb_ops_operand){ .type = OPS_MEM,
		                         .scale = 1,
		                         .base = general(rm | (unsigned)p->b << 3),
		                         .index = OPS_NO_REG,
		                         .reg = OPS_NO_REG };
	if (rm == 4) {
		const unsigned sib = n > i ? at[i] : 0, index = (sib >> 3 & 7) | (unsigned)p->x << 3;

		i++;
		ret->scale = (uint8_t)(1u << (sib >> 6));
		ret->index = index == 4 ? OPS_NO_REG : general(index);
		ret->base = general((sib & 7) | (unsigned)p->b << 3);
		if ((sib & 7) == 5 && mod == 0) {
			ret->base = OPS_NO_REG;
			wide = 4;
		}
	} else if (rm == 5 && mod == 0) {
		ret->base = OPS_RIP; /* until the instruction's length is known */
		wide = 4;
	}
	if (n < i + wide)
		return false;
	if (wide == 4)
		memcpy(&far, at + i, 4);
	ret->value = wide == 1 ? (int64_t)(int8_t)at[i] * (int64_t)scale : far;
	*ret_end = i + wide;
	return true;
}

static bool take_prefix(const uint8_t *b, size_t n, struct prefix *ret)
{
	if (n < 6 || b[0] != 0x62 || b[1] & 8 || !(b[2] & 4)) /* those bits belong to later extensions */
		return false;
	*ret = (struct prefix){ .map = b[1] & 7,
		                .pp = b[2] & 3,
		                .mask = b[3] & 7,
		                .w = b[2] >> 7,
		                .broadcast = b[3] >> 4 & 1,
		                .length = b[3] >> 5 & 3 };
	ret->r = (uint8_t)((~b[1] >> 7 & 1) | (~b[1] >> 4 & 1) << 1);
	ret->x = ~b[1] >> 6 & 1;
	ret->b = ~b[1] >> 5 & 1;
	return ret->length < 3 || ret->broadcast; /* rounding takes the length's bits, in register forms only */
}

/* Later extensions put general-register instructions, some of which store, at these places. */
static bool is_vector_opcode(const struct prefix *p, uint8_t opcode)
{
	if (p->map == 2)
		return opcode < 0xe0 && opcode != 0x49 && opcode != 0x4b;
	return p->map == 1 || (p->map == 3 && opcode != 0xf0) || p->map == 5 || p->map == 6;
}

/* Many addresses at once, in a vector: gathers read, scatters write anywhere. */
static bool is_gather(const struct prefix *p, uint8_t opcode)
{
	return p->map == 2 && p->pp == P66 && ((opcode & 0xfc) == 0x90 || opcode == 0xc6 || opcode == 0xc7);
}

static bool is_scatter(const struct prefix *p, uint8_t opcode)
{
	return p->map == 2 && p->pp == P66 && (opcode & 0xfc) == 0xa0;
}

/* ------------------------------------------------------------------ effects */

static bool to_general_register(const struct prefix *p, uint8_t opcode)
{
	const bool converts = opcode == 0x2c || opcode == 0x2d || opcode == 0x78 || opcode == 0x79;

	return (converts && p->pp >= PF3 && (p->map == 1 || p->map == 5)) || (p->map == 1 && opcode == 0xc5);
}

static bool is_move(const struct prefix *p, uint8_t opcode)
{
	if (p->map != 1 || p->mask || p->broadcast)
		return false;
	return ((opcode & 0xfe) == 0x10 && p->pp <= P66) || ((opcode & 0xfe) == 0x28 && p->pp <= P66) ||
	       ((opcode == 0x6f || opcode == 0x7f) && p->pp != NO_PREFIX);
}

static struct vtb_ops_operand vector_operand(unsigned number, unsigned size)
{
	return (struct vtb_ops_operand){ .type = OPS_REG,
		                         .size = (uint8_t)size,
		                         .reg = number < OPS_VECTORS ? (uint8_t)(OPS_VECTOR + number) : OPS_NO_REG,
		                         .base = OPS_NO_REG,
		                         .index = OPS_NO_REG };
}

static void clobber(struct vtb_ops *o, unsigned vector)
{
	if (vector < OPS_VECTORS)
		o->vclobbers |= 1u << vector;
}

struct store {
	bool yes, general, packs;
};

static struct store find_store(const struct prefix *p, uint8_t opcode)
{
	for (size_t i = 0; i < sizeof(stores) / sizeof(*stores); i++)
		if (stores[i].map == p->map && stores[i].opcode == opcode && stores[i].pps >> p->pp & 1)
			return (struct store){ true, stores[i].general, stores[i].packs };
	return (struct store){ false, false, false };
}

/* Instructions with a memory operand of which an immediate byte follows, so that the next address is one further. */
static bool has_immediate(const struct prefix *p, uint8_t opcode)
{
	return p->map == 3 || (p->map == 1 && (opcode == 0xc2 || opcode == 0xc4 || opcode == 0xc6 ||
	                                       (opcode >= 0x70 && opcode <= 0x73)));
}

/* Operand rm and its access; `at`: modrm, at address `ip`. */
static bool take_rm(const uint8_t *at, size_t n, const struct prefix *p, uint8_t opcode, const struct store *store,
                    uint64_t ip, struct vtb_ops *o)
{
	const unsigned i = store->yes ? 0 : 1, number = (at[0] & 7u) | (unsigned)p->b << 3 | (unsigned)p->x << 4;
	const unsigned size = store->packs ? 16u << p->length : unit(p, opcode);
	size_t end;

	if (at[0] >> 6 == 3) {
		o->op[i] = vector_operand(number, 16u << (p->length & 3));
		return true;
	}
	if (p->length == 3 || !take_memory(at, n, p, unit(p, opcode), &o->op[i], &end))
		return false;
	o->op[i].size = (uint8_t)size;
	if (o->op[i].base == OPS_RIP) {
		o->op[i].base = OPS_NO_REG;
		o->op[i].value += (int64_t)(ip + end + has_immediate(p, opcode));
	}
	if (is_gather(p, opcode))
		return true;
	o->access[0] = (struct vtb_ops_access){ .operand = (uint8_t)i,
		                                .mode = store->yes ? OPS_WRITES : OPS_READS,
		                                .size = (uint8_t)size,
		                                .partial = p->mask != 0 };
	o->n_access = 1;
	return true;
}

static void take_effects(const uint8_t *at, const struct prefix *p, uint8_t opcode, const struct store *store,
                         struct vtb_ops *o)
{
	const unsigned reg = (unsigned)(at[0] >> 3 & 7) | (p->r & 1u) << 3 | (p->r & 2u) << 3,
	               other = (at[0] & 7u) | (unsigned)p->b << 3 | (unsigned)p->x << 4;
	const bool memory = at[0] >> 6 != 3;

	o->op[store->yes ? 1 : 0] = vector_operand(reg, 16u << (p->length & 3));
	o->sets_flags = (p->map == 1 || p->map == 5) && (opcode == 0x2e || opcode == 0x2f);
	if (to_general_register(p, opcode)) {
		o->clobbers = (uint16_t)(1u << general(reg & 15));
		o->op[0].type = OPS_NONE;
	} else if (!store->yes) {
		clobber(o, reg);
	} else if (!memory && store->general) {
		o->clobbers = (uint16_t)(1u << general(other & 15));
		o->op[0].type = OPS_NONE;
	} else if (!memory) {
		clobber(o, other);
	}
	if (is_move(p, opcode) && p->length < 3 && reg < OPS_VECTORS && (memory || other < OPS_VECTORS)) {
		o->code = OPS_VMOV;
		o->width = (uint8_t)(16u << p->length);
	}
}

static bool decode_evex(const uint8_t *b, size_t n, uint64_t ip, struct vtb_ops *ret)
{
	struct vtb_ops o = { .code = OPS_OTHER, .n_ops = 2, .vex = true };
	struct prefix p;
	struct store store;

	if (!take_prefix(b, n, &p) || !is_vector_opcode(&p, b[4]) || is_scatter(&p, b[4]))
		return false;
	store = find_store(&p, b[4]);
	if (!take_rm(b + 5, n - 5, &p, b[4], &store, ip + 5, &o))
		return false;
	take_effects(b + 5, &p, b[4], &store, &o);
	*ret = o;
	return true;
}

/* Prefix of a VEX-encoded instruction: c5 | R v v v v L p p, or c4 | R X B m m m m m | W v v v v L p p. Returns its
 * bytes, 0: none. */
static size_t take_vex(const uint8_t *b, size_t n, struct prefix *ret)
{
	if (n < 5 || (b[0] != 0xc5 && b[0] != 0xc4))
		return 0;
	*ret = (struct prefix){ .map = 1, .r = ~b[1] >> 7 & 1, .pp = b[1] & 3 };
	if (b[0] == 0xc5)
		return 2;
	ret->map = b[1] & 31;
	ret->x = ~b[1] >> 6 & 1;
	ret->b = ~b[1] >> 5 & 1;
	ret->w = b[2] >> 7;
	ret->pp = b[2] & 3;
	return 3;
}

static bool is_mask_opcode(const struct prefix *p, uint8_t opcode)
{
	if (p->map == 3)
		return opcode >= 0x30 && opcode <= 0x33;
	return p->map == 1 && ((opcode >= 0x41 && opcode <= 0x4b) || (opcode >= 0x90 && opcode <= 0x93) ||
	                       opcode == 0x98 || opcode == 0x99);
}

/* VEX.L0: kmov with memory 90 91, between registers 92 93, kortest and ktest 98 99; VEX.L1: logic 41..4b; kshift 30..33
 * in map 3. */
static bool decode_mask(const uint8_t *b, size_t n, uint64_t ip, struct vtb_ops *ret)
{
	struct prefix p;
	struct vtb_ops o = { .code = OPS_OTHER };
	const size_t at = take_vex(b, n, &p);
	size_t end;

	if (!at || !is_mask_opcode(&p, b[at]))
		return false;
	o.sets_flags = b[at] == 0x98 || b[at] == 0x99;
	if (b[at] == 0x93)
		o.clobbers = (uint16_t)(1u << general((unsigned)(b[at + 1] >> 3 & 7) | (unsigned)p.r << 3));
	if (p.map == 1 && (b[at] == 0x90 || b[at] == 0x91) && b[at + 1] >> 6 != 3) {
		if (!take_memory(b + at + 1, n - at - 1, &p, 1, &o.op[0], &end))
			return false;
		if (o.op[0].base == OPS_RIP) {
			o.op[0].base = OPS_NO_REG;
			o.op[0].value += (int64_t)(ip + at + 1 + end);
		}
		o.op[0].size = (uint8_t)(p.pp == P66 ? (p.w ? 4 : 1) : p.w ? 8 : 2);
		o.n_ops = o.n_access = 1;
		o.access[0] = (struct vtb_ops_access){ .operand = 0,
			                               .mode = b[at] == 0x91 ? OPS_WRITES : OPS_READS,
			                               .size = o.op[0].size };
	}
	*ret = o;
	return true;
}

bool evex_decode(const uint8_t *bytes, size_t n, uint64_t ip, struct vtb_ops *ret)
{
	uint8_t segment = 0, addr32 = 0;
	size_t i = 0;

	for (; i < n && (bytes[i] == 0x64 || bytes[i] == 0x65 || bytes[i] == 0x67); i++) {
		segment = bytes[i] == 0x64 ? 1 : bytes[i] == 0x65 ? 2 : segment;
		addr32 |= bytes[i] == 0x67;
	}
	if (!decode_evex(bytes + i, n - i, ip + i, ret) && !decode_mask(bytes + i, n - i, ip + i, ret))
		return false;
	for (unsigned k = 0; k < ret->n_ops; k++)
		if (ret->op[k].type == OPS_MEM) {
			ret->op[k].segment = segment;
			ret->op[k].addr32 = addr32;
		}
	return true;
}
