/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "essential.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/slice.h"

#define SIZE_USUAL (1 << 24) /* bytes that are at hand */

int essentials_add(struct essentials *e, struct closure *c, uint32_t i, uint32_t kinds, uint64_t item, const char *verb,
                   const char *what)
{
	const uint64_t addr = c->s->p->insns[i].addr;

	closure_need(c, item, kinds, ITEM(ITEM_ESSENTIAL, i));
	if (e->n_rows && e->rows[e->n_rows - 1].insn == i) {
		e->rows[e->n_rows - 1].kinds |= kinds;
		return 0;
	}
	if (vtb_array_room(e, rows) < 0)
		return -ENOMEM;
	e->rows[e->n_rows] = (struct essential){ .addr = addr, .insn = i, .kinds = kinds };
	snprintf(e->rows[e->n_rows++].what, sizeof(e->rows->what), "%s%.36s", verb, what);
	return 0;
}

/* ---- calls */

bool essential_constant(struct closure *c, uint32_t value)
{
	int64_t lo, hi;

	return value_bounds(&c->s->values, value, 4, &lo, &hi) && lo == hi;
}

static uint32_t kinds_of(const struct summary *x)
{
	return (x->does & DOES_FAIL ? VTB_SLICE_FAILS : 0u) | (x->does & DOES_LOCK ? VTB_SLICE_LOCKS : 0u) |
	       (x->does & DOES_OUTPUT ? VTB_SLICE_OUTPUT : 0u) | (x->does & DOES_FREE ? VTB_SLICE_FAULTS : 0u);
}

/* operator new of a size that may be any throws. */
static bool may_lack_memory(struct closure *c, uint32_t i, const struct summary *x)
{
	int64_t lo, hi;

	return x->ret == 'n' && x->does & DOES_THROW &&
	       !(value_bounds(&c->s->values, solve_argument(c->s, i, 0), 8, &lo, &hi) && lo >= 0 && hi <= SIZE_USUAL);
}

static int of_external(struct essentials *e, struct closure *c, uint32_t i, const struct summary *x)
{
	const uint32_t kinds = kinds_of(x) | (may_lack_memory(c, i, x) ? VTB_SLICE_FAULTS : 0u);
	const bool bare = x->does & DOES_FAIL && !(x->does & DOES_STATUS);
	int r = 0;

	if (x->does & DOES_ANYTHING)
		return essentials_add(e, c, i, VTB_SLICE_ALL, ITEM(ITEM_NODE, i), "calls what may do anything", "");
	if (bare || (x->does & DOES_STATUS && essential_constant(c, solve_argument(c->s, i, 0))))
		r = essentials_add(e, c, i, VTB_SLICE_FAILS, ITEM(ITEM_BLOCK, c->s->p->insns[i].block), "calls ",
		                   x->name);
	else if (x->does & DOES_FAIL)
		r = essentials_add(e, c, i, VTB_SLICE_FAILS, ITEM(ITEM_NODE, i), "calls ", x->name);
	if (r >= 0 && kinds & ~(uint32_t)VTB_SLICE_FAILS)
		r = essentials_add(e, c, i, kinds & ~(uint32_t)VTB_SLICE_FAILS, ITEM(ITEM_NODE, i), "calls ", x->name);
	return r;
}

static int of_call(struct essentials *e, struct closure *c, uint32_t i)
{
	const struct insn *insn = &c->s->p->insns[i];
	uint64_t wild;

	if (insn->external)
		return of_external(e, c, i, insn->external);
	if (vtb_map64_get(&c->s->is_wild, i, &wild))
		return essentials_add(e, c, i, VTB_SLICE_ALL, ITEM(ITEM_NODE, i), "calls what may do anything", "");
	return 0;
}

/* ---- what the processor may refuse */

static bool is_mapped(struct closure *c, const struct touch *t)
{
	const struct value *v = value_at(&c->s->values, t->address);

	if (t->sure)
		return true;
	if (!t->size || v->any || v->number || !v->n)
		return false;
	for (uint32_t k = 0; k < v->n; k++)
		if (!regions_safe(&c->s->regions, &v->pair[k], t->size, t->writes))
			return false;
	return true;
}

static bool may_divide_by_zero(struct closure *c, uint32_t i)
{
	const struct vtb_ops *o = &c->s->p->insns[i].ops;
	int64_t lo, hi;

	if (o->code != OPS_DIV && o->code != OPS_IDIV)
		return false;
	return o->op[0].type != OPS_REG || o->op[0].reg >= OPS_GPRS ||
	       !value_bounds(&c->s->values, solve_operand(c->s, i, o->op[0].reg), o->op[0].size, &lo, &hi) || lo <= 0;
}

static int of_touches(struct essentials *e, struct closure *c, uint32_t i)
{
	const struct insn *insn = &c->s->p->insns[i];
	struct touch t[TOUCHES];
	const int n = insn->external && insn->external->does & DOES_HOOK ? 0 : solve_touches(c->s, i, t);
	int r = 0;

	if (may_divide_by_zero(c, i))
		r = essentials_add(e, c, i, VTB_SLICE_FAULTS, ITEM(ITEM_NODE, i), "divides", "");
	for (int k = 0; r >= 0 && k < n; k++)
		if (!is_mapped(c, &t[k]))
			return essentials_add(e, c, i, VTB_SLICE_FAULTS, ITEM(ITEM_ADDRESS, i), "accesses memory", "");
	return r;
}

static int of_insn(struct essentials *e, struct closure *c, uint32_t i)
{
	const struct insn *insn = &c->s->p->insns[i];
	int r = 0;

	if (insn_is_call(insn))
		r = of_call(e, c, i);
	else if (insn->flow == FLOW_STOP)
		r = essentials_add(e, c, i, VTB_SLICE_FAILS, ITEM(ITEM_BLOCK, insn->block), "stops the program", "");
	else if (insn->ops.code == OPS_SYSCALL)
		r = essentials_add(e, c, i, VTB_SLICE_ALL, ITEM(ITEM_NODE, i), "calls the kernel", "");
	return r < 0 ? r : of_touches(e, c, i);
}

/* ---- functions */

/* The status with which main returns; and everything in a function that the user named. */
static int of_function(struct essentials *e, struct closure *c, const struct function *fn, bool all)
{
	const bool is_main = !strcmp(fn->name, "main");
	int r = 0;

	for (uint32_t i = fn->first; r >= 0 && i < fn->first + fn->n; i++) {
		const uint8_t flow = c->s->p->insns[i].flow;

		if (all)
			r = essentials_add(e, c, i, VTB_SLICE_NAMED, ITEM(ITEM_NODE, i), "is in ", fn->name);
		if (r >= 0 && is_main && (flow == FLOW_RET || flow == FLOW_TAIL)) {
			const uint32_t status = nodes_leaving(&c->s->nodes, i, OPS_RAX);
			const bool constant = status == NONE || essential_constant(c, c->s->nodes.rows[status].value);

			r = essentials_add(e, c, i, VTB_SLICE_FAILS, ITEM(ITEM_BLOCK, c->s->p->insns[i].block),
			                   "returns from main", "");
			if (!constant)
				closure_need(c, ITEM(ITEM_NODE, status), VTB_SLICE_FAILS, ITEM(ITEM_ESSENTIAL, i));
		}
	}
	return r;
}

/* Calls of a function of another module that the user named. */
static int of_named_calls(struct essentials *e, struct closure *c, const char *named)
{
	const struct program *p = c->s->p;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && *named && i < p->n_insns; i++) {
		const struct summary *x = p->insns[i].external;

		if (x && named_is(named, NULL, "", 0, x->name))
			r = essentials_add(e, c, i, VTB_SLICE_NAMED, ITEM(ITEM_NODE, i), "calls ", x->name);
	}
	return r;
}

int essentials_find(struct essentials *e, struct closure *c, const struct named *named)
{
	struct program *p = c->s->p;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < p->n_insns; i++)
		r = of_insn(e, c, i);
	for (size_t f = 0; r >= 0 && f < p->n_functions; f++) {
		const struct function *fn = &p->functions[f];

		r = of_function(e, c, fn, named_is(named->list, named->symbols, named->path, fn->addr, fn->name));
	}
	if (r >= 0)
		r = of_named_calls(e, c, named->list);
	if (r >= 0)
		r = waits_find(e, c);
	return r < 0 ? r : nodes_fill(&c->s->nodes);
}
