/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recover_access.h"

#include <errno.h>

#define STACK_TOP 4096u /* above the first stack pointer: arguments, the caller's frame */
#define RED_ZONE 128u   /* below the stack pointer, of a function that calls nobody */
#define WORD 4u
#define BYTES_MAX 65536u /* of one access; what a repeated instruction touches beyond is its owner's */

/* Inside a contract the stack pointer may be unknown (the loader aligns it): there, that before it. */
static struct recover_value stack_pointer(const struct recover_thread *t)
{
	return t->quiet.active ? t->quiet.before.r[OPS_RSP] : t->cpu.r[OPS_RSP];
}

/* Between the thread's stack pointer, as far as it has come, and its stack's beginning. */
static bool is_on_stack(const struct recover_thread *t, uint64_t addr)
{
	const struct recover_value sp = stack_pointer(t);

	return t->first_rsp && !t->ended && sp.known == RECOVER_ALL && !IS_SYMBOLIC_STACK(sp.v) &&
	       addr >= sp.v - RED_ZONE && addr <= t->first_rsp + STACK_TOP;
}

/* The other thread on whose stack it lies, NULL none. */
static struct recover_thread *owner_of(const struct recover_thread *t, uint64_t addr)
{
	for (size_t i = 0; i < t->run->n_threads; i++)
		if (&t->run->threads[i] != t && is_on_stack(&t->run->threads[i], addr))
			return &t->run->threads[i];
	return NULL;
}

static uint64_t last_word(uint64_t addr, uint64_t size)
{
	return (addr + (size > BYTES_MAX ? BYTES_MAX : size ? size - 1 : 0)) / WORD;
}

static int note_lent(struct recover_thread *t, const struct vtb_ops *ops)
{
	for (unsigned i = 0; i < ops->n_access; i++) {
		const uint64_t size = recover_size(&t->cpu, ops, i);
		uint64_t addr;

		if (!recover_address(&t->cpu, ops, i, &addr) || is_on_stack(t, addr) || !owner_of(t, addr))
			continue;
		for (uint64_t word = addr / WORD; word <= last_word(addr, size); word++)
			if (vtb_map64_set(&t->run->lent, word, 1) < 0)
				return -ENOMEM;
	}
	return 0;
}

static bool is_lent(const struct recover_run *run, const struct vtb_recover_access *a)
{
	uint64_t one;

	for (uint64_t word = a->addr / WORD; word <= last_word(a->addr, a->size); word++)
		if (vtb_map64_get(&run->lent, word, &one))
			return true;
	return false;
}

/* Where the owner's i-th call stands and what its stack pointer is there; the last one is under way. */
static bool place_of(const struct recover_thread *owner, size_t i, uint64_t ip, uint64_t *ret_pc, uint64_t *ret_sp)
{
	const struct recover_value sp = i < owner->n_frames ? owner->frames[i].saved[0] : stack_pointer(owner);

	*ret_pc = i < owner->n_frames ? owner->frames[i].ret : ip;
	*ret_sp = sp.v;
	return sp.known == RECOVER_ALL && *ret_pc;
}

/* The call in whose part of the stack it lies: the innermost whose stack pointer is not above it. It is told once. */
static void tell_call(struct recover_thread *owner, uint64_t ip, struct vtb_recover_access *a)
{
	for (size_t i = owner->n_frames + 1; i-- > 0;) {
		bool *shown = i ? &owner->frames[i - 1].shown : &owner->shown;
		const uint64_t below = i == owner->n_frames ? RED_ZONE : 0;
		uint64_t pc, sp;

		if (!place_of(owner, i, ip, &pc, &sp) || a->addr < sp - below ||
		    (i && a->addr >= owner->frames[i - 1].saved[0].v))
			continue;
		if (!*shown) {
			a->call_pc = pc;
			a->call_sp = sp < a->addr ? sp : a->addr;
			a->call_exact = i == owner->n_frames;
		}
		*shown = true;
		return;
	}
}

static void tell_lent(struct recover_thread *t, uint64_t ip, struct vtb_recover_access *a)
{
	struct recover_thread *owner = t;

	a->stack_of = VTB_PT_NONE;
	if (a->state != VTB_RECOVER_EXACT || a->library || a->quiet || a->implicit)
		return;
	if (is_on_stack(t, a->addr) ? !is_lent(t->run, a) : !(owner = owner_of(t, a->addr)))
		return;
	if (owner != t)
		ip = owner->current < 0 ? 0 : vtb_pt_code_insn(t->run->code, (uint32_t)owner->current)->ip;
	a->stack_of = owner->slot;
	a->own_stack = false;
	tell_call(owner, ip, a);
}

/* ---- all accesses of an instruction */

static bool is_library(const struct recover_thread *t, uint64_t ip)
{
	return recover_contract_is_system(t->run->contracts, ip) || recover_contract_is_cxx(t->run->contracts, ip);
}

/* Where the access goes, as far as that is known. */
static void locate(struct recover_thread *t, const struct vtb_ops *ops, struct vtb_recover_access *a)
{
	const struct recover_value sp = t->cpu.r[OPS_RSP];

	if (a->quiet) {
		a->size = ops->rep ? 0 : ops->access[a->index].size;
		t->run->stats.quiet++;
		return;
	}
	a->size = recover_size(&t->cpu, ops, a->index);
	a->state = recover_address(&t->cpu, ops, a->index, &a->addr) ? VTB_RECOVER_EXACT : VTB_RECOVER_UNKNOWN;
	if (a->state == VTB_RECOVER_EXACT &&
	    (IS_SYMBOLIC_STACK(a->addr) || RECOVER_IS_PRIVATE(a->addr))) { /* relative to a place of our own */
		a->state = VTB_RECOVER_SYMBOLIC;
		a->addr -= IS_SYMBOLIC_STACK(a->addr) ? SYMBOLIC_BASE(t->slot) : RECOVER_PRIVATE(t->slot);
	}
	a->own_stack = a->state == VTB_RECOVER_SYMBOLIC || (a->state == VTB_RECOVER_EXACT && sp.known == RECOVER_ALL &&
	                                                    a->addr - (sp.v - STACK_REACH) < 2 * STACK_REACH &&
	                                                    t->first_rsp && a->addr <= t->first_rsp + STACK_TOP);
	if (a->state == VTB_RECOVER_UNKNOWN)
		a->addr = 0;
	t->run->stats.accesses[a->state]++;
}

static int report(struct recover_thread *t, const struct vtb_ops *ops, const struct vtb_pt_insn *insn)
{
	const uint64_t ip = insn->ip;
	const struct vtb_recover_sink *sink = t->run->sink;
	const bool library = is_library(t, ip);
	const uint8_t class = insn->class;
	const bool branch = class == VTB_PT_JUMP_INDIRECT || class == VTB_PT_CALL_INDIRECT;
	int r = sink->instruction ? sink->instruction(sink->arg, t->slot, ip) : 0;

	for (unsigned i = 0; r >= 0 && i < ops->n_access; i++) {
		struct vtb_recover_access a = { .tsc = t->tsc,
			                        .ip = ip,
			                        .slot = t->slot,
			                        .mode = ops->access[i].mode,
			                        .index = (uint8_t)i,
			                        .atomic = ops->atomic,
			                        .quiet = t->quiet.active,
			                        .library = library,
			                        .implicit = ops->access[i].operand >= OPS_STACK_PUSH &&
			                                    ops->access[i].operand <= OPS_STACK_FRAME };

		a.implicit |= branch && ops->access[i].operand == 0;

		locate(t, ops, &a);
		tell_lent(t, ip, &a);
		r = sink->access(sink->arg, &a);
	}
	return r;
}

int recover_accesses(struct recover_thread *t, const struct vtb_ops *ops, const struct vtb_pt_insn *insn)
{
	if (t->run->sink)
		return report(t, ops, insn);
	return t->quiet.active || is_library(t, insn->ip) ? 0 : note_lent(t, ops);
}
