/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alone.h"

#include <errno.h>
#include <stdlib.h>

#include "blind_step.h"
#include "vtb/array.h"

#define NEAR 8        /* bytes between two pieces of one copy */
#define CONSTANT 256  /* numbers from here on are text, for all that is known */
#define WORD 8u       /* bytes */
#define LOOKED_AT 64u /* a function with more copies something */

void alone_fini(struct alones *l)
{
	free(l->items);
	free(l->uses);
}

static bool is_register(const struct vtb_ops_operand *o)
{
	return o->type == OPS_REG && o->reg < OPS_GPRS && !o->high;
}

static bool is_text(const struct blind_function *f, const struct vtb_ops_operand *o)
{
	const struct blind_value held = is_register(o) ? f->now.regs[o->reg] : blind_number(o->value);

	return !held.form && (held.offset <= -CONSTANT || held.offset >= CONSTANT);
}

int alone_add(struct alones *l, const struct blind_function *f, const struct blind_insn *in, struct blind_value at,
              bool given)
{
	const struct vtb_ops *o = &in->ops;
	const struct vtb_ops_access *a = &o->access[0];
	const bool moves = o->code == OPS_MOV && o->n_ops == 2 && a->size <= WORD;
	const bool stores = moves && a->mode == OPS_WRITES, text = stores && is_text(f, &o->op[1]);
	const int r = vtb_array_room(l, items);

	if (r < 0)
		return r;
	l->items[l->n_items++] = (struct alone){
		.at = at,
		.insn = in->addr,
		.from = stores && is_register(&o->op[1]) ? blind_made_by(&f->values, f->now.regs[o->op[1].reg]) : 0,
		.size = a->size,
		.reads = a->mode & OPS_READS,
		.writes = a->mode & OPS_WRITES,
		.moves = stores ? !text : moves && is_register(&o->op[0]),
		.text = text,
		.given = given,
	};
	return 0;
}

/* The register holds what an instruction has loaded, and here that is used. */
static int use(struct alones *l, const struct blind_function *f, const struct vtb_ops_operand *o, int how)
{
	const uint64_t by = is_register(o) ? blind_made_by(&f->values, f->now.regs[o->reg]) : 0;
	const int r = by ? vtb_array_room(l, uses) : 0;

	if (by && r >= 0)
		l->uses[l->n_uses++] = (struct alone_use){ by, how };
	return r < 0 ? r : 0;
}

/* Where it is kept for a while, below a frame pointer, does not count: without optimisation everything is. */
static int see_store(struct alones *l, struct blind_function *f, const struct blind_insn *in)
{
	const struct vtb_ops *o = &in->ops;
	struct blind_value at;

	if (!o->n_access || !blind_address(f, o, &o->access[0], &at))
		return 0;
	if (!blind_own(&f->values, at))
		return use(l, f, &o->op[1],
		           blind_is_told(&f->now, at, o->access[0].size, OPS_WRITES) ? ALONE_STORED_AND_TOLD
		                                                                     : ALONE_STORED);
	return o->op[0].base == OPS_RSP ? use(l, f, &o->op[1], ALONE_STORED) : 0;
}

int alone_see(struct alones *l, struct blind_function *f, const struct blind_insn *in)
{
	const struct vtb_ops *o = &in->ops;

	if (o->code == OPS_PUSH)
		return use(l, f, &o->op[0], ALONE_STORED);
	if (o->code == OPS_CMP || o->code == OPS_TEST)
		return use(l, f, &o->op[0], ALONE_TESTED) < 0 ? -ENOMEM : use(l, f, &o->op[1], ALONE_TESTED);
	return o->code == OPS_MOV && o->op[0].type == OPS_MEM ? see_store(l, f, in) : 0;
}

static bool is_used(const struct alones *l, uint64_t insn, int how)
{
	for (size_t i = 0; i < l->n_uses; i++)
		if (l->uses[i].insn == insn && (int)l->uses[i].how == how)
			return true;
	return false;
}

/* Of one copy all pieces but the last are as large as can be. Small variables that lie side by side are none. */
static bool is_beside(const struct alone *a, const struct alone *b)
{
	const int64_t before = (int64_t)((uint64_t)a->at.offset - (uint64_t)b->at.offset);

	return a->at.form == b->at.form && a->writes == b->writes && before && before < b->size + NEAR &&
	       -before < a->size + NEAR && (b->size >= WORD || b->text);
}

static bool is_beside_any(const struct alones *l, const struct alone *a)
{
	for (size_t i = 0; i < l->n_items; i++)
		if (is_beside(a, &l->items[i]))
			return true;
	return false;
}

static bool was_loaded(const struct alones *l, uint64_t insn)
{
	for (size_t i = 0; insn && i < l->n_items; i++)
		if (l->items[i].insn == insn)
			return !is_used(l, insn, ALONE_TESTED);
	return false;
}

static bool is_copied(const struct alones *l, const struct alone *a)
{
	if (a->writes)
		return was_loaded(l, a->from) || is_beside_any(l, a);
	if (is_used(l, a->insn, ALONE_TESTED))
		return false;
	return is_used(l, a->insn, ALONE_STORED) || (is_used(l, a->insn, ALONE_STORED_AND_TOLD) && is_beside_any(l, a));
}

uint32_t alone_moves(const struct alones *l, bool given)
{
	uint32_t moves = 0;

	for (size_t i = 0; i < l->n_items && l->n_items <= LOOKED_AT; i++) {
		const struct alone *a = &l->items[i];

		if (a->moves && (given || !a->given) && !is_copied(l, a))
			moves |= (uint32_t)a->size << (a->writes ? WORD : 0);
	}
	return moves;
}

bool alone_meet(uint32_t moves)
{
	return moves & moves >> WORD & 15;
}
