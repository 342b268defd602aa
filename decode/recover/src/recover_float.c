/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scalar floating point: hash tables reckon their sizes with it. The processor that decodes computes as the one that
 * was recorded did (IEEE 754, rounding to nearest, which is what the ABI gives a program); what it does with NaNs and
 * with numbers that do not fit is not relied on.
 */
#include "recover_operand.h"

#include <string.h>

static double low(const struct recover_vector *v, unsigned width)
{
	double d;
	float f;

	memcpy(&d, v->bytes, sizeof(d));
	memcpy(&f, v->bytes, sizeof(f));
	return width == 4 ? (double)f : d;
}

static bool is_low_known(const struct recover_vector *v, unsigned width)
{
	const uint64_t bytes = RECOVER_BYTES(width);

	return (v->known & bytes) == bytes;
}

/* In the width of the operation: a sum of two floats that is rounded twice may differ. */
static double compute(unsigned operation, double a, double b, unsigned width)
{
	const float x = (float)a, y = (float)b;

	switch (operation) {
	case OPS_FLOAT_ADD:
		return width == 4 ? (double)(x + y) : a + b;
	case OPS_FLOAT_SUB:
		return width == 4 ? (double)(x - y) : a - b;
	case OPS_FLOAT_MUL:
		return width == 4 ? (double)(x * y) : a * b;
	default:
		return width == 4 ? (double)(x / y) : a / b;
	}
}

static void set_low(struct recover_vector *v, double d, unsigned width, bool known)
{
	const float f = (float)d;
	const uint64_t bytes = RECOVER_BYTES(width);

	memcpy(v->bytes, width == 4 ? (const void *)&f : (const void *)&d, width);
	v->known = known && d == d ? v->known | bytes : v->known & ~bytes; /* which NaN it is depends on more */
}

/* What the result's other bytes are: with three operands those of the second, and zeros above. */
static struct recover_vector rest(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	struct recover_vector v = recover_read_vector(cpu, &o->op[o->n_ops == 3 ? 1 : 0], RECOVER_VECTOR_BYTES);

	if (o->n_ops == 3) {
		memset(v.bytes + 16, 0, sizeof(v.bytes) - 16);
		v.known |= ~0xffffull;
	}
	return v;
}

static void arithmetic(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	struct recover_vector result = rest(cpu, o);
	const struct recover_vector a = result, b = recover_read_vector(cpu, &o->op[o->n_ops - 1], o->width);

	set_low(&result, compute(o->cc, low(&a, o->width), low(&b, o->width), o->width), o->width,
	        is_low_known(&a, o->width) && is_low_known(&b, o->width));
	cpu->x[o->op[0].reg - OPS_VECTOR] = result;
}

static void from_integer(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct vtb_ops_operand *from = &o->op[o->n_ops - 1];
	const struct recover_value v = recover_read_op(cpu, from);
	const int64_t i = from->size == 8 ? (int64_t)v.v : (int32_t)v.v;
	struct recover_vector result = rest(cpu, o);

	set_low(&result, o->width == 4 ? (double)(float)i : (double)i, o->width, recover_is_known(v, from->size));
	cpu->x[o->op[0].reg - OPS_VECTOR] = result;
}

static void to_integer(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct recover_vector v = recover_read_vector(cpu, &o->op[1], o->width);
	const double d = low(&v, o->width), limit = o->op[0].size == 8 ? 0x1p63 : 0x1p31;
	struct recover_value result = recover_nothing;

	if (is_low_known(&v, o->width) && d > -limit && d < limit)
		result = recover_exactly((uint64_t)(int64_t)d);
	recover_write_op(cpu, &o->op[0], result);
}

/* `width` is the source's. */
static void convert(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct recover_vector v = recover_read_vector(cpu, &o->op[o->n_ops - 1], o->width);
	struct recover_vector result = rest(cpu, o);

	set_low(&result, low(&v, o->width), 12 - o->width, is_low_known(&v, o->width));
	cpu->x[o->op[0].reg - OPS_VECTOR] = result;
}

static void compare(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct recover_vector a = recover_read_vector(cpu, &o->op[0], o->width),
	                            b = recover_read_vector(cpu, &o->op[1], o->width);
	const double x = low(&a, o->width), y = low(&b, o->width);

	cpu->flags_known = is_low_known(&a, o->width) && is_low_known(&b, o->width) ? OPS_FLAGS : 0;
	cpu->flags = (uint8_t)((!(x > y) && !(x < y) ? OPS_ZF : 0) | (!(x >= y) ? OPS_CF : 0));
}

static void mask(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	struct recover_vector result = rest(cpu, o);
	const struct recover_vector a = result, b = recover_read_vector(cpu, &o->op[o->n_ops - 1], o->width);
	const double x = low(&a, o->width), y = low(&b, o->width);
	const bool unordered = x != x || y != y, holds[4] = { x == y, x < y, x <= y, unordered };
	const unsigned predicate = o->cc - OPS_FLOAT_MASK;
	const uint64_t bytes = RECOVER_BYTES(o->width);

	memset(result.bytes, holds[predicate & 3] != (predicate > 3) ? 0xff : 0, o->width);
	result.known =
	    is_low_known(&a, o->width) && is_low_known(&b, o->width) ? result.known | bytes : result.known & ~bytes;
	cpu->x[o->op[0].reg - OPS_VECTOR] = result;
}

static void move(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct recover_vector from = recover_read_vector(cpu, &o->op[o->n_ops - 1], o->width);
	const uint64_t bytes = RECOVER_BYTES(o->width);
	struct recover_vector result = { .known = 0xffffu };
	uint64_t addr;

	if (o->op[0].type == OPS_MEM) {
		if (recover_operand_address(cpu, &o->op[0], true, &addr))
			recover_memory_write(cpu->memory, cpu->stamp, addr, o->width, from.bytes,
			                     (uint32_t)(from.known & bytes));
		else
			recover_memory_forget_all(cpu->memory);
		return;
	}
	if (o->op[o->n_ops - 1].type == OPS_REG) /* a load makes the bytes above 0 */
		result = rest(cpu, o);
	memcpy(result.bytes, from.bytes, o->width);
	result.known = (result.known & ~bytes) | (from.known & bytes);
	cpu->x[o->op[0].reg - OPS_VECTOR] = result;
}

void recover_float(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	switch (o->cc) {
	case OPS_FLOAT_FROM_INTEGER:
		from_integer(cpu, o);
		break;
	case OPS_FLOAT_TO_INTEGER:
		to_integer(cpu, o);
		break;
	case OPS_FLOAT_CONVERT:
		convert(cpu, o);
		break;
	case OPS_FLOAT_COMPARE:
		compare(cpu, o);
		break;
	case OPS_FLOAT_MOVE:
		move(cpu, o);
		break;
	default:
		if (o->cc >= OPS_FLOAT_MASK)
			mask(cpu, o);
		else
			arithmetic(cpu, o);
		break;
	}
}
