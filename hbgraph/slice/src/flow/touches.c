/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which memory an instruction or a call of another module touches. */
#include <string.h>

#include "solve.h"

static int add(struct touch *ret, int n, uint32_t address, unsigned size, bool reads, bool writes)
{
	if (n >= TOUCHES || n < 0)
		return -1;
	ret[n] = (struct touch){
		.address = address, .size = size > 64 ? 0 : size, .reads = reads, .writes = writes, .frame = NO_FRAME
	};
	return n + 1;
}

static int add_stack(struct solve *s, uint32_t i, struct touch *ret, int n, int32_t frame, bool writes)
{
	const uint64_t id = REGION(REGION_FRAME, s->p->blocks[s->p->insns[i].block].function);
	const uint32_t at = frame == NO_FRAME ? value_address(&s->values, id, -VALUE_INF, VALUE_INF)
	                                      : value_address(&s->values, id, frame, frame);

	n = add(ret, n, at, 8, !writes, writes);
	if (n > 0 && frame != NO_FRAME) {
		ret[n - 1].sure = true;
		ret[n - 1].frame = frame;
	}
	return n;
}

static int of_operand(struct solve *s, uint32_t i, const struct vtb_ops_access *x, struct touch *ret, int n)
{
	const struct insn *insn = &s->p->insns[i];
	const struct vtb_ops_operand *op = &insn->ops.op[x->operand];
	const bool known = insn->frame != NO_FRAME && op->base < OPS_GPRS && op->index == OPS_NO_REG && !op->segment;

	n = add(ret, n, solve_address(s, i, op), x->size, x->mode & OPS_READS || x->partial, x->mode & OPS_WRITES);
	if (n > 0 && known && x->size && x->size <= 64) {
		ret[n - 1].sure = true;
		ret[n - 1].frame = insn->frame;
	}
	return n;
}

static int of_insn(struct solve *s, uint32_t i, struct touch *ret)
{
	const struct insn *insn = &s->p->insns[i];
	const struct vtb_ops *o = &insn->ops;
	int n = 0;

	for (unsigned k = 0; k < o->n_access; k++) {
		const struct vtb_ops_access *x = &o->access[k];
		const unsigned size = o->rep ? 0 : x->size;

		if (x->operand < 3)
			n = of_operand(s, i, x, ret, n);
		else if (x->operand == OPS_STACK_PUSH && o->code != OPS_CALL)
			n = add_stack(s, i, ret, n, insn->sp == NO_FRAME ? NO_FRAME : insn->sp - 8, true);
		else if (x->operand == OPS_STACK_POP && o->code != OPS_RET)
			n = add_stack(s, i, ret, n, insn->sp, false);
		else if (x->operand == OPS_STACK_FRAME)
			n = add_stack(s, i, ret, n, insn->frame, false);
		else if (x->operand == OPS_STRING_SOURCE)
			n = add(ret, n, solve_operand(s, i, OPS_RSI), size, true, false);
		else if (x->operand == OPS_STRING_DEST)
			n = add(ret, n, solve_operand(s, i, OPS_RDI), size, x->mode & OPS_READS, x->mode & OPS_WRITES);
	}
	return o->code == OPS_SYSCALL ? -1 : n;
}

/* Memory that arguments on the stack point to. */
static int of_pushed(struct solve *s, uint32_t i, bool writes, struct touch *ret, int n)
{
	for (unsigned k = 0; k < SOLVE_PUSHED && n >= 0; k++) {
		const uint32_t to = solve_pushed(s, i, k);

		if (value_at(&s->values, to)->any || value_at(&s->values, to)->n)
			n = add(ret, n, to, 0, !writes, writes);
	}
	return n;
}

/* A va_list, the areas that it points to, and what arguments in these point to. */
static int of_list(struct solve *s, uint32_t i, uint32_t list, struct touch *ret, int n)
{
	const uint32_t areas = solve_load(s, i, list, 0);

	n = add(ret, n, list, 0, true, false);
	n = add(ret, n, areas, 0, true, false);
	return add(ret, n, solve_load(s, i, areas, 0), 0, true, false);
}

static int of_summary(struct solve *s, uint32_t i, const struct summary *x, struct touch *ret)
{
	const unsigned letters = (unsigned)strlen(x->args);
	int n = x->does & (DOES_ANYTHING) || strchr(x->args, 'k') ? -1 : 0;

	for (unsigned k = 0; k < 6 && n >= 0; k++) {
		const char how = k < letters ? x->args[k] : x->does & DOES_REST ? 'r' : x->does & DOES_SCAN ? 'w' : '-';
		const unsigned size = strchr("slt", how) ? x->size : 0;

		if (how == 'v')
			n = of_list(s, i, solve_argument(s, i, k), ret, n);
		else if (strchr("rwbslt", how))
			n = add(ret, n, solve_argument(s, i, k), x->does & DOES_JOIN && k == 1 ? 8 : size,
			        strchr("rbsl", how), strchr("wbst", how));
	}
	return x->does & (DOES_REST | DOES_SCAN) && solve_pushes(s, i) ? of_pushed(s, i, x->does & DOES_SCAN, ret, n)
	                                                               : n;
}

int solve_touches(struct solve *s, uint32_t i, struct touch *ret)
{
	const struct insn *insn = &s->p->insns[i];
	uint64_t wild;

	if (vtb_map64_get(&s->is_wild, i, &wild))
		return -1;
	if (insn->external)
		return of_summary(s, i, insn->external, ret);
	return of_insn(s, i, ret);
}
