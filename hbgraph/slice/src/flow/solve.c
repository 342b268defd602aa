/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "solve.h"

#include "guards.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define VISITS_WIDEN 12 /* a value that has grown so often is widened */
#define VISITS_MAX 100  /* then it is anything */
#define STEPS_PER_NODE 400u
/* Registers that calls keep (System V psABI, 3.2.1). */
#define VARS_KEPT (VAR_BIT(OPS_RBX) | VAR_BIT(OPS_RBP) | VAR_BIT(12) | VAR_BIT(13) | VAR_BIT(14) | VAR_BIT(15))

const uint8_t solve_arguments[6] = { OPS_RDI, OPS_RSI, OPS_RDX, OPS_RCX, 8, 9 };

void solve_queue(struct solve *s, uint32_t node)
{
	if (node >= s->nodes.n_rows || s->nodes.rows[node].queued)
		return;
	if (vtb_array_room(s, queue) < 0) {
		s->status = -ENOMEM;
		return;
	}
	s->nodes.rows[node].queued = true;
	s->queue[s->n_queue++] = node;
}

static void node_changed(void *arg, uint32_t node)
{
	solve_queue(arg, node);
}

/* ---- operands and memory */

uint32_t solve_operand(struct solve *s, uint32_t i, uint32_t var)
{
	const struct insn *insn = &s->p->insns[i];
	const uint64_t frame = REGION(REGION_FRAME, s->p->blocks[insn->block].function);

	if (var == OPS_RSP)
		return insn->sp == NO_FRAME ? value_address(&s->values, frame, -VALUE_INF, VALUE_INF)
		                            : value_address(&s->values, frame, insn->sp, insn->sp);
	for (uint32_t e = s->nodes.rows[i].operands; e != NONE; e = s->nodes.edges[e].next)
		if (s->nodes.edges[e].var == var)
			return s->nodes.rows[s->nodes.edges[e].node].value;
	return VALUE_NONE;
}

uint32_t solve_argument(struct solve *s, uint32_t i, unsigned k)
{
	return solve_operand(s, i, solve_arguments[k]);
}

static uint32_t part(struct solve *s, uint32_t i, const struct vtb_ops_operand *op, uint8_t reg)
{
	const uint32_t v = solve_operand(s, i, reg);

	return op->addr32 ? value_low(&s->values, v) : v;
}

uint32_t solve_address(struct solve *s, uint32_t i, const struct vtb_ops_operand *op)
{
	struct values *v = &s->values;
	const struct insn *insn = &s->p->insns[i];
	uint32_t a;

	if (insn->frame != NO_FRAME && op->base < OPS_GPRS && op->index == OPS_NO_REG && !op->segment)
		return value_address(v, REGION(REGION_FRAME, s->p->blocks[insn->block].function), insn->frame,
		                     insn->frame);
	if (op->segment)
		a = op->segment == 1 ? value_address(v, REGION(REGION_TLS, 0), op->value, op->value) : VALUE_ANY;
	else if (op->base == OPS_NO_REG && op->index == OPS_NO_REG)
		return insn->ops.code == OPS_LEA ? regions_constant(&s->regions, (uint64_t)op->value)
		                                 : regions_at(&s->regions, (uint64_t)op->value);
	else if (!s->p->image.movable)
		a = regions_constant(&s->regions, (uint64_t)op->value);
	else
		a = value_const(v, op->value);
	if (op->base != OPS_NO_REG && op->base == op->index)
		return value_add(v, a, value_scale(v, part(s, i, op, op->base), op->scale + 1));
	if (op->base != OPS_NO_REG)
		a = value_add(v, a, part(s, i, op, op->base));
	if (op->index != OPS_NO_REG)
		a = value_add(v, a, value_scale(v, part(s, i, op, op->index), op->scale));
	return a;
}

/* Words above the return address are those that callers have put there. */
static uint32_t load_given(struct solve *s, uint32_t i, uint32_t f, const struct place *place, unsigned size)
{
	uint32_t v = VALUE_NONE;

	for (uint32_t c = s->nodes.called[f]; c != NONE; c = s->nodes.callers[c].next) {
		const struct caller caller = s->nodes.callers[c];
		const struct insn *insn = &s->p->insns[caller.insn];
		const int32_t sp = insn->flow == FLOW_TAIL || insn->sp == NO_FRAME ? insn->sp : insn->sp - 8;
		const uint64_t frame = REGION(REGION_FRAME, s->p->blocks[insn->block].function);
		struct place at = { .region = regions_index(&s->regions, frame),
			            .lo = place->lo + sp,
			            .hi = VALUE_INF };

		if (caller.wild || caller.thread)
			continue;
		at.exact = place->exact && sp != NO_FRAME;
		at.hi = at.exact ? at.lo + size : VALUE_INF;
		v = value_join(&s->values, v, regions_load(&s->regions, &at, size, i));
	}
	return v;
}

static bool is_lost_function(struct solve *s, uint32_t f)
{
	const uint32_t region = regions_index(&s->regions, REGION(REGION_CODE, f)); /* may move the rows */

	return s->regions.rows[region].lost;
}

uint32_t solve_load(struct solve *s, uint32_t i, uint32_t address, unsigned size)
{
	struct place places[PLACES];
	const int n = regions_places(&s->regions, address, size, places);
	uint32_t v = VALUE_NONE;

	if (n < 0)
		return size == 4 ? VALUE_PART : size && size < 8 ? VALUE_NUMBER : VALUE_ANY;
	if (words_load(s, i, address, size, &v))
		return v;
	for (int k = 0; k < n; k++) {
		const uint64_t id = s->regions.rows[places[k].region].id;

		v = value_join(&s->values, v, regions_load(&s->regions, &places[k], size, i));
		if (id >> 32 == REGION_FRAME && places[k].hi > 8) {
			v = value_join(&s->values, v, load_given(s, i, (uint32_t)id, &places[k], size));
			if (is_lost_function(s, (uint32_t)id))
				v = value_join(&s->values, VALUE_ANY, v);
		}
	}
	if (v == VALUE_NONE && value_at(&s->values, address)->number && !value_at(&s->values, address)->n)
		return VALUE_NUMBER; /* a null pointer: it does not come back */
	return v;
}

void solve_store(struct solve *s, uint32_t address, unsigned size, uint32_t value)
{
	struct place places[PLACES];
	const int n = regions_places(&s->regions, address, size, places);

	if (n < 0)
		value_lose(&s->values, value);
	for (int k = 0; k < n; k++)
		regions_store(&s->regions, &places[k], size, value);
}

/* ---- the fixpoint */

static uint32_t joined(struct solve *s, const struct node *n)
{
	uint32_t v = VALUE_NONE;

	for (uint32_t e = n->operands; e != NONE; e = s->nodes.edges[e].next)
		v = value_join(&s->values, v, s->nodes.rows[s->nodes.edges[e].node].value);
	return v;
}

/* Their number, the vector, and the environment, which libc may change. */
static uint32_t main_param(struct solve *s, uint32_t var)
{
	return var == OPS_RDI   ? VALUE_NUMBER
	       : var == OPS_RSI ? value_address(&s->values, REGION(REGION_ARGUMENTS, 0), 0, 0)
	                        : VALUE_ANY;
}

static uint32_t param(struct solve *s, const struct node *n)
{
	const struct function *fn = &s->p->functions[n->of];

	if (VARS_KEPT >> n->var & 1) /* the caller's, of no use but to be given back */
		return VALUE_NUMBER;
	if (is_lost_function(s, n->of) || fn->taken) /* and what is handed to it is known wherever it is used */
		return value_join(&s->values, VALUE_ANY, joined(s, n));
	if (!strcmp(fn->name, "main"))
		return main_param(s, n->var);
	return joined(s, n);
}

static uint32_t evaluate(struct solve *s, uint32_t node)
{
	const struct node n = s->nodes.rows[node];

	switch ((enum node_kind)n.kind) {
	case NODE_INSN:
		if (insn_is_call(&s->p->insns[node])) {
			solve_call(s, node);
			return VALUE_NONE;
		}
		return transfer(s, node);
	case NODE_PARAM:
		return param(s, &n);
	case NODE_OUT:
		return value_join(&s->values, joined(s, &n), solve_result(s, n.of, n.var));
	case NODE_LAND: /* the exception, and which of the handlers is meant */
		return n.var == OPS_RAX ? VALUE_ANY : VALUE_NUMBER;
	case NODE_STATE:
		return running_state(s, node, n.of);
	case NODE_GUARD:
		return guards_value(s, &n, joined(s, &n));
	case NODE_FRESH:
		return VALUE_NUMBER;
	case NODE_WORD:
		return words_joined(s, &n);
	case NODE_MEET:
	case NODE_RESULT:
		break;
	}
	return joined(s, &n);
}

/* Every circle of values goes through one of these. */
static bool may_return(const struct solve *s, const struct node *n, uint32_t node)
{
	return n->kind == NODE_INSN ? s->p->insns[node].ops.n_access : n->kind != NODE_GUARD;
}

uint32_t solve_grown(struct solve *s, uint32_t node, uint32_t value)
{
	const struct node *n = &s->nodes.rows[node];
	const uint32_t fresh = value_join(&s->values, n->value, value);

	if (fresh == n->value || n->visits < VISITS_WIDEN || !may_return(s, n, node))
		return fresh;
	return n->visits > VISITS_MAX ? value_join(&s->values, VALUE_ANY, fresh)
	                              : value_widen(&s->values, n->value, fresh);
}

static void visit(struct solve *s, uint32_t node)
{
	const uint32_t fresh = solve_grown(s, node, evaluate(s, node));
	struct node *n = &s->nodes.rows[node];

	if (fresh == n->value)
		return;
	n->visits = n->visits < UINT8_MAX ? (uint8_t)(n->visits + 1) : UINT8_MAX;
	n->value = fresh;
	for (uint32_t e = n->users; e != NONE; e = s->nodes.edges[e].next)
		solve_queue(s, s->nodes.edges[e].node);
}

static void region_lost(void *arg, uint64_t id)
{
	struct solve *s = arg;
	const uint32_t f = (uint32_t)id;

	if (id >> 32 != REGION_CODE)
		return;
	solve_link_results(s, f, s->nodes.handed);
	for (uint32_t n = s->nodes.param[f]; n != NONE;) {
		uint64_t next = NONE;

		solve_queue(s, n);
		vtb_map64_get(&s->nodes.more, n, &next);
		n = (uint32_t)next;
	}
	for (uint32_t i = s->p->functions[f].first; i < s->p->functions[f].first + s->p->functions[f].n; i++)
		if (s->p->insns[i].ops.n_access)
			solve_queue(s, i); /* words that a caller pushed */
}

static void value_lost(void *arg, uint64_t region)
{
	regions_lose(&((struct solve *)arg)->regions, region);
}

/* Functions that run without being called from here: what the file names as such, and what other modules see. */
static void lose_starters(struct solve *s)
{
	for (size_t k = 0; k < s->p->image.n_sections; k++) {
		const struct image_section *x = &s->p->image.sections[k];
		uint64_t to;

		for (uint64_t at = x->addr; x->starters && at + 8 <= x->addr + x->size; at += 8)
			if (vtb_map64_get(&s->p->image.pointers, at, &to))
				value_lose(&s->values, regions_constant(&s->regions, to));
	}
	for (size_t f = 0; f < s->p->n_functions; f++)
		if (s->p->functions[f].taken)
			regions_lose(&s->regions, REGION(REGION_CODE, f));
}

int solve_run(struct solve *s, struct program *p)
{
	int r;

	s->p = p;
	s->values.lost = value_lost;
	s->values.arg = s;
	s->regions.changed = node_changed;
	s->regions.lost = region_lost;
	s->regions.arg = s;
	r = values_init(&s->values);
	if (r >= 0)
		r = nodes_init(&s->nodes, p);
	if (r >= 0)
		r = regions_init(&s->regions, p, &s->values);
	s->nodes.changed = node_changed;
	s->nodes.arg = s;
	if (r < 0)
		return r;
	lose_starters(s);
	for (uint32_t n = 0; n < s->nodes.n_rows; n++)
		solve_queue(s, n);
	while (s->next < s->n_queue && s->status >= 0) {
		const uint32_t node = s->queue[s->next++];

		s->nodes.rows[node].queued = false;
		visit(s, node);
		if (s->nodes.n_pending && nodes_fill(&s->nodes) < 0)
			s->status = -ENOMEM;
		if (++s->steps > STEPS_PER_NODE * (s->nodes.n_rows + 1000ull)) {
			p->doubt = "its values are too many to follow";
			break;
		}
		if (s->next > 4096 && s->next * 2 > s->n_queue) {
			memmove(s->queue, s->queue + s->next, (s->n_queue - s->next) * sizeof(*s->queue));
			s->n_queue -= s->next;
			s->next = 0;
		}
	}
	for (uint32_t i = 0; i < p->n_insns; i++)
		if (p->insns[i].indirect && p->insns[i].flow == FLOW_TAIL && solve_leads_nowhere(s, i))
			p->doubt = "the targets of a jump are not found";
	if (s->values.failed || s->regions.failed || s->nodes.failed)
		s->status = -ENOMEM;
	return s->status;
}

void solve_fini(struct solve *s)
{
	nodes_fini(&s->nodes);
	values_fini(&s->values);
	regions_fini(&s->regions);
	free(s->queue);
	free(s->wild);
	vtb_map64_fini(&s->is_wild);
}
