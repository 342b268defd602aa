/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "given.h"

#include <elf.h>
#include <stdlib.h>

#include "vtb/array.h"

void given_fini(struct given *g)
{
	free(g->calls.items);
	free(g->functions.items);
	free(g->taken.items);
}

static int take_address(struct given *g, uint64_t addr)
{
	int r = vtb_array_room(&g->taken, items);

	if (r >= 0)
		g->taken.items[g->taken.n_items++] = addr;
	return r;
}

static int take_symbols(struct given *g, struct vtb_elf *elf, const struct vtb_elf_section *s)
{
	struct vtb_elf_symbol symbol;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_symbol(elf, s, i, &symbol); i++)
		if (symbol.defined && symbol.type == STT_FUNC)
			r = take_address(g, symbol.addr);
	return r;
}

static int take_relocations(struct given *g, struct vtb_elf *elf, const struct vtb_elf_section *s)
{
	struct vtb_elf_relocation relocation;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_relocation(elf, s, i, &relocation); i++)
		if (relocation.type == R_X86_64_RELATIVE)
			r = take_address(g, (uint64_t)relocation.addend);
	return r;
}

int given_file(struct given *g, struct vtb_elf *elf)
{
	struct vtb_elf_section s;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(elf, i, &s); i++)
		if (s.type == SHT_DYNSYM)
			r = take_symbols(g, elf, &s);
		else if (s.type == SHT_RELA)
			r = take_relocations(g, elf, &s);
	return r;
}

void given_begin(struct given *g, uint64_t entry, size_t function)
{
	g->entry = entry;
	g->function = function;
	g->writes = 0;
	g->keeps = false;
}

static bool is_place(struct blind_function *f, struct blind_value at)
{
	return at.form == blind_atom(&f->values, BLIND_ENTRY, OPS_RDI, 0, 0, false).form;
}

static bool is_its_start(struct blind_function *f, struct blind_value at)
{
	return is_place(f, at) && !at.offset;
}

bool given_touch(struct given *g, struct blind_function *f, const struct blind_insn *in, struct blind_value at)
{
	if (!is_place(f, at))
		return false;
	if (!g->writes)
		g->writes = in->addr;
	return true;
}

static int note_call(struct given *g, struct blind_function *f, const struct blind_insn *in)
{
	const struct blind_value place = f->now.regs[OPS_RDI];
	int r;

	if (in->tell || in->ops.op[0].type != OPS_IMM || blind_own(&f->values, place))
		return 0;
	r = vtb_array_room(&g->calls, items);
	if (r >= 0)
		g->calls.items[g->calls.n_items++] = (struct given_call){ .target = (uint64_t)in->ops.op[0].value,
			                                                  .addr = in->addr,
			                                                  .entry = g->entry,
			                                                  .function = g->function,
			                                                  .own = is_its_start(f, place) };
	return r;
}

int given_see(struct given *g, struct blind_function *f, const struct blind_insn *in)
{
	const struct vtb_ops *o = &in->ops;
	const bool leaves = in->flow == BLIND_JUMP && in->target == SIZE_MAX;
	int r = 0;

	if (in->flow == BLIND_LEAVES)
		g->keeps |= !is_its_start(f, f->now.regs[OPS_RAX]);
	else if (leaves && !in->hidden) /* into a function that gives it back */
		g->keeps |= !is_its_start(f, f->now.regs[OPS_RDI]);
	if (in->flow == BLIND_CALL || leaves)
		r = note_call(g, f, in);
	else if (o->code == OPS_LEA && o->op[1].base == OPS_NO_REG && o->op[1].index == OPS_NO_REG)
		r = take_address(g, (uint64_t)o->op[1].value);
	else if (o->code == OPS_MOV && o->op[1].type == OPS_IMM && (uint64_t)o->op[1].value >= f->values.fixed.lo &&
	         (uint64_t)o->op[1].value < f->values.fixed.hi)
		r = take_address(g, (uint64_t)o->op[1].value);
	return r;
}

static int add_function(struct given *g, uint64_t entry, uint64_t addr, size_t function)
{
	int r = vtb_array_room(&g->functions, items);

	if (r >= 0)
		g->functions.items[g->functions.n_items++] = (struct given_function){ entry, addr, function };
	return r;
}

int given_end(struct given *g)
{
	if (!g->writes)
		return 0;
	return g->keeps ? 1 : add_function(g, g->entry, g->writes, g->function);
}

static bool writes(const struct given *g, uint64_t entry)
{
	for (size_t i = 0; i < g->functions.n_items; i++)
		if (g->functions.items[i].entry == entry)
			return true;
	return false;
}

static bool is_taken(const struct given *g, uint64_t entry)
{
	for (size_t i = 0; i < g->taken.n_items; i++)
		if (g->taken.items[i] == entry)
			return true;
	return false;
}

/* Who hands its own place on, is in the place of who writes there. */
static int hand_on(struct given *g)
{
	bool more = true;
	int r = 0;

	while (more && r >= 0) {
		more = false;
		for (size_t i = 0; r >= 0 && i < g->calls.n_items; i++) {
			const struct given_call *c = &g->calls.items[i];

			if (!c->own || !writes(g, c->target) || writes(g, c->entry))
				continue;
			r = add_function(g, c->entry, c->addr, c->function);
			more = true;
		}
	}
	return r;
}

int given_judge(struct given *g, int (*blind)(void *arg, size_t function, uint64_t addr), void *arg)
{
	int r = hand_on(g);

	for (size_t i = 0; r >= 0 && i < g->calls.n_items; i++)
		if (!g->calls.items[i].own && writes(g, g->calls.items[i].target))
			r = blind(arg, g->calls.items[i].function, g->calls.items[i].addr);
	for (size_t i = 0; r >= 0 && i < g->functions.n_items; i++)
		if (is_taken(g, g->functions.items[i].entry))
			r = blind(arg, g->functions.items[i].function, g->functions.items[i].addr);
	return r;
}
