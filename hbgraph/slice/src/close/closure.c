/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "closure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/hash.h"
#include "vtb/slice.h"

#define SLOT_LIMIT (1u << 28)
#define KINDS 8u
#define PARTS_MAX 64u

int closure_init(struct closure *c, struct solve *s)
{
	int r;

	c->s = s;
	r = slots_find(c);
	if (r >= 0)
		r = told_find(c);
	if (c->n_slots >= SLOT_LIMIT)
		s->p->doubt = "it has too many variables";
	for (uint32_t i = 0; r >= 0 && i < s->p->n_insns; i++)
		r = writers_note(c, i);
	return r;
}

void closure_fini(struct closure *c)
{
	free(c->slots);
	free(c->first_slot);
	free(c->reads_slot);
	free(c->writes_slot);
	free(c->covers);
	free(c->told);
	free(c->dark);
	free(c->writers);
	free(c->first_writer);
	free(c->anywhere);
	free(c->needs);
	free(c->asked);
	free(c->tasks);
	vtb_map64_fini(&c->need);
	vtb_map64_fini(&c->kinds);
	vtb_map64_fini(&c->cause);
}

/* ---- items */

uint32_t closure_kinds(const struct closure *c, uint64_t item)
{
	uint64_t kinds = 0;

	vtb_map64_get(&c->kinds, item, &kinds);
	return (uint32_t)kinds;
}

void closure_need(struct closure *c, uint64_t item, uint32_t kinds, uint64_t why)
{
	uint64_t *has = vtb_map64_put(&c->kinds, item, 0);
	const uint32_t fresh = has ? kinds & ~(uint32_t)*has : 0;

	if (!fresh) {
		c->failed |= !has;
		return;
	}
	*has |= fresh;
	for (unsigned k = 0; k < KINDS; k++)
		if (fresh >> k & 1 && vtb_map64_set(&c->cause, item * KINDS + k, why) < 0)
			c->failed = true;
	if (vtb_array_room(c, tasks) < 0)
		c->failed = true;
	else
		c->tasks[c->n_tasks++] = (struct task){ item, fresh };
}

/* Where very many parts of a region are asked about, all of it is. */
static struct place rounded(const struct closure *c, const struct place *at)
{
	const struct place all = { .region = at->region, .lo = -VALUE_INF, .hi = VALUE_INF };

	return at->region < c->n_asked && c->asked[at->region] >= PARTS_MAX ? all : *at;
}

static bool is_same(const struct place *a, const struct place *b)
{
	return a->region == b->region && a->lo == b->lo && a->hi == b->hi && a->exact == b->exact &&
	       a->step == b->step && a->rem == b->rem && a->size == b->size;
}

static void need_place(struct closure *c, const struct place *part, uint32_t kinds, uint64_t why)
{
	const struct place place = rounded(c, part), *at = &place;
	const uint64_t parts[4] = { at->region | (uint64_t)at->exact << 32, (uint64_t)at->lo, (uint64_t)at->hi,
		                    (uint64_t)at->step << 32 | (at->rem ^ at->size << 20) };
	uint64_t key = vtb_hash(parts, sizeof(parts)), row;

	for (; vtb_map64_get(&c->need, key, &row); key++)
		if (is_same(&c->needs[row], at)) {
			closure_need(c, ITEM(ITEM_PLACE, row), kinds, why);
			return;
		}
	if (vtb_array_room(c, needs) < 0 || vtb_map64_set(&c->need, key, c->n_needs) < 0 ||
	    vtb_array_extend(c, asked, at->region + 1u, 0) < 0) {
		c->failed = true;
		return;
	}
	c->asked[at->region]++;
	c->needs[c->n_needs] = *at;
	closure_need(c, ITEM(ITEM_PLACE, c->n_needs++), kinds, why);
}

/* ---- what an item needs */

/* What the instruction reads is written where vtb is not told of it: so is it not known whether it was. */
static void see_dark(struct closure *c, uint32_t i, const struct place *at, const struct task *task)
{
	const bool outside = !at || c->s->regions.rows[at->region].lost;

	if (!(outside && c->dark_outside) && !(at && at->region < c->n_dark && c->dark[at->region]))
		return;
	c->blind = true;
	closure_need(c, ITEM(ITEM_NODE, i), VTB_SLICE_UNTOLD, task->item);
}

/* Arguments on the stack. */
static void need_pushed(struct closure *c, uint32_t i, const struct task *task)
{
	const struct place at = solve_pushed_place(c->s, i);
	const uint32_t block = c->s->p->insns[i].block, f = c->s->p->blocks[block].function;

	for (uint32_t k = c->first_slot[f]; k < c->first_slot[f + 1]; k++)
		if (!c->slots[k].exposed && c->slots[k].lo < at.hi && at.lo < c->slots[k].hi)
			slots_need(c, block, i, k, task->kinds, task->item);
	need_place(c, &at, task->kinds, task->item);
}

static void need_reads(struct closure *c, uint32_t i, const struct task *task)
{
	struct touch t[TOUCHES];
	struct place places[PLACES];
	int n = solve_touches(c->s, i, t);
	const uint32_t slot = c->reads_slot[i];
	const uint32_t kinds = task->kinds | (told_nobody(c, i, TOLD_READS) ? VTB_SLICE_UNTOLD : 0u);

	if (n < 0) {
		closure_need(c, ITEM(ITEM_MEMORY, 0), kinds, task->item);
		closure_need(c, ITEM(ITEM_NODE, c->s->nodes.handed), task->kinds, task->item);
		see_dark(c, i, NULL, task);
	}
	if (slot != NONE)
		slots_need(c, c->s->p->insns[i].block, i, slot, task->kinds, task->item);
	for (int k = 0; k < n; k++) {
		const bool private =
		    t[k].sure && slot != NONE && t[k].frame >= c->slots[slot].lo && t[k].frame < c->slots[slot].hi;
		const int found =
		    t[k].reads && !private ? regions_places(&c->s->regions, t[k].address, t[k].size, places) : 0;

		if (found < 0)
			closure_need(c, ITEM(ITEM_MEMORY, 0), kinds, task->item);
		if (found < 0)
			see_dark(c, i, NULL, task);
		for (int j = 0; j < found; j++) {
			need_place(c, &places[j], kinds, task->item);
			see_dark(c, i, &places[j], task);
		}
	}
	if (insn_is_call(&c->s->p->insns[i]) && solve_pushes(c->s, i))
		need_pushed(c, i, task);
	n = writers_states(c, i, places);
	for (int k = 0; k < n; k++)
		need_place(c, &places[k], task->kinds, task->item);
}

static bool is_unknown(struct closure *c, uint32_t f)
{
	const uint32_t region = regions_index(&c->s->regions, REGION(REGION_CODE, f));

	return c->s->p->functions[f].taken || c->s->regions.rows[region].lost;
}

static void need_wild(struct closure *c, const struct task *task)
{
	for (size_t k = 0; k < c->s->n_wild; k++)
		closure_need(c, ITEM(ITEM_NODE, c->s->wild[k]), task->kinds, task->item);
	closure_need(c, ITEM(ITEM_MEMORY, 1), task->kinds, task->item);
}

static void need_operands(struct closure *c, uint32_t node, const struct task *task)
{
	const struct nodes *g = &c->s->nodes;

	for (uint32_t e = g->rows[node].operands; e != NONE; e = g->edges[e].next)
		closure_need(c, ITEM(ITEM_NODE, g->edges[e].node), task->kinds, task->item);
}

static void of_node(struct closure *c, uint32_t node, const struct task *of)
{
	const struct node n = c->s->nodes.rows[node];
	const struct task plain = { of->item, of->kinds & VTB_SLICE_ALL }, *task = &plain;

	if (!plain.kinds)
		return;
	need_operands(c, node, task);
	if (n.kind == NODE_INSN) {
		closure_need(c, ITEM(ITEM_BLOCK, c->s->p->insns[node].block), task->kinds, task->item);
		need_reads(c, node, task);
	} else if (n.kind == NODE_LAND) {
		stops_need(c, n.of, task->kinds, task->item);
	} else if (n.kind == NODE_PARAM && is_unknown(c, n.of)) {
		need_wild(c, task);
	}
}

static void of_address(struct closure *c, uint32_t i, const struct task *task)
{
	const struct nodes *g = &c->s->nodes;
	const struct insn *insn = &c->s->p->insns[i];
	uint64_t vars = 0;

	for (unsigned k = 0; k < insn->ops.n_ops; k++)
		if (insn->ops.op[k].type == OPS_MEM)
			vars |= (insn->ops.op[k].base < OPS_GPRS ? VAR_BIT(insn->ops.op[k].base) : 0) |
			        (insn->ops.op[k].index < OPS_GPRS ? VAR_BIT(insn->ops.op[k].index) : 0);
	if (insn->ops.code >= OPS_MOVS && insn->ops.code <= OPS_CMPS)
		vars |= VAR_BIT(OPS_RSI) | VAR_BIT(OPS_RDI) | VAR_BIT(OPS_RCX);
	for (uint32_t e = g->rows[i].operands; e != NONE; e = g->edges[e].next) {
		const uint32_t value = g->rows[g->edges[e].node].value;
		const struct value *v = value_at(&c->s->values, value);

		if (insn_is_call(insn) ? v->any || v->n : g->edges[e].var < 64 && vars >> g->edges[e].var & 1)
			closure_need(c, ITEM(ITEM_NODE, g->edges[e].node), task->kinds, task->item);
	}
	closure_need(c, ITEM(ITEM_BLOCK, insn->block), task->kinds, task->item);
}

static void of_block(struct closure *c, uint32_t b, const struct task *task)
{
	const struct program *p = c->s->p;
	const struct block *block = &p->blocks[b];

	for (uint32_t k = 0; k < block->n_decided; k++) {
		const struct block *decider = &p->blocks[p->deciders[block->decided + k]];
		const uint32_t last = decider->first + decider->n - 1;

		closure_need(c, ITEM(ITEM_NODE, last), task->kinds, task->item);
		stops_need(c, last, task->kinds, task->item);
	}
	closure_need(c, ITEM(ITEM_FUNCTION, block->function), task->kinds, task->item);
}

static bool runs(const struct closure *c, uint32_t insn)
{
	const struct summary *x = c->s->p->insns[insn].external;

	return x && x->does & DOES_RUN;
}

static void of_caller(struct closure *c, const struct caller *caller, const struct task *task)
{
	const struct nodes *g = &c->s->nodes;

	closure_need(c, ITEM(ITEM_BLOCK, c->s->p->insns[caller->insn].block), task->kinds, task->item);
	if (c->s->p->insns[caller->insn].indirect || caller->wild)
		closure_need(c, ITEM(ITEM_NODE, caller->insn), task->kinds, task->item);
	if (runs(c, caller->insn))
		closure_need(c, ITEM(ITEM_NODE, caller->insn), task->kinds, task->item);
	stops_destroy(c, caller, task->kinds, task->item);
	for (uint32_t e = g->rows[caller->insn].operands; caller->thread && e != NONE; e = g->edges[e].next)
		if (g->edges[e].var == OPS_RDX)
			closure_need(c, ITEM(ITEM_NODE, g->edges[e].node), task->kinds, task->item);
}

static void of_function(struct closure *c, uint32_t f, const struct task *task)
{
	const struct nodes *g = &c->s->nodes;

	for (uint32_t k = g->called[f]; k != NONE; k = g->callers[k].next)
		of_caller(c, &g->callers[k], task);
	if (is_unknown(c, f))
		need_wild(c, task);
}

static void need_given(struct closure *c, uint32_t f, const struct place *at, const struct task *task)
{
	const struct nodes *g = &c->s->nodes;

	for (uint32_t k = g->called[f]; k != NONE; k = g->callers[k].next) {
		const struct insn *insn = &c->s->p->insns[g->callers[k].insn];
		const int32_t sp = insn->flow == FLOW_TAIL ? insn->sp : insn->sp - 8;
		const uint64_t frame = REGION(REGION_FRAME, c->s->p->blocks[insn->block].function);
		struct place up = { .region = regions_index(&c->s->regions, frame), .lo = -VALUE_INF, .hi = VALUE_INF };

		if (insn->sp != NO_FRAME && at->lo > -VALUE_INF)
			up.lo = at->lo + sp;
		if (insn->sp != NO_FRAME && at->hi < VALUE_INF)
			up.hi = at->hi + sp;
		if (!g->callers[k].wild && !g->callers[k].thread)
			need_place(c, &up, task->kinds, task->item);
	}
	if (is_unknown(c, f))
		need_wild(c, task);
}

static void of_place(struct closure *c, uint32_t row, const struct task *task)
{
	const struct place at = c->needs[row];
	const uint64_t id = c->s->regions.rows[at.region].id;

	for (uint32_t w = at.region < c->n_first_writer ? c->first_writer[at.region] : NONE; w != NONE;
	     w = c->writers[w].next)
		if (places_meet(&c->writers[w].at, &at))
			closure_need(c, ITEM(ITEM_NODE, c->writers[w].insn), task->kinds, task->item);
	if (c->s->regions.rows[at.region].lost)
		closure_need(c, ITEM(ITEM_MEMORY, 1), task->kinds, task->item);
	if (id >> 32 == REGION_FRAME && at.hi > 8)
		need_given(c, (uint32_t)id, &at, task);
}

/* Stores through addresses that may be anything; and, if it is read through one, all that is known outside. */
static void of_memory(struct closure *c, const struct task *task)
{
	const bool whole = task->item == ITEM(ITEM_MEMORY, 0);

	for (uint32_t r = 0; whole && r < c->s->regions.n_rows; r++)
		if (c->s->regions.rows[r].lost) {
			const struct place all = { .region = r, .lo = -VALUE_INF, .hi = VALUE_INF };

			need_place(c, &all, task->kinds, task->item);
		}
	for (size_t k = 0; k < c->n_anywhere; k++)
		closure_need(c, ITEM(ITEM_NODE, c->anywhere[k]), task->kinds, task->item);
}

static void follow(struct closure *c, const struct task *task)
{
	const uint64_t id = task->item & ((1ull << 56) - 1);

	switch ((enum item_kind)(task->item >> 56)) {
	case ITEM_NODE:
		of_node(c, (uint32_t)id, task);
		break;
	case ITEM_ADDRESS:
		of_address(c, (uint32_t)id, task);
		break;
	case ITEM_BLOCK:
		of_block(c, (uint32_t)id, task);
		break;
	case ITEM_FUNCTION:
		of_function(c, (uint32_t)id, task);
		break;
	case ITEM_STOPS:
		stops_follow(c, (uint32_t)id, task->kinds, task->item);
		break;
	case ITEM_PLACE:
		of_place(c, (uint32_t)id, task);
		break;
	case ITEM_MEMORY:
		of_memory(c, task);
		break;
	case ITEM_ESSENTIAL:
		break;
	case ITEM_SLOT:
		slots_enter(c, (uint32_t)(id >> 28), (uint32_t)(id & (SLOT_LIMIT - 1)), task->kinds, task->item);
		break;
	}
}

int closure_run(struct closure *c)
{
	while (c->next < c->n_tasks && !c->failed) {
		const struct task task = c->tasks[c->next++];

		follow(c, &task);
	}
	c->n_tasks = c->next = 0;
	return c->failed ? -ENOMEM : 0;
}
