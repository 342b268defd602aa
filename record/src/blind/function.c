/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blind_step.h"
#include "vtb/array.h"

#define ROUNDS 64u /* through the blocks; values settle in a few */

static void forget_blocks(struct blind_function *f)
{
	while (f->n_blocks)
		blind_state_fini(&f->blocks[--f->n_blocks].begin);
}

void blind_function_fini(struct blind_function *f)
{
	forget_blocks(f);
	free(f->blocks);
	free(f->insns);
	free(f->lent);
	blind_state_fini(&f->now);
	blind_state_fini(&f->hidden);
	blind_values_fini(&f->values);
	vtb_disasm_free(f->disasm);
}

/* ---- instructions */

static uint8_t flow_of(const struct vtb_instruction *in)
{
	if (in->is_call)
		return BLIND_CALL;
	if (in->is_return)
		return BLIND_LEAVES;
	if (in->is_jump)
		return in->is_conditional ? BLIND_BRANCH : BLIND_JUMP;
	return BLIND_NEXT;
}

/* Only these may be jumps, calls or returns: the text of the others need not be made. */
static bool may_lead_away(const struct vtb_ops *o)
{
	return o->code == OPS_NOTHING || o->code == OPS_CALL || o->code == OPS_RET || o->code == OPS_OTHER ||
	       o->code == OPS_UNKNOWN;
}

static const struct vtb_call_tell *tell_at(const struct vtb_call_sites *s, uint64_t addr)
{
	size_t low = 0, high = s->n_tells;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (s->tells[middle].addr == addr)
			return &s->tells[middle];
		if (s->tells[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Where a call may lead besides: to a landing pad. */
static void find_landing(const struct blind_function *f, struct blind_insn *in)
{
	uint64_t pad, args;
	const int r = vtb_landing_find(f->landings, in->addr + in->ops.size, &pad, &args);

	in->hidden = r < 0;
	if (r > 0)
		in->target = pad;
}

static int find_flow(struct blind_function *f, const uint8_t *code, uint64_t n, struct blind_insn *in)
{
	struct vtb_instruction text;

	if (vtb_disasm_one(f->disasm, code, n, in->addr, &text) < 0)
		return 1;
	in->flow = flow_of(&text);
	in->ops.size = text.length;
	in->tell = in->flow == BLIND_NEXT ? NULL : tell_at(f->sites, in->addr);
	if (text.is_call)
		find_landing(f, in);
	else if (text.has_target)
		in->target = text.target;
	else
		in->hidden = in->flow == BLIND_JUMP;
	return 0;
}

/* `target` is an address until blocks are known. */
static int decode(struct blind_function *f, const struct blind_piece *p)
{
	int r = 0;

	for (uint64_t at = 0; r == 0 && at < p->size;) {
		struct blind_insn *in;

		if (vtb_array_room(f, insns) < 0)
			return -ENOMEM;
		in = &f->insns[f->n_insns++];
		*in = (struct blind_insn){ .addr = p->addr + at, .target = SIZE_MAX };
		vtb_ops_decode(f->disasm, p->code + at, p->size - at, in->addr, &in->ops);
		if (may_lead_away(&in->ops))
			r = find_flow(f, p->code + at, p->size - at, in);
		at += in->ops.size;
		r = r == 0 && !in->ops.size ? 1 : r;
	}
	return r;
}

/* ---- blocks */

static size_t insn_at(const struct blind_function *f, uint64_t addr)
{
	size_t low = 0, high = f->n_insns;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (f->insns[middle].addr == addr)
			return middle;
		if (f->insns[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return SIZE_MAX;
}

static bool ends_block(const struct blind_insn *in)
{
	return in->flow == BLIND_BRANCH || in->flow == BLIND_JUMP || in->flow == BLIND_LEAVES ||
	       (in->tell && in->tell->leaves);
}

/* Does the instruction behind it come next? */
static bool goes_on(const struct blind_function *f, size_t i)
{
	const struct blind_insn *in = &f->insns[i];

	return in->flow != BLIND_JUMP && in->flow != BLIND_LEAVES && !(in->tell && in->tell->leaves) &&
	       i + 1 < f->n_insns && in->addr + in->ops.size == f->insns[i + 1].addr;
}

/* Where blocks begin: 1; where something leads: 2. */
static void mark(struct blind_function *f, uint8_t *marks)
{
	for (size_t i = 0; i < f->n_insns; i++) {
		struct blind_insn *in = &f->insns[i];
		const size_t at = in->target == SIZE_MAX ? SIZE_MAX : insn_at(f, in->target);

		if (at != SIZE_MAX)
			marks[at] = 2;
		if (!i || ends_block(&f->insns[i - 1]) || !goes_on(f, i - 1))
			marks[i] = marks[i] ? marks[i] : 1;
		in->target = at;
	}
}

static size_t block_of(const struct blind_function *f, size_t insn)
{
	size_t low = 0, high = f->n_blocks;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (f->blocks[middle].first <= insn)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int make_blocks(struct blind_function *f, const uint8_t *marks)
{
	for (size_t i = 0; i < f->n_insns; i++) {
		if (marks[i] && vtb_array_extend(f, blocks, f->n_blocks + 1, (struct blind_block){ .first = i }) < 0)
			return -ENOMEM;
		f->blocks[f->n_blocks - 1].last = i + 1;
		f->blocks[f->n_blocks - 1].led_to |= marks[i] == 2;
	}
	for (size_t i = 0; i < f->n_insns; i++)
		if (f->insns[i].target != SIZE_MAX)
			f->insns[i].target = block_of(f, f->insns[i].target);
	return 0;
}

/* What fills the room between two blocks. */
static bool is_padding(const struct blind_function *f, const struct blind_block *b)
{
	for (size_t i = b->first; i < b->last; i++) {
		const struct vtb_ops *o = &f->insns[i].ops;

		if (o->code != OPS_NOTHING && !(o->code == OPS_XCHG && o->op[0].reg == o->op[1].reg))
			return false;
	}
	return !ends_block(&f->insns[b->last - 1]);
}

/* Does the block before go on here? */
static void lead_through(struct blind_function *f)
{
	for (size_t i = 0; i < f->n_blocks; i++)
		f->blocks[i].led_to |= (i && goes_on(f, f->blocks[i].first - 1)) || is_padding(f, &f->blocks[i]);
}

static void begin(struct blind_function *f, uint64_t entry)
{
	struct blind_block *block = &f->blocks[block_of(f, insn_at(f, entry))];
	struct blind_state *first = &block->begin;

	f->n_lent = 0;
	blind_values_empty(&f->values);
	blind_state_fini(&f->hidden);
	for (uint32_t i = 0; i < OPS_GPRS; i++)
		first->regs[i] = blind_atom(&f->values, BLIND_ENTRY, i, 0, 0, i == OPS_RSP);
	first->reached = true;
	block->stale = block->led_to = true;
}

int blind_function_read(struct blind_function *f, const struct blind_piece *pieces, size_t n, uint64_t entry)
{
	uint8_t *marks;
	int r = 0;

	forget_blocks(f);
	f->n_insns = 0;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = decode(f, &pieces[i]);
	if (r == 0 && insn_at(f, entry) == SIZE_MAX)
		r = 1;
	if (r)
		return r;
	marks = calloc(f->n_insns, 1);
	if (!marks)
		return -ENOMEM;
	mark(f, marks);
	r = make_blocks(f, marks);
	free(marks);
	if (r < 0)
		return r;
	lead_through(f);
	begin(f, entry);
	return f->values.failed ? -ENOMEM : 0;
}

/* ---- until nothing changes */

static int leads_to(struct blind_function *f, size_t block)
{
	const int r = blind_state_meet(&f->values, &f->blocks[block].begin, &f->now, block);

	if (r > 0)
		f->blocks[block].stale = true;
	return r;
}

static int leads_somewhere(struct blind_function *f)
{
	int r = blind_state_meet(&f->values, &f->hidden, &f->now, SIZE_MAX);

	for (size_t i = 0; r > 0 && i < f->n_blocks; i++)
		f->blocks[i].stale |= !f->blocks[i].led_to;
	return r;
}

/* One block of a function with thousands may take a while: where paths meet, what is known is compared pair by pair. */
static int read_block(struct blind_function *f, size_t at, int (*see)(void *arg, const struct blind_insn *in),
                      void *arg)
{
	struct blind_block *b = &f->blocks[at];
	int r =
	    f->stop && vtb_stop_due(f->stop) ? -ETIME : blind_state_copy(&f->now, b->led_to ? &b->begin : &f->hidden);

	b->stale = false;
	if (r < 0 || !f->now.reached)
		return r;
	for (size_t i = b->first; r >= 0 && i < b->last; i++) {
		const struct blind_insn *in = &f->insns[i];

		r = see ? see(arg, in) : 0;
		if (r)
			return r;
		r = blind_step(f, in);
		if (r >= 0 && in->hidden)
			r = leads_somewhere(f);
		if (r >= 0 && in->target != SIZE_MAX)
			r = leads_to(f, in->target);
	}
	if (r >= 0 && goes_on(f, b->last - 1))
		r = leads_to(f, at + 1);
	return r < 0 ? r : 0;
}

static int settle(struct blind_function *f)
{
	bool stale = true;
	int r = 0;

	for (uint32_t round = 0; r >= 0 && (stale || f->values.disowned) && round < ROUNDS; round++) {
		const bool all = f->values.disowned;

		f->values.disowned = false;
		stale = false;
		for (size_t i = 0; r >= 0 && i < f->n_blocks; i++)
			if (f->blocks[i].stale || all) {
				stale = true;
				r = read_block(f, i, NULL, NULL);
			}
	}
	return r < 0 ? r : stale || f->values.disowned;
}

int blind_function_walk(struct blind_function *f, int (*see)(void *arg, const struct blind_insn *in), void *arg)
{
	int r = settle(f);

	for (size_t i = 0; r == 0 && i < f->n_blocks; i++)
		r = read_block(f, i, see, arg);
	return r;
}
