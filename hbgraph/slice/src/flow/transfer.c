/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an instruction leaves in its first destination. Where there are several, or it is not modelled: any number, and
 * whatever address went in. */
#include "solve.h"

static uint32_t mixed(struct solve *s, uint32_t i)
{
	struct values *v = &s->values;
	uint32_t all = VALUE_NUMBER;
	const struct node *n = &s->nodes.rows[i];

	for (uint32_t e = n->operands; e != NONE; e = s->nodes.edges[e].next) {
		const uint32_t var = s->nodes.edges[e].var;
		const uint32_t value = s->nodes.rows[s->nodes.edges[e].node].value;

		if (var != VAR_FLAGS)
			all = value_join(v, all, value_blur(v, value));
	}
	return all;
}

static uint32_t number(struct solve *s, unsigned size)
{
	return size == 8 ? VALUE_NUMBER : value_range(&s->values, INT32_MIN, INT32_MAX, true);
}

/* An operand as it is read, `size` bytes wide. */
static uint32_t read_operand(struct solve *s, uint32_t i, const struct vtb_ops_operand *op)
{
	uint32_t v;

	switch (op->type) {
	case OPS_IMM:
		return s->p->image.movable ? value_const(&s->values, op->value)
		                           : regions_constant(&s->regions, (uint64_t)op->value);
	case OPS_REG:
		if (op->reg >= OPS_GPRS)
			return op->reg == OPS_NO_REG ? VALUE_NUMBER
			                             : solve_operand(s, i, VAR_VECTOR + op->reg - OPS_VECTOR);
		v = solve_operand(s, i, op->reg);
		return op->size == 8 ? v : op->size == 4 ? value_low(&s->values, v) : value_blur(&s->values, v);
	case OPS_MEM:
		return solve_load(s, i, solve_address(s, i, op), op->size);
	default:
		return VALUE_NUMBER;
	}
}

static uint32_t narrowed(struct solve *s, uint32_t v, unsigned size)
{
	return size == 8 ? v : size == 4 ? value_low(&s->values, v) : value_blur(&s->values, v);
}

static uint32_t extended(struct solve *s, uint32_t i, const struct vtb_ops *o)
{
	const unsigned size = o->op[1].size;
	const bool sign = o->code == OPS_MOVSX;
	const uint32_t v = read_operand(s, i, &o->op[1]);

	if (size == 4)
		return sign ? value_signed(&s->values, v) : value_low(&s->values, v);
	if (size == 1)
		return value_range(&s->values, sign ? -128 : 0, sign ? 127 : 255, o->op[0].size == 4);
	return value_range(&s->values, sign ? -32768 : 0, sign ? 32767 : 65535, o->op[0].size == 4);
}

static uint32_t masked(struct solve *s, uint32_t i, const struct vtb_ops *o)
{
	struct values *v = &s->values;
	const unsigned size = o->op[0].size;
	const uint32_t a = read_operand(s, i, &o->op[0]), b = read_operand(s, i, &o->op[1]);
	int64_t lo, hi;

	if (a == VALUE_NONE || b == VALUE_NONE)
		return VALUE_NONE;
	if (value_bounds(v, b, size, &lo, &hi) && lo >= 0)
		return value_range(v, 0, hi, size == 4);
	if (value_bounds(v, a, size, &lo, &hi) && lo >= 0)
		return value_range(v, 0, hi, size == 4);
	return narrowed(s, value_join(v, value_blur(v, a), value_blur(v, b)), size);
}

static int64_t count_of(const struct vtb_ops *o)
{
	return o->n_ops > 1 && o->op[1].type == OPS_IMM ? o->op[1].value & (o->op[0].size == 8 ? 63 : 31)
	       : o->n_ops == 1                          ? 1
	                                                : -1;
}

static uint32_t shifted(struct solve *s, uint32_t i, const struct vtb_ops *o)
{
	struct values *v = &s->values;
	const unsigned size = o->op[0].size, bits = size * 8;
	const uint32_t a = read_operand(s, i, &o->op[0]);
	const int64_t k = count_of(o);
	int64_t lo, hi;

	if (a == VALUE_NONE)
		return VALUE_NONE;
	if (value_at(v, a)->part && o->code == OPS_SHL)
		return VALUE_ANY;
	if (k < 0 || size < 4 || value_at(v, a)->n || a == VALUE_ANY)
		return narrowed(s, value_blur(v, a), size);
	if (k == 0)
		return a;
	if (o->code == OPS_SHL)
		return narrowed(s, k < 16 ? value_scale(v, a, 1ll << k) : VALUE_NUMBER, size);
	if (o->code == OPS_SHR) {
		if (value_bounds(v, a, size, &lo, &hi) && lo >= 0)
			return value_range(v, lo >> k, hi >> k, size == 4);
		return bits - k >= 46 ? VALUE_NUMBER : value_range(v, 0, (1ll << (bits - k)) - 1, false);
	}
	if (value_bounds(v, a, size, &lo, &hi))
		return value_range(v, lo >> k, hi >> k, size == 4);
	return bits - k >= 46 ? VALUE_NUMBER
	                      : value_range(v, -(1ll << (bits - k - 1)), (1ll << (bits - k - 1)) - 1, size == 4);
}

static uint32_t summed(struct solve *s, uint32_t i, const struct vtb_ops *o)
{
	struct values *v = &s->values;
	const unsigned size = o->op[0].size;
	uint32_t a = read_operand(s, i, &o->op[0]), b;

	if (o->code == OPS_INC || o->code == OPS_DEC)
		b = value_const(v, 1);
	else
		b = read_operand(s, i, &o->op[1]);
	if (size == 4) { /* as signed numbers; what does not fit is anything of 4 bytes */
		a = value_signed(v, a);
		b = value_signed(v, b);
	}
	a = o->code == OPS_ADD || o->code == OPS_INC ? value_add(v, a, b) : value_subtract(v, a, b);
	return narrowed(s, a, size);
}

static bool is_cleared(const struct vtb_ops *o)
{
	return o->op[0].type == OPS_REG && o->op[1].type == OPS_REG && o->op[0].reg == o->op[1].reg &&
	       o->op[0].size >= 4 && !o->op[0].high;
}

static uint32_t product(struct solve *s, uint32_t i, const struct vtb_ops *o)
{
	const struct vtb_ops_operand *by = &o->op[o->n_ops - 1];
	uint32_t v = read_operand(s, i, &o->op[o->n_ops - 2]);

	if (by->type != OPS_IMM)
		return mixed(s, i);
	if (o->op[0].size == 4)
		v = value_signed(&s->values, v);
	return narrowed(s, value_scale(&s->values, v, by->value), o->op[0].size);
}

static uint32_t loaded(struct solve *s, uint32_t i, const struct vtb_ops *o)
{
	const struct vtb_ops_operand *to = &o->op[0], *from = &o->op[1];

	if (to->type == OPS_REG && to->size < 4)
		return mixed(s, i);
	return narrowed(s, read_operand(s, i, from), to->size);
}

/* Whatever instruction reads memory and is not modelled: what it reads may come out. */
static uint32_t with_memory(struct solve *s, uint32_t i, const struct vtb_ops *o)
{
	uint32_t v = mixed(s, i);

	for (unsigned k = 0; k < o->n_ops; k++)
		if (o->op[k].type == OPS_MEM && o->code != OPS_LEA)
			v = value_join(
			    &s->values, v,
			    value_blur(&s->values, solve_load(s, i, solve_address(s, i, &o->op[k]), o->op[k].size)));
	if (o->code >= OPS_MOVS && o->code <= OPS_CMPS) {
		const uint32_t from = solve_operand(s, i, o->code == OPS_SCAS ? OPS_RDI : OPS_RSI);

		v = value_join(&s->values, v, value_blur(&s->values, solve_load(s, i, from, 0)));
	}
	return v;
}

/* Of rax, in all bits. */
static uint32_t sign_of(struct solve *s, uint32_t i, unsigned size)
{
	const uint32_t rax = solve_operand(s, i, OPS_RAX);
	int64_t lo = -1, hi = 0;

	if (rax == VALUE_NONE)
		return VALUE_NONE;
	if (value_bounds(&s->values, rax, size, &lo, &hi)) {
		lo = lo < 0 ? -1 : 0;
		hi = hi < 0 ? -1 : 0;
	} else {
		lo = -1;
		hi = 0;
	}
	return value_range(&s->values, lo, hi, size == 4);
}

/* Where the value goes, the rest of the register is cleared or as before. */
static uint32_t value_of(struct solve *s, uint32_t i, const struct vtb_ops *o)
{
	struct values *v = &s->values;
	const struct vtb_ops_operand *a = &o->op[0];

	switch (o->code) {
	case OPS_MOV:
		return loaded(s, i, o);
	case OPS_MOVZX:
	case OPS_MOVSX:
		return a->size >= 4 ? extended(s, i, o) : mixed(s, i);
	case OPS_LEA:
		return narrowed(s, solve_address(s, i, &o->op[1]), a->size);
	case OPS_ADD:
	case OPS_SUB:
	case OPS_INC:
	case OPS_DEC:
		if (o->code == OPS_SUB && is_cleared(o))
			return value_const(v, 0);
		return a->size >= 4 ? summed(s, i, o) : with_memory(s, i, o);
	case OPS_XOR:
		return is_cleared(o) ? value_const(v, 0) : with_memory(s, i, o);
	case OPS_AND:
		return a->size >= 4 ? masked(s, i, o) : with_memory(s, i, o);
	case OPS_SHL:
	case OPS_SHR:
	case OPS_SAR:
		return shifted(s, i, o);
	case OPS_IMUL:
		return o->n_ops == 3 ? product(s, i, o) : with_memory(s, i, o);
	case OPS_CDQE:
		return value_signed(v, solve_operand(s, i, OPS_RAX));
	case OPS_CDQ:
		return sign_of(s, i, 4);
	case OPS_CQO:
		return sign_of(s, i, 8);
	case OPS_CMOV:
		return narrowed(s, value_join(v, read_operand(s, i, a), read_operand(s, i, &o->op[1])), a->size);
	case OPS_PUSH:
		return read_operand(s, i, a);
	case OPS_POP:
		return solve_load(s, i, solve_operand(s, i, OPS_RSP), 8);
	case OPS_LEAVE:
		return solve_load(s, i, solve_operand(s, i, OPS_RBP), 8);
	case OPS_VZERO:
		return value_const(v, 0);
	case OPS_VMOV:
		return a->type == OPS_MEM ? read_operand(s, i, &o->op[1])
		       : o->width == 8    ? read_operand(s, i, &o->op[1])
		                          : value_blur(v, read_operand(s, i, &o->op[1]));
	default:
		return with_memory(s, i, o);
	}
}

uint32_t transfer_stored(struct solve *s, const struct vtb_ops *o, uint32_t value)
{
	const bool whole =
	    o->n_ops < 2 || o->code == OPS_MOV || o->code == OPS_VMOV || (o->code >= OPS_ADD && o->code <= OPS_SUB);

	return whole ? value : value_blur(&s->values, value_join(&s->values, value, VALUE_NUMBER));
}

/* What is stored is what would stay in a register. */
static void store(struct solve *s, uint32_t i, const struct vtb_ops *o, uint32_t value)
{
	for (unsigned k = 0; k < o->n_access; k++) {
		const struct vtb_ops_access *x = &o->access[k];

		if (!(x->mode & OPS_WRITES))
			continue;
		if (x->operand < 3)
			solve_store(s, solve_address(s, i, &o->op[x->operand]), x->size, transfer_stored(s, o, value));
		else if (x->operand == OPS_STRING_DEST)
			solve_store(s, solve_operand(s, i, OPS_RDI), o->rep ? 0 : x->size,
			            o->code == OPS_STOS ? solve_operand(s, i, OPS_RAX) : value);
		else if (x->operand == OPS_STACK_PUSH && o->code == OPS_PUSH)
			solve_store(s, value_add(&s->values, solve_operand(s, i, OPS_RSP), value_const(&s->values, -8)),
			            8, value);
	}
}

uint32_t transfer(struct solve *s, uint32_t i)
{
	const struct vtb_ops *o = &s->p->insns[i].ops;
	const bool to_memory = o->n_ops && o->op[0].type == OPS_MEM;
	uint32_t v;

	if (o->code == OPS_NOTHING || o->code == OPS_RET || o->code == OPS_CMP || o->code == OPS_TEST)
		return VALUE_NUMBER;
	if (o->code == OPS_SET || (to_memory && o->op[0].size < 4 && o->code != OPS_MOV && o->code != OPS_PUSH))
		v = mixed(s, i);
	else
		v = value_of(s, i, o);
	v = solve_grown(s, i, v);
	store(s, i, o, v);
	if (o->code == OPS_XCHG || o->code == OPS_XADD || o->code == OPS_CMPXCHG)
		v = with_memory(s, i, o);
	if (o->code == OPS_SYSCALL)
		v = number(s, 8);
	return v;
}
