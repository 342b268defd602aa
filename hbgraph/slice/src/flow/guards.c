/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a branch tells of a register: behind "cmp $99, %eax; ja" on the way that does not jump, eax is at most 99. So an
 * index is known to be within its array where the code has made sure of it.
 */
#include "guards.h"

#define SMALL 65536 /* no object lies below: what is less is a number */

/* Conditions of jumps: the low 4 bits of their opcodes; the lowest one negates. */
enum { CC_BELOW = 2, CC_EQUAL = 4, CC_BELOW_EQUAL = 6, CC_NEGATIVE = 8, CC_LESS = 12, CC_LESS_EQUAL = 14 };

static bool is_register(const struct vtb_ops_operand *op)
{
	return op->type == OPS_REG && op->reg < OPS_GPRS && op->size >= 4 && !op->high;
}

/* The instruction that sets the flags with which the block ends. */
static uint32_t flags_of(const struct program *p, const struct block *b)
{
	for (uint32_t i = b->first + b->n - 1; i-- > b->first;)
		if (p->insns[i].defs & VAR_BIT(VAR_FLAGS))
			return i;
	return NONE;
}

/* Does it set the flags by comparing operand 0 with a number? Results of sums are compared with 0, overflows apart. */
static bool compares(const struct vtb_ops *o, int64_t *ret_with, bool *ret_sum)
{
	*ret_with = 0;
	*ret_sum = false;
	if (!o->n_ops || !is_register(&o->op[0]))
		return false;
	if (o->code == OPS_CMP) {
		*ret_with = o->op[1].value;
		return o->op[1].type == OPS_IMM;
	}
	if (o->code == OPS_TEST)
		return o->op[1].type == OPS_REG && o->op[1].reg == o->op[0].reg;
	*ret_sum = o->code == OPS_ADD || o->code == OPS_SUB || o->code == OPS_INC || o->code == OPS_DEC;
	return *ret_sum || o->code == OPS_AND || o->code == OPS_OR || o->code == OPS_XOR;
}

/* Is `var` at the block's end what was compared at instruction `at`, or a copy of that? */
static bool is_compared(const struct program *p, const struct block *b, uint32_t at, uint32_t var)
{
	const struct vtb_ops_operand *op = &p->insns[at].ops.op[0];
	bool same = var == op->reg, source = true;

	for (uint32_t i = at + 1; i < b->first + b->n; i++) {
		const struct vtb_ops *o = &p->insns[i].ops;

		if (p->insns[i].defs & VAR_BIT(var))
			same = source && o->code == OPS_MOV && is_register(&o->op[0]) && is_register(&o->op[1]) &&
			       o->op[1].reg == op->reg && o->op[0].size >= op->size;
		source &= !(p->insns[i].defs & VAR_BIT(op->reg));
	}
	return same;
}

bool guards_tell(const struct program *p, uint32_t block, uint32_t var)
{
	const struct block *b = &p->blocks[block];
	const struct insn *last = &p->insns[b->first + b->n - 1];
	const uint32_t at = var < OPS_GPRS && last->flow == FLOW_BRANCH && last->cond < 16 ? flags_of(p, b) : NONE;
	int64_t with;
	bool sum;

	return at != NONE && last->target != last->addr + last->size && compares(&p->insns[at].ops, &with, &sum) &&
	       is_compared(p, b, at, var);
}

bool guards_taken(const struct program *p, uint32_t from, uint32_t to)
{
	const struct block *b = &p->blocks[from];

	return p->insns[b->first + b->n - 1].target == p->insns[p->blocks[to].first].addr;
}

/* ---- bounds */

static void at_most(struct guard_bounds *x, int64_t hi)
{
	x->hi = hi < x->hi ? hi : x->hi;
}

static void at_least(struct guard_bounds *x, int64_t lo)
{
	x->lo = lo > x->lo ? lo : x->lo;
}

static void signed_bounds(struct guard_bounds *x, unsigned cc, int64_t with)
{
	if (cc == CC_LESS || cc == CC_LESS_EQUAL)
		at_most(x, cc == CC_LESS ? with - 1 : with);
	else
		at_least(x, cc == (CC_LESS | 1) ? with : with + 1);
}

/* As numbers without sign: what is at most a positive number is positive. */
static void unsigned_bounds(struct guard_bounds *x, unsigned cc, int64_t with)
{
	const bool strict = (cc & ~1u) == CC_BELOW;

	if (with < 0)
		return;
	if (cc & 1) {
		if (x->lo >= 0)
			at_least(x, strict ? with : with + 1);
		return;
	}
	at_least(x, 0);
	at_most(x, strict ? with - 1 : with);
}

static void equal_bounds(struct guard_bounds *x, bool equal, int64_t with)
{
	if (equal) {
		at_least(x, with);
		at_most(x, with);
	} else if (x->lo == with) {
		x->lo++;
	} else if (x->hi == with) {
		x->hi--;
	}
}

void guards_narrow(struct guard_bounds *x, unsigned cc, int64_t with, bool sum)
{
	if ((cc & ~1u) == CC_EQUAL)
		equal_bounds(x, cc == CC_EQUAL, with);
	else if ((cc & ~1u) == CC_NEGATIVE && !with)
		signed_bounds(x, cc == CC_NEGATIVE ? CC_LESS : CC_LESS | 1u, 0);
	else if (cc >= CC_LESS && !sum)
		signed_bounds(x, cc, with);
	else if (((cc & ~1u) == CC_BELOW || (cc & ~1u) == CC_BELOW_EQUAL) && !sum)
		unsigned_bounds(x, cc, with);
}

/* Are its bounds those of the number that was compared, as a signed one of `size` bytes? */
static bool is_number(const struct value *v, unsigned size)
{
	if (size == 8)
		return !v->narrow;
	return v->number && (v->narrow || (v->lo >= INT32_MIN && v->hi <= INT32_MAX));
}

uint32_t guards_value(struct solve *s, const struct node *n, uint32_t value)
{
	const struct program *p = s->p;
	const struct block *b = &p->blocks[n->of];
	const uint32_t at = flags_of(p, b);
	const struct value *v = value_at(&s->values, value);
	struct guard_bounds x = { -VALUE_INF, VALUE_INF };
	int64_t with;
	bool sum;

	compares(&p->insns[at].ops, &with, &sum);
	if (value == VALUE_NONE || v->n || !is_number(v, p->insns[at].ops.op[0].size))
		return value;
	if (v->number)
		x = (struct guard_bounds){ v->lo, v->hi };
	guards_narrow(&x, p->insns[b->first + b->n - 1].cond ^ !(n->var & GUARD_TAKEN), with, sum);
	if (x.lo > x.hi)
		return VALUE_NONE;
	if (v->any && (x.lo < 0 || x.hi >= SMALL))
		return value;
	return value_range(&s->values, x.lo, x.hi, v->narrow);
}
