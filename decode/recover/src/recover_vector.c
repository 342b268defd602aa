/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectors as carriers of bytes: structs are copied through them, pairs of pointers put together in them. Instructions
 * of AVX and AVX-512
 * (`vex`) make the bytes above those that they write 0, those of SSE leave them, which this does not rely on: then they
 * are unknown.
 */
#include "recover_operand.h"

#include <string.h>

static bool is_vector(const struct vtb_ops_operand *op)
{
	return op->type == OPS_REG && op->reg >= OPS_VECTOR && op->reg != OPS_NO_REG;
}

struct recover_vector recover_read_vector(struct recover_cpu *cpu, const struct vtb_ops_operand *op, unsigned n)
{
	struct recover_vector v = { .known = 0 };
	uint64_t addr;

	if (is_vector(op)) {
		v = cpu->x[op->reg - OPS_VECTOR];
	} else if (op->type == OPS_REG) {
		const struct recover_value r = recover_read_reg(cpu, op);

		memcpy(v.bytes, &r.v, 8);
		v.known = r.known;
	} else if (op->type == OPS_MEM && recover_operand_address(cpu, op, true, &addr)) {
		v.known = recover_memory_read(cpu->memory, cpu->stamp, addr, n < 32 ? n : 32, v.bytes);
		if (n > 32)
			v.known |=
			    (uint64_t)recover_memory_read(cpu->memory, cpu->stamp, addr + 32, n - 32, v.bytes + 32)
			    << 32;
	}
	v.known &= RECOVER_BYTES(n);
	return v;
}

static void store(struct recover_cpu *cpu, const struct vtb_ops_operand *to, unsigned n, const uint8_t *bytes,
                  uint64_t known)
{
	uint64_t addr;

	if (!recover_operand_address(cpu, to, true, &addr)) {
		recover_memory_forget_all(cpu->memory);
		return;
	}
	recover_memory_write(cpu->memory, cpu->stamp, addr, n < 32 ? n : 32, bytes, (uint32_t)known);
	if (n > 32)
		recover_memory_write(cpu->memory, cpu->stamp, addr + 32, n - 32, bytes + 32, (uint32_t)(known >> 32));
}

/* The low n bytes of a vector, and those above as the encoding has it. */
static void set(struct recover_cpu *cpu, const struct vtb_ops *o, struct recover_vector v, unsigned n)
{
	const uint64_t low = RECOVER_BYTES(n);

	memset(v.bytes + n, 0, sizeof(v.bytes) - n);
	v.known = (v.known & low) | (o->vex ? ~low : 0);
	cpu->x[o->op[0].reg - OPS_VECTOR] = v;
}

static void move(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct vtb_ops_operand *to = &o->op[0];
	const unsigned n = o->width;
	struct recover_vector v = recover_read_vector(cpu, &o->op[1], n);

	if (is_vector(to)) {
		memset(v.bytes + n, 0, sizeof(v.bytes) - n);
		if (n < 16) /* bytes up to 15 become 0 */
			v.known |= 0xffffull & ~RECOVER_BYTES(n);
		set(cpu, o, v, n < 16 ? 16 : n);
	} else if (to->type == OPS_REG) {
		struct recover_value r = { 0, (uint8_t)v.known };

		memcpy(&r.v, v.bytes, 8);
		recover_write_reg(cpu, to, r);
	} else if (to->type == OPS_MEM) {
		store(cpu, to, n, v.bytes, v.known);
	}
}

/* 8 bytes between memory and the upper half of 16. */
static void move_high(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct vtb_ops_operand *to = &o->op[0], *from = &o->op[o->n_ops - 1];

	if (is_vector(to)) {
		const struct recover_vector high = recover_read_vector(cpu, from, 8);
		struct recover_vector v = recover_read_vector(cpu, &o->op[o->n_ops - 2], 8);

		memcpy(v.bytes + 8, high.bytes, 8);
		v.known |= (high.known & 0xff) << 8;
		set(cpu, o, v, 16);
	} else if (is_vector(from)) {
		const struct recover_vector *x = &cpu->x[from->reg - OPS_VECTOR];

		store(cpu, to, 8, x->bytes + 8, x->known >> 8 & 0xff);
	} else {
		recover_memory_forget_all(cpu->memory);
	}
}

/* Low halves of both operands, as two parts of 8 or four of 4 bytes. */
static void low_halves(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct recover_vector a = recover_read_vector(cpu, &o->op[o->n_ops - 2], 8),
	                            b = recover_read_vector(cpu, &o->op[o->n_ops - 1], 8);
	const unsigned part = o->code == OPS_VLOW2 ? 8 : 4;
	struct recover_vector v = { .known = 0 };

	for (unsigned i = 0; i < 16; i++) {
		const struct recover_vector *from = i / part & 1 ? &b : &a;
		const unsigned at = i / (2 * part) * part + i % part;

		v.bytes[i] = from->bytes[at];
		v.known |= (from->known >> at & 1) << i;
	}
	set(cpu, o, v, 16);
}

static void zero(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct recover_vector v = { .known = UINT64_MAX };

	set(cpu, o, v, o->op[0].size);
}

/* Element `cc` of `width` bytes is the last operand, the others are those of the one before. */
static void insert(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned n = o->op[0].size, at = (unsigned)o->cc * o->width % n;
	const struct recover_vector part = recover_read_vector(cpu, &o->op[o->n_ops - 1], o->width);
	struct recover_vector v = recover_read_vector(cpu, &o->op[o->n_ops - 2], n);

	memcpy(v.bytes + at, part.bytes, o->width);
	v.known = (v.known & ~(RECOVER_BYTES(o->width) << at)) | part.known << at;
	set(cpu, o, v, n);
}

static void extract(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned at = (unsigned)o->cc * o->width % o->op[1].size;
	const struct recover_vector whole = recover_read_vector(cpu, &o->op[1], o->op[1].size);
	struct recover_vector v = { .known = whole.known >> at & RECOVER_BYTES(o->width) };
	struct recover_value r = { 0, (uint8_t)v.known };

	memcpy(v.bytes, whole.bytes + at, o->width);
	if (o->op[0].type == OPS_MEM) {
		store(cpu, &o->op[0], o->width, v.bytes, v.known);
	} else if (is_vector(&o->op[0])) {
		set(cpu, o, v, o->width);
	} else { /* a general register: zeros above */
		memcpy(&r.v, v.bytes, 8);
		recover_write_reg(cpu, &o->op[0], recover_extend(r, o->width, false));
	}
}

/* And, and-not, or, xor of all bytes: signs are taken off so. */
static void bits(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned n = o->op[0].size;
	const struct recover_vector a = recover_read_vector(cpu, &o->op[o->n_ops == 3 ? 1 : 0], n),
	                            b = recover_read_vector(cpu, &o->op[o->n_ops - 1], n);
	struct recover_vector v = { .known = a.known & b.known };

	for (unsigned i = 0; i < n; i++) {
		const uint8_t x = a.bytes[i], y = b.bytes[i];

		v.bytes[i] = o->cc == OPS_BITS_AND       ? x & y
		             : o->cc == OPS_BITS_AND_NOT ? (uint8_t)~x & y
		             : o->cc == OPS_BITS_OR      ? x | y
		                                         : x ^ y;
	}
	set(cpu, o, v, n);
}

void recover_vector(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	static void (*const effects[])(struct recover_cpu *, const struct vtb_ops *) = {
		[OPS_VMOV] = move,  [OPS_VMOV_HIGH] = move_high, [OPS_VLOW2] = low_halves, [OPS_VLOW4] = low_halves,
		[OPS_VZERO] = zero, [OPS_VINSERT] = insert,      [OPS_VEXTRACT] = extract, [OPS_BITS] = bits
	};

	effects[o->code](cpu, o);
}
