/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls do to values: of functions of other modules by their summary, through pointers by what these may be. */
#include <errno.h>
#include <string.h>

#include "solve.h"
#include "vtb/array.h"

#define LONG_DOUBLE 10 /* bytes that the processor stores */

/* Is the register given a value, so that the argument behind it is one that a call may be given? */
static bool is_given(const struct solve *s, uint32_t i, uint32_t var)
{
	for (uint32_t e = s->nodes.rows[i].operands; e != NONE; e = s->nodes.edges[e].next)
		if (s->nodes.edges[e].var == var)
			return s->nodes.rows[s->nodes.edges[e].node].kind != NODE_OUT;
	return false;
}

/* Long doubles are handed over on the stack only. */
static bool stores_long_doubles(const struct program *p, uint32_t i)
{
	const struct function *fn = &p->functions[p->blocks[p->insns[i].block].function];

	for (uint32_t k = fn->first; k < fn->first + fn->n; k++)
		for (unsigned n = 0; n < p->insns[k].ops.n_access; n++)
			if (p->insns[k].ops.access[n].size == LONG_DOUBLE)
				return true;
	return false;
}

bool solve_pushes(struct solve *s, uint32_t i)
{
	const struct summary *x = s->p->insns[i].external;
	uint64_t wild;

	if (vtb_map64_get(&s->is_wild, i, &wild) || (x && x->does & DOES_ANYTHING))
		return true;
	return x && x->does & (DOES_REST | DOES_SCAN) &&
	       (is_given(s, i, solve_arguments[5]) || is_given(s, i, VAR_VECTOR + 7) || stores_long_doubles(s->p, i));
}

struct place solve_pushed_place(struct solve *s, uint32_t i)
{
	const struct insn *insn = &s->p->insns[i];
	const uint64_t frame = REGION(REGION_FRAME, s->p->blocks[insn->block].function);
	struct place at = { .region = regions_index(&s->regions, frame), .lo = -VALUE_INF, .hi = VALUE_INF };

	if (insn->sp != NO_FRAME) {
		at.lo = insn->sp + (insn->flow == FLOW_TAIL ? 8 : 0);
		at.hi = at.lo + 8 * SOLVE_PUSHED;
		at.hi = insn->flow != FLOW_TAIL && at.hi > 0 ? 0 : at.hi;
	}
	return at;
}

uint32_t solve_pushed(struct solve *s, uint32_t i, unsigned k)
{
	const struct place all = solve_pushed_place(s, i);
	const uint64_t frame = s->regions.rows[all.region].id;
	const int64_t at = all.lo + 8ll * k;

	if (all.lo == -VALUE_INF)
		return k ? VALUE_NONE : solve_load(s, i, value_address(&s->values, frame, -VALUE_INF, VALUE_INF), 0);
	return at < all.hi ? solve_load(s, i, value_address(&s->values, frame, at, at), 8) : VALUE_NONE;
}

static void lose_arguments(struct solve *s, uint32_t i)
{
	for (unsigned k = 0; k < 6; k++)
		value_lose(&s->values, solve_argument(s, i, k));
	for (unsigned k = 0; k < SOLVE_PUSHED; k++)
		value_lose(&s->values, solve_pushed(s, i, k));
}

void solve_set_wild(struct solve *s, uint32_t i)
{
	uint64_t known;

	if (!vtb_map64_get(&s->is_wild, i, &known)) {
		if (vtb_map64_set(&s->is_wild, i, 1) < 0 || vtb_array_room(s, wild) < 0) {
			s->status = -ENOMEM;
			return;
		}
		s->wild[s->n_wild++] = i;
		for (unsigned k = 0; k < 6; k++)
			if (nodes_link(&s->nodes, i, nodes_before(&s->nodes, i, solve_arguments[k]),
			               solve_arguments[k]) < 0)
				s->status = -ENOMEM;
		for (uint64_t out, next = vtb_map64_get(&s->nodes.outs, i, &out) ? out : NONE; next != NONE;) {
			const uint32_t n = (uint32_t)next;

			solve_queue(s, n);
			next = NONE;
			vtb_map64_get(&s->nodes.more, n, &next);
		}
	}
	lose_arguments(s, i);
}

/* ---- through pointers, and of functions that are handed over */

static void call_all(struct solve *s, uint32_t i, uint32_t target, bool wild)
{
	const struct value v = *value_at(&s->values, target);

	for (uint32_t k = 0; k < v.n; k++)
		if (v.pair[k].region >> 32 == REGION_CODE) {
			if (wild)
				regions_lose(&s->regions, v.pair[k].region);
			nodes_call(&s->nodes, i, (uint32_t)v.pair[k].region, false, wild);
		}
	if (v.any)
		solve_set_wild(s, i);
}

static uint32_t target_of(struct solve *s, uint32_t i)
{
	const struct vtb_ops_operand *op = &s->p->insns[i].ops.op[0];

	if (op->type == OPS_REG && op->reg < OPS_GPRS)
		return solve_operand(s, i, op->reg);
	return op->type == OPS_MEM ? solve_load(s, i, solve_address(s, i, op), 8) : VALUE_ANY;
}

static void call_pointer(struct solve *s, uint32_t i)
{
	call_all(s, i, target_of(s, i), false);
}

bool solve_leads_nowhere(struct solve *s, uint32_t i)
{
	const struct value *v = value_at(&s->values, target_of(s, i));

	for (uint32_t k = 0; k < v->n; k++)
		if (v->pair[k].region >> 32 == REGION_CODE)
			return false;
	return !v->any && v->n;
}

void solve_link_results(struct solve *s, uint32_t f, uint32_t user)
{
	static const uint32_t results[] = { OPS_RAX, OPS_RDX, VAR_VECTOR };
	const struct function *fn = &s->p->functions[f];

	for (uint32_t b = fn->block; b < fn->block + fn->n_blocks; b++) {
		const uint32_t last = s->p->blocks[b].first + s->p->blocks[b].n - 1;
		const uint8_t flow = s->p->insns[last].flow;

		if (flow != FLOW_RET && flow != FLOW_TAIL)
			continue;
		for (unsigned k = 0; k < sizeof(results) / sizeof(*results); k++) {
			const uint32_t node = nodes_leaving(&s->nodes, last, results[k]);

			if (node != NONE && nodes_link(&s->nodes, user, node, results[k]) < 0)
				s->status = -ENOMEM;
		}
	}
}

static void start_thread(struct solve *s, uint32_t i)
{
	const struct value v = *value_at(&s->values, solve_argument(s, i, 2));

	for (uint32_t k = 0; k < v.n; k++) {
		const uint32_t f = (uint32_t)v.pair[k].region;

		if (v.pair[k].region >> 32 != REGION_CODE)
			continue;
		nodes_call(&s->nodes, i, f, true, false);
		solve_link_results(s, f, s->nodes.result);
	}
	if (v.any) {
		solve_set_wild(s, i);
		value_lose(&s->values, solve_argument(s, i, 3));
	}
}

/* ---- by summary */

static bool is_atomic(const struct summary *x)
{
	return x->does & DOES_ACCESS && x->size;
}

static uint32_t arguments_joined(struct solve *s, uint32_t i, unsigned from, unsigned to)
{
	uint32_t v = VALUE_NONE;

	for (unsigned k = from; k <= to; k++)
		v = value_join(&s->values, v, solve_argument(s, i, k));
	return v;
}

static void do_atomic(struct solve *s, uint32_t i, const struct summary *x)
{
	const uint32_t held = solve_load(s, i, solve_argument(s, i, 0), x->size);
	const bool compares = !strncmp(x->name, "compare", 7);
	uint32_t v;

	if (x->args[0] == 'l')
		return;
	if (compares)
		v = solve_argument(s, i, 2);
	else if (!strcmp(x->name, "store") || !strcmp(x->name, "exchange"))
		v = solve_argument(s, i, 1);
	else
		v = value_blur(&s->values, value_join(&s->values, VALUE_NUMBER,
		                                      value_join(&s->values, held, arguments_joined(s, i, 1, 1))));
	solve_store(s, solve_argument(s, i, 0), x->size, v);
	if (compares && x->args[1] == 's')
		solve_store(s, solve_argument(s, i, 1), x->size, held);
}

/* What the arguments' memory holds, for those that copy it. */
static uint32_t copied(struct solve *s, uint32_t i, const struct summary *x)
{
	uint32_t v = VALUE_NUMBER;

	for (unsigned k = 0; x->args[k] && k < 6; k++)
		if (x->does & DOES_COPY && strchr("rb", x->args[k]))
			v = value_join(&s->values, v, solve_load(s, i, solve_argument(s, i, k), 0));
	return v;
}

/* A destructor of the standard library's: it is called later, with an object that is handed over as well, and calls
 * nothing of the program's. */
static bool is_std_destructor(struct solve *s, uint32_t i, unsigned k)
{
	for (uint32_t e = s->nodes.rows[i].operands; e != NONE; e = s->nodes.edges[e].next) {
		const uint32_t from = s->nodes.edges[e].node;
		const struct vtb_ops *o = &s->p->insns[from < s->p->n_insns ? from : 0].ops;
		const char *name;

		if (s->nodes.edges[e].var != solve_arguments[k] || from >= s->p->n_insns || o->code != OPS_MOV ||
		    o->op[1].type != OPS_MEM || o->op[1].base != OPS_NO_REG || o->op[1].index != OPS_NO_REG)
			continue;
		name = image_slot(&s->p->image, (uint64_t)o->op[1].value);
		return name && !strncmp(name, "_ZNSt", 5) && strlen(name) > 4 &&
		       !strcmp(name + strlen(name) - 4, "D1Ev");
	}
	return false;
}

static void do_argument(struct solve *s, uint32_t i, const struct summary *x, unsigned k, uint32_t written)
{
	const uint32_t a = solve_argument(s, i, k);
	const char how = x->args[k];

	if (how == 'k' || how == 'o')
		value_lose(&s->values, a);
	else if (how == 'f' && !is_std_destructor(s, i, k))
		call_all(s, i, a, true);
	else if (how == 's' || how == 't')
		solve_store(s, a, x->size, VALUE_NUMBER);
	else if (how == 'w' || how == 'b')
		solve_store(s, a, 0, written);
}

static uint32_t fresh_block(struct solve *s, uint32_t i)
{
	return value_address(&s->values, REGION(REGION_HEAP, i), 0, 0);
}

static uint32_t errno_of(struct solve *s)
{
	return value_address(&s->values, REGION(REGION_ERRNO, 0), 0, 0);
}

/* Is what threads return an operand of this join? */
static bool is_linked(const struct solve *s, uint32_t i)
{
	for (uint32_t e = s->nodes.rows[i].operands; e != NONE; e = s->nodes.edges[e].next)
		if (s->nodes.edges[e].var == VARS)
			return true;
	return false;
}

static void do_summary(struct solve *s, uint32_t i, const struct summary *x)
{
	const uint32_t written = copied(s, i, x);
	struct touch touched[TOUCHES];
	const unsigned n = (unsigned)strlen(x->args);

	for (unsigned k = 0; k < n && k < 6; k++)
		do_argument(s, i, x, k, written);
	for (unsigned k = n; x->does & DOES_SCAN && k < 6; k++)
		solve_store(s, solve_argument(s, i, k), 0, VALUE_NUMBER);
	for (unsigned k = 0; x->does & DOES_SCAN && solve_pushes(s, i) && k < SOLVE_PUSHED; k++)
		solve_store(s, solve_pushed(s, i, k), 0, VALUE_NUMBER);
	if (x->does & DOES_REST || strchr(x->args, 'v'))
		solve_touches(s, i, touched); /* whatever that loses is lost now */
	if (x->ret == 'n' || x->ret == 'm')
		solve_store(s, fresh_block(s, i), 0, written);
	if (x->ret == 'e')
		solve_store(s, errno_of(s), 4, VALUE_NUMBER);
	if (x->does & DOES_RUN)
		running_start(s, i);
	else if (x->does & DOES_CREATE)
		start_thread(s, i);
	if (x->does & DOES_JOIN) {
		if (!is_linked(s, i))
			nodes_link(&s->nodes, i, s->nodes.result, VARS);
		solve_store(s, solve_argument(s, i, 1), 8, s->nodes.rows[s->nodes.result].value);
	}
	if (x->does & DOES_END)
		nodes_link(&s->nodes, s->nodes.result, nodes_before(&s->nodes, i, OPS_RDI), OPS_RAX);
	if (x->does & DOES_ANYTHING)
		lose_arguments(s, i);
}

static void requeue_outs(struct solve *s, uint32_t i)
{
	uint64_t n;

	for (uint64_t next = vtb_map64_get(&s->nodes.outs, i, &n) ? n : NONE; next != NONE;) {
		solve_queue(s, (uint32_t)next);
		if (!vtb_map64_get(&s->nodes.more, (uint32_t)next, &n))
			n = NONE;
		next = n;
	}
}

void solve_call(struct solve *s, uint32_t i)
{
	const struct insn *insn = &s->p->insns[i];

	if (insn->indirect)
		call_pointer(s, i);
	else if (insn->external && is_atomic(insn->external))
		do_atomic(s, i, insn->external);
	else if (insn->external)
		do_summary(s, i, insn->external);
	if (insn->external)
		requeue_outs(s, i);
}

static uint32_t returned(struct solve *s, uint32_t i, const struct summary *x)
{
	uint32_t v = VALUE_NUMBER;

	if (is_atomic(x) && x->args[0] != 't') /* what it has found, or whether it did */
		return value_join(&s->values, v, solve_load(s, i, solve_argument(s, i, 0), x->size));
	if (x->ret == '?')
		return VALUE_ANY;
	if (x->ret == 'n' || x->ret == 'm')
		v = value_join(&s->values, v, fresh_block(s, i));
	if (x->ret == 'e')
		return errno_of(s);
	if (x->ret == 'c')
		return value_address(&s->values, REGION(REGION_TABLES, 0), 0, 0);
	if (x->ret == 'i' || x->ret == 'm')
		v = value_join(&s->values, v, value_blur(&s->values, solve_argument(s, i, 0)));
	if (x->ret == '0')
		v = value_join(&s->values, v, solve_argument(s, i, 0));
	return v;
}

uint32_t solve_result(struct solve *s, uint32_t call, uint32_t var)
{
	const struct insn *insn = &s->p->insns[call];
	uint64_t wild;

	if (vtb_map64_get(&s->is_wild, call, &wild) || (insn->external && insn->external->does & DOES_ANYTHING))
		return VALUE_ANY;
	if (!insn->external)
		return VALUE_NONE;
	return var == OPS_RAX ? returned(s, call, insn->external) : VALUE_NUMBER;
}
