/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which registers hold an address in the function's own frame, and which: offsets from the stack pointer at entry. */
#include <errno.h>
#include <stdlib.h>

#include "compiled.h"

#define UNSEEN (INT32_MIN + 1)
#define FRAME_MAX (1 << 26)

/* For each general register: offset, NO_FRAME, or UNSEEN before the block was reached. */
struct state {
	int32_t reg[OPS_GPRS];
};

static int32_t shifted(int32_t offset, int64_t by)
{
	if (offset == NO_FRAME || by > FRAME_MAX || by < -FRAME_MAX || offset + by > FRAME_MAX ||
	    offset + by < -FRAME_MAX)
		return NO_FRAME;
	return offset + (int32_t)by;
}

static bool is_reg(const struct vtb_ops_operand *op)
{
	return op->type == OPS_REG && op->reg < OPS_GPRS && op->size == 8;
}

static int32_t in_frame(const struct state *s, const struct vtb_ops_operand *op)
{
	if (op->type != OPS_MEM || op->base >= OPS_GPRS || op->index != OPS_NO_REG || op->segment || op->addr32)
		return NO_FRAME;
	return shifted(s->reg[op->base], op->value);
}

/* What an instruction with a register in operand 0 leaves there. */
static int32_t result(const struct state *s, const struct vtb_ops *o)
{
	const struct vtb_ops_operand *a = &o->op[0], *b = &o->op[1];

	switch (o->code) {
	case OPS_MOV:
		return is_reg(b) ? s->reg[b->reg] : NO_FRAME;
	case OPS_LEA:
		return in_frame(s, b);
	case OPS_ADD:
		return b->type == OPS_IMM ? shifted(s->reg[a->reg], b->value) : NO_FRAME;
	case OPS_SUB:
		return b->type == OPS_IMM ? shifted(s->reg[a->reg], -b->value) : NO_FRAME;
	case OPS_AND: /* the stack is aligned: below it is new ground */
		if (a->reg != OPS_RSP || b->type != OPS_IMM || b->value >= 0 || b->value < -4096 ||
		    s->reg[a->reg] == NO_FRAME)
			return NO_FRAME;
		return (int32_t)((s->reg[a->reg] + 8) & b->value) - 8;
	default:
		return NO_FRAME;
	}
}

static void step(struct state *s, const struct insn *i)
{
	const struct vtb_ops *o = &i->ops;
	const int32_t sp = s->reg[OPS_RSP], fp = s->reg[OPS_RBP];
	int32_t left = NO_FRAME;
	const bool to_reg = is_reg(&o->op[0]) && o->n_ops && o->code != OPS_CMP && o->code != OPS_TEST &&
	                    o->code != OPS_PUSH && o->code != OPS_CALL && o->code != OPS_NOTHING;

	if (to_reg)
		left = result(s, o);
	for (unsigned r = 0; r < OPS_GPRS; r++)
		if (i->defs >> r & 1)
			s->reg[r] = NO_FRAME;
	if (to_reg)
		s->reg[o->op[0].reg] = left;
	if (o->code == OPS_PUSH)
		s->reg[OPS_RSP] = shifted(sp, -8);
	else if (o->code == OPS_POP)
		s->reg[OPS_RSP] = o->op[0].reg == OPS_RSP ? NO_FRAME : shifted(sp, 8);
	else if (o->code == OPS_LEAVE)
		s->reg[OPS_RSP] = shifted(fp, 8);
	if (o->code == OPS_LEAVE)
		s->reg[OPS_RBP] = NO_FRAME;
	if (o->code == OPS_OTHER && o->clobbers >> OPS_RSP & 1)
		s->reg[OPS_RSP] = NO_FRAME;
}

static void note(struct insn *i, const struct state *s)
{
	i->sp = s->reg[OPS_RSP];
	i->frame = NO_FRAME;
	for (unsigned k = 0; k < i->ops.n_ops && i->frame == NO_FRAME; k++)
		i->frame = in_frame(s, &i->ops.op[k]);
	if (i->ops.code == OPS_PUSH && i->frame == NO_FRAME && i->ops.op[0].type != OPS_MEM)
		i->frame = shifted(i->sp, -8);
	else if (i->ops.code == OPS_POP && i->ops.op[0].type == OPS_REG)
		i->frame = i->sp;
	else if (i->ops.code == OPS_LEAVE)
		i->frame = s->reg[OPS_RBP];
}

static bool merge(struct state *to, const struct state *from)
{
	bool changed = false;

	for (unsigned r = 0; r < OPS_GPRS; r++) {
		const int32_t old = to->reg[r];

		if (old == UNSEEN)
			to->reg[r] = from->reg[r];
		else if (old != from->reg[r])
			to->reg[r] = NO_FRAME;
		changed |= to->reg[r] != old;
	}
	return changed;
}

/* The state at the other end of an edge; the unwinder takes arguments off the stack. */
static bool merge_into(const struct program *p, struct state *at, const struct state *s, uint32_t from, uint32_t to)
{
	const struct block *b = &p->blocks[from];
	struct state landed = *s;
	bool changed = block_falls(p, from, to) && merge(at, s);

	if (p->insns[b->first + b->n - 1].again)
		return changed;
	landed.reg[OPS_RSP] = shifted(s->reg[OPS_RSP], p->insns[b->first + b->n - 1].landed);
	if (block_lands(p, from, to))
		changed |= merge(at, &landed);
	return changed;
}

static void flow(struct program *p, const struct function *fn, struct state *at, uint32_t *todo, bool *waits)
{
	size_t n = 0;

	todo[n++] = fn->entry - fn->block;
	while (n) {
		const uint32_t b = todo[--n];
		const struct block *block = &p->blocks[fn->block + b];
		struct state s = at[b];

		waits[b] = false;
		for (uint32_t k = 0; k < block->n; k++)
			step(&s, &p->insns[block->first + k]);
		for (uint32_t k = 0; k < block->n_succ; k++) {
			const uint32_t to = p->edges[block->succ + k] - fn->block;

			if (merge_into(p, &at[to], &s, fn->block + b, fn->block + to) && !waits[to]) {
				waits[to] = true;
				todo[n++] = to;
			}
		}
	}
}

static void note_all(struct program *p, const struct function *fn, const struct state *at)
{
	for (uint32_t b = 0; b < fn->n_blocks; b++) {
		const struct block *block = &p->blocks[fn->block + b];
		struct state s = at[b];

		for (uint32_t k = 0; k < block->n; k++) {
			note(&p->insns[block->first + k], &s);
			step(&s, &p->insns[block->first + k]);
		}
	}
}

static int one_function(struct program *p, const struct function *fn)
{
	struct state *at = malloc(fn->n_blocks * sizeof(*at));
	uint32_t *todo = malloc(fn->n_blocks * sizeof(*todo));
	bool *waits = calloc(fn->n_blocks, sizeof(*waits));
	const int r = at && todo && waits ? 0 : -ENOMEM;

	for (uint32_t b = 0; r >= 0 && b < fn->n_blocks; b++)
		for (unsigned k = 0; k < OPS_GPRS; k++)
			at[b].reg[k] = fn->block + b != fn->entry ? UNSEEN : k == OPS_RSP ? 0 : NO_FRAME;
	if (r >= 0) {
		flow(p, fn, at, todo, waits);
		note_all(p, fn, at);
	}
	free(at);
	free(todo);
	free(waits);
	return r;
}

int program_frames(struct program *p)
{
	int r = 0;

	for (size_t f = 0; r >= 0 && f < p->n_functions; f++)
		if (p->functions[f].n_blocks)
			r = one_function(p, &p->functions[f]);
	return r;
}
