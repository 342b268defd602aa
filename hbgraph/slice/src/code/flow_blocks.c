/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the instructions of one function to its blocks and their edges. */
#include "flow_blocks.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

/* A hook's call and those of functions that surely return do not end a block. */
static bool ends_block(const struct insn *i)
{
	if (i->flow == FLOW_CALL && !i->last)
		return !i->external || i->external->does & (DOES_STOP | DOES_ANYTHING | DOES_THROW);
	return i->flow != FLOW_NEXT;
}

static uint32_t insn_at(const struct program *p, const struct function *fn, uint64_t addr)
{
	uint32_t lo = fn->first, hi = fn->first + fn->n;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (p->insns[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < fn->first + fn->n && p->insns[lo].addr == addr ? lo : NONE;
}

static void mark(const struct program *p, const struct function *fn, uint8_t *leads, uint64_t addr)
{
	const uint32_t i = insn_at(p, fn, addr);

	if (i != NONE)
		leads[i - fn->first] = 1;
}

static int make_blocks(struct program *p, uint32_t f, const uint8_t *leads)
{
	struct function *fn = &p->functions[f];

	fn->block = (uint32_t)p->n_blocks;
	for (uint32_t i = fn->first; i < fn->first + fn->n; i++) {
		if (leads[i - fn->first]) {
			if (vtb_array_room(p, blocks) < 0)
				return -ENOMEM;
			p->blocks[p->n_blocks++] = (struct block){ .function = f, .first = i };
		}
		p->insns[i].block = (uint32_t)p->n_blocks - 1;
		p->blocks[p->n_blocks - 1].n++;
	}
	fn->n_blocks = (uint32_t)p->n_blocks - fn->block;
	fn->entry = p->insns[insn_at(p, fn, fn->addr)].block;
	return 0;
}

static int add_edge(struct program *p, struct block *b, uint32_t to)
{
	for (uint32_t k = 0; k < b->n_succ; k++)
		if (p->edges[b->succ + k] == to)
			return 0;
	if (vtb_array_room(p, edges) < 0)
		return -ENOMEM;
	p->edges[p->n_edges++] = to;
	b->n_succ++;
	return 0;
}

static int edge_to(struct program *p, uint32_t b, uint64_t addr)
{
	const uint32_t i = insn_at(p, &p->functions[p->blocks[b].function], addr);

	if (i == NONE) {
		p->doubt = "a jump leads out of its code";
		return 0;
	}
	return add_edge(p, &p->blocks[b], p->insns[i].block);
}

/* Where an exception goes, or a jump back. */
static int edges_landing(struct program *p, uint32_t b, const struct insn *last)
{
	const struct function *fn = &p->functions[p->blocks[b].function];
	int r = last->landing && !last->again ? edge_to(p, b, last->landing) : 0;

	for (uint32_t i = fn->first; r >= 0 && last->again && i < fn->first + fn->n; i++)
		if (p->insns[i].returned)
			r = edge_to(p, b, p->insns[i].addr);
	return r;
}

static int edges_of(struct program *p, uint32_t b, const uint64_t *ways, size_t n_ways)
{
	struct block *block = &p->blocks[b];
	const struct insn *last = &p->insns[block->first + block->n - 1];
	const bool stops = last->last || (last->external && last->external->does & DOES_STOP);
	int r = 0;

	block->succ = (uint32_t)p->n_edges;
	block->exits = last->flow == FLOW_RET || last->flow == FLOW_TAIL || last->flow == FLOW_STOP || stops;
	if (last->flow == FLOW_JUMP || last->flow == FLOW_BRANCH)
		r = edge_to(p, b, last->target);
	if (r >= 0 && (last->flow == FLOW_NEXT || last->flow == FLOW_BRANCH || (last->flow == FLOW_CALL && !stops)))
		r = edge_to(p, b, last->addr + last->size);
	if (r >= 0)
		r = edges_landing(p, b, last);
	for (size_t k = 0; r >= 0 && last->flow == FLOW_WAYS && k < n_ways; k += 2)
		if (ways[k] == last->addr)
			r = edge_to(p, b, ways[k + 1]);
	return r;
}

static int add_preds(struct program *p, const struct function *fn)
{
	for (uint32_t b = fn->block; b < fn->block + fn->n_blocks; b++)
		for (uint32_t k = 0; k < p->blocks[b].n_succ; k++)
			p->blocks[p->edges[p->blocks[b].succ + k]].n_pred++;
	for (uint32_t b = fn->block; b < fn->block + fn->n_blocks; b++) {
		p->blocks[b].pred = (uint32_t)p->n_edges;
		for (uint32_t k = 0; k < p->blocks[b].n_pred; k++) {
			if (vtb_array_room(p, edges) < 0)
				return -ENOMEM;
			p->edges[p->n_edges++] = NONE;
		}
		p->blocks[b].n_pred = 0;
	}
	for (uint32_t b = fn->block; b < fn->block + fn->n_blocks; b++)
		for (uint32_t k = 0; k < p->blocks[b].n_succ; k++) {
			struct block *to = &p->blocks[p->edges[p->blocks[b].succ + k]];

			p->edges[to->pred + to->n_pred++] = b;
		}
	return 0;
}

/* What calls of the function lead to may jump back to where its setjmp returns, any of them. */
static void land_again(struct program *p, const struct function *fn)
{
	uint64_t landing = 0;

	for (uint32_t i = fn->first; i < fn->first + fn->n; i++) {
		const struct insn *insn = &p->insns[i];
		const uint32_t behind = insn_at(p, fn, insn->addr + insn->size);

		if (!insn->external || !(insn->external->does & DOES_AGAIN))
			continue;
		if (insn->flow != FLOW_CALL || behind == NONE) {
			p->doubt = "a function of it ends with setjmp";
			continue;
		}
		p->insns[behind].returned = true;
		landing = p->insns[behind].addr;
	}
	for (uint32_t i = fn->first; landing && i < fn->first + fn->n; i++)
		if (p->insns[i].flow == FLOW_CALL && insn_may_unwind(&p->insns[i])) {
			p->insns[i].landing = landing;
			p->insns[i].again = true;
		}
}

int program_blocks(struct program *p, uint32_t f, const uint64_t *ways, size_t n_ways)
{
	const struct function *fn = &p->functions[f];
	uint8_t *leads = calloc(fn->n + 1u, 1);
	int r;

	if (!leads)
		return -ENOMEM;
	land_again(p, fn);
	if (fn->n)
		leads[0] = 1;
	mark(p, fn, leads, fn->addr);
	for (uint32_t i = fn->first; i < fn->first + fn->n; i++) {
		const struct insn *insn = &p->insns[i];

		if (ends_block(insn) || (i + 1 < fn->first + fn->n && insn[1].addr != insn->addr + insn->size))
			leads[i + 1 - fn->first] = 1;
		if (insn->flow == FLOW_JUMP || insn->flow == FLOW_BRANCH)
			mark(p, fn, leads, insn->target);
		if (insn->landing)
			mark(p, fn, leads, insn->landing);
		if (insn->returned)
			mark(p, fn, leads, insn->addr);
	}
	for (size_t k = 1; k < n_ways; k += 2)
		mark(p, fn, leads, ways[k]);
	r = insn_at(p, fn, fn->addr) == NONE ? -EINVAL : make_blocks(p, f, leads);
	if (r == -EINVAL)
		p->doubt = "a function begins outside of its code";
	fn = &p->functions[f];
	for (uint32_t b = fn->block; r >= 0 && b < fn->block + fn->n_blocks; b++)
		r = edges_of(p, b, ways, n_ways);
	if (r >= 0)
		r = add_preds(p, fn);
	free(leads);
	return r == -EINVAL ? 0 : r;
}
