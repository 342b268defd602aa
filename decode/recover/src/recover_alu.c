/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recover_operand.h"

/* ------------------------------------------------------------------ flags */

static void set_flags(struct recover_cpu *cpu, uint64_t result, unsigned size, unsigned carry_overflow)
{
	cpu->flags = (uint8_t)carry_overflow;
	if (!(result & recover_mask(size)))
		cpu->flags |= OPS_ZF;
	if (result >> (8 * size - 1) & 1)
		cpu->flags |= OPS_SF;
	cpu->flags_known = OPS_FLAGS;
}

/* Is the condition known, and what is it? */
bool recover_condition(const struct recover_cpu *cpu, unsigned cc, bool *ret)
{
	static const uint8_t needs[8] = { OPS_OF, OPS_CF, OPS_ZF,          OPS_CF | OPS_ZF,
		                          OPS_SF, 0,      OPS_SF | OPS_OF, OPS_ZF | OPS_SF | OPS_OF };
	const uint8_t f = cpu->flags, need = needs[cc >> 1];
	bool v = false;

	if (cc >> 1 == 5 || (cpu->flags_known & need) != need)
		return false; /* parity is not kept */
	switch (cc >> 1) {
	case 6:
		v = !(f & OPS_SF) != !(f & OPS_OF);
		break;
	case 7:
		v = (f & OPS_ZF) || !(f & OPS_SF) != !(f & OPS_OF);
		break;
	default:
		v = f & need;
		break;
	}
	*ret = v != (cc & 1);
	return true;
}

/* ------------------------------------------------------------------ arithmetic */

static uint64_t top(uint64_t v, unsigned size)
{
	return v >> (8 * size - 1) & 1;
}

static uint64_t compute(unsigned code, uint64_t a, uint64_t b, unsigned carry, unsigned size, unsigned *ret_flags)
{
	const uint64_t m = recover_mask(size);
	unsigned __int128 wide;
	uint64_t r;

	*ret_flags = 0;
	switch (code) {
	case OPS_ADD:
	case OPS_ADC:
	case OPS_XADD:
		wide = (unsigned __int128)a + b + carry;
		r = (uint64_t)wide & m;
		*ret_flags = (wide > m ? OPS_CF : 0u) | (top((a ^ r) & (b ^ r), size) ? OPS_OF : 0u);
		return r;
	case OPS_SUB:
	case OPS_SBB:
	case OPS_CMP:
		r = (a - b - carry) & m;
		*ret_flags =
		    ((unsigned __int128)b + carry > a ? OPS_CF : 0u) | (top((a ^ b) & (a ^ r), size) ? OPS_OF : 0u);
		return r;
	case OPS_AND:
	case OPS_TEST:
		return a & b;
	case OPS_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

/* Bitwise results of which some bytes are certain although not all inputs are. */
static struct recover_value compute_bytes(unsigned code, struct recover_value a, struct recover_value b, unsigned size)
{
	struct recover_value r = recover_nothing;

	for (unsigned i = 0; i < size; i++) {
		const bool ka = a.known >> i & 1, kb = b.known >> i & 1;
		const uint8_t x = (uint8_t)(a.v >> 8 * i), y = (uint8_t)(b.v >> 8 * i);
		uint8_t v = 0;
		bool known = ka && kb;

		if (code == OPS_AND) {
			v = x & y;
			if ((ka && x == 0) || (kb && y == 0)) {
				known = true;
				v = 0;
			}
		} else if (code == OPS_OR) {
			v = x | y;
			if ((ka && x == 0xff) || (kb && y == 0xff)) {
				known = true;
				v = 0xff;
			}
		} else if (code == OPS_XOR) {
			v = x ^ y;
		} else {
			known = false;
		}
		if (known) {
			r.known |= (uint8_t)(1u << i);
			r.v |= (uint64_t)v << 8 * i;
		}
	}
	return r;
}

static bool same_reg(const struct vtb_ops_operand *a, const struct vtb_ops_operand *b)
{
	return a->type == OPS_REG && b->type == OPS_REG && a->reg == b->reg && a->high == b->high;
}

/* Of a result that is known in part: after a logic operation, the sign if the highest byte is known, and that it is not
 * zero if one byte is not. */
static void set_flags_of_bytes(struct recover_cpu *cpu, struct recover_value r, unsigned size, bool logic)
{
	const uint64_t v = r.v & recover_known_bits(r.known) & recover_mask(size);

	cpu->flags_known = 0;
	if (!logic)
		return;
	cpu->flags = top(v, size) ? OPS_SF : 0;
	cpu->flags_known = (uint8_t)(OPS_CF | OPS_OF | (r.known >> (size - 1) & 1 ? OPS_SF : 0) | (v ? OPS_ZF : 0));
}

static void exec_arithmetic(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct vtb_ops_operand *to = &o->op[0], *from = &o->op[1];
	const unsigned size = to->size, code = o->code;
	struct recover_value a = recover_read_op(cpu, to), b = recover_read_op(cpu, from), r;
	const bool carries = code == OPS_ADC || code == OPS_SBB;
	const bool writes = code != OPS_CMP && code != OPS_TEST;
	unsigned flags;

	b.v &= recover_mask(size);
	if ((code == OPS_XOR || code == OPS_SUB) && same_reg(to, from))
		a = b = recover_exactly(0); /* zero whatever it was */
	if (recover_is_known(a, size) && recover_is_known(b, size) && (!carries || (cpu->flags_known & OPS_CF))) {
		const uint64_t v =
		    compute(code, a.v & recover_mask(size), b.v, carries && (cpu->flags & OPS_CF), size, &flags);

		if (code == OPS_XADD)
			recover_write_op(cpu, from, a);
		if (writes)
			recover_write_op(cpu, to, recover_exactly(v));
		set_flags(cpu, v, size, flags);
		return;
	}
	r = compute_bytes(code == OPS_TEST ? OPS_AND : code, a, b, size);
	set_flags_of_bytes(cpu, r, size, code == OPS_AND || code == OPS_OR || code == OPS_XOR || code == OPS_TEST);
	if (code == OPS_XADD)
		recover_write_op(cpu, from, a);
	if (writes)
		recover_write_op(cpu, to, r);
}

static void exec_step(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned size = o->op[0].size;
	const struct recover_value a = recover_read_op(cpu, &o->op[0]);
	const uint8_t carry = cpu->flags & OPS_CF, carry_known = cpu->flags_known & OPS_CF;
	uint64_t v;

	if (!recover_is_known(a, size)) {
		recover_write_op(cpu, &o->op[0], recover_nothing);
		cpu->flags_known = carry_known;
		return;
	}
	v = (o->code == OPS_INC ? a.v + 1 : a.v - 1) & recover_mask(size);
	recover_write_op(cpu, &o->op[0], recover_exactly(v));
	set_flags(cpu, v, size,
	          (o->code == OPS_INC ? top(v, size) && !(v & (recover_mask(size) >> 1))
	                              : top(a.v, size) && !(a.v & (recover_mask(size) >> 1)))
	              ? OPS_OF
	              : 0u);
	cpu->flags |= carry; /* inc and dec leave it alone */
	cpu->flags_known = (uint8_t)((OPS_FLAGS & ~OPS_CF) | carry_known);
}

static void exec_negate(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned size = o->op[0].size;
	const struct recover_value a = recover_read_op(cpu, &o->op[0]);
	const uint64_t v = (o->code == OPS_NOT ? ~a.v : 0 - a.v) & recover_mask(size);

	if (o->code == OPS_NOT) {
		recover_write_op(cpu, &o->op[0], (struct recover_value){ v, a.known });
		return;
	}
	if (recover_is_known(a, size)) {
		recover_write_op(cpu, &o->op[0], recover_exactly(v));
		set_flags(cpu, v, size, (a.v ? OPS_CF : 0u) | (a.v && a.v == v ? OPS_OF : 0u));
	} else {
		recover_write_op(cpu, &o->op[0], recover_nothing);
		cpu->flags_known = 0;
	}
}

static uint64_t shift(unsigned code, uint64_t a, unsigned n, unsigned size)
{
	const unsigned w = 8 * size;

	switch (code) {
	case OPS_SHL:
		return n < w ? a << n : 0;
	case OPS_SHR:
		return n < w ? a >> n : 0;
	case OPS_SAR:
		return (uint64_t)((int64_t)(a << (64 - w)) >> (64 - w) >> (n < w ? n : w - 1));
	case OPS_ROL:
		n %= w;
		return n ? a << n | a >> (w - n) : a;
	default:
		n %= w;
		return n ? a >> n | a << (w - n) : a;
	}
}

static void exec_shift(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned size = o->op[0].size;
	const struct recover_value a = recover_read_op(cpu, &o->op[0]);
	const struct recover_value by = o->n_ops > 1 ? recover_read_op(cpu, &o->op[1]) : recover_exactly(1);
	const unsigned n = (unsigned)by.v & (size == 8 ? 63 : 31);

	if (recover_is_known(a, size) && (by.known & 1)) {
		const uint64_t v = shift(o->code, a.v & recover_mask(size), n, size) & recover_mask(size);

		if (!n)
			return;
		recover_write_op(cpu, &o->op[0], recover_exactly(v));
		cpu->flags_known = 0;
		if (o->code == OPS_SHL || o->code == OPS_SHR || o->code == OPS_SAR) {
			set_flags(cpu, v, size, 0);
			cpu->flags_known = OPS_ZF | OPS_SF;
		}
		return;
	}
	recover_write_op(cpu, &o->op[0], recover_nothing);
	cpu->flags_known = 0;
}

static void exec_exchange(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const struct recover_value a = recover_read_op(cpu, &o->op[0]), b = recover_read_op(cpu, &o->op[1]);

	recover_write_op(cpu, &o->op[0], b);
	recover_write_op(cpu, &o->op[1], a);
}

static void exec_compare_exchange(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	const unsigned size = o->op[0].size;
	struct vtb_ops_operand rax = { .type = OPS_REG, .reg = OPS_RAX, .size = (uint8_t)size };
	const struct recover_value a = recover_read_op(cpu, &o->op[0]), b = recover_read_op(cpu, &o->op[1]),
	                           acc = recover_read_reg(cpu, &rax);
	unsigned flags;

	if (!recover_is_known(a, size) || !recover_is_known(acc, size)) {
		const struct recover_value before = cpu->r[OPS_RAX];

		recover_write_op(cpu, &o->op[0], recover_nothing);
		recover_write_reg(cpu, &rax, recover_nothing);
		if (size == 4 && ((before.known & 0xf0) != 0xf0 ||
		                  before.v >> 32)) /* it may also have stayed as it was, all of it */
			cpu->r[OPS_RAX] = recover_nothing;
		cpu->flags_known = 0;
		return;
	}
	compute(OPS_CMP, acc.v, a.v, 0, size, &flags);
	if (a.v == acc.v)
		recover_write_op(cpu, &o->op[0], b);
	else
		recover_write_reg(cpu, &rax, a);
	set_flags(cpu, acc.v - a.v, size, flags);
}

struct recover_value recover_extend(struct recover_value v, unsigned from, bool sign)
{
	struct recover_value r = { v.v & recover_mask(from), v.known & recover_bytes_mask(from) };

	if (!sign) {
		r.known |= (uint8_t)~recover_bytes_mask(from);
	} else if (v.known >> (from - 1) & 1) {
		r.known |= (uint8_t)~recover_bytes_mask(from);
		if (top(v.v, from))
			r.v |= ~recover_mask(from);
	}
	return r;
}

bool recover_alu(struct recover_cpu *cpu, const struct vtb_ops *o)
{
	switch (o->code) {
	case OPS_ADD:
	case OPS_SUB:
	case OPS_AND:
	case OPS_OR:
	case OPS_XOR:
	case OPS_CMP:
	case OPS_TEST:
	case OPS_ADC:
	case OPS_SBB:
	case OPS_XADD:
		exec_arithmetic(cpu, o);
		return true;
	case OPS_XCHG:
		exec_exchange(cpu, o);
		return true;
	case OPS_CMPXCHG:
		exec_compare_exchange(cpu, o);
		return true;
	case OPS_INC:
	case OPS_DEC:
		exec_step(cpu, o);
		return true;
	case OPS_NEG:
	case OPS_NOT:
		exec_negate(cpu, o);
		return true;
	case OPS_SHL:
	case OPS_SHR:
	case OPS_SAR:
	case OPS_ROL:
	case OPS_ROR:
		exec_shift(cpu, o);
		return true;
	case OPS_IMUL:
		recover_multiply(cpu, o);
		return true;
	case OPS_MUL_WIDE:
	case OPS_IMUL_WIDE:
		recover_multiply_wide(cpu, o);
		return true;
	case OPS_DIV:
	case OPS_IDIV:
		recover_divide(cpu, o);
		return true;
	default:
		return false;
	}
}
