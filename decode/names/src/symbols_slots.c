/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lies where in a function's frame: the variables of the function and of all it has inlined, with the places that
 * their locations name, read once. A place is base plus offset: DW_OP_fbreg, or DW_OP_breg of rsp or rbp.
 */
#include "symbols_private.h"

#include <stdlib.h>

#include "vtb/array.h"

#define REG_RBP 6u
#define REG_RSP 7u
#define LOCATIONS_MAX 64u
#define NO_SCOPE UINT32_MAX

/* DW_OP_stack_value is no memory, DW_OP_deref memory of somebody else. */
static bool read_place(const Dwarf_Op *ops, size_t n, struct sym_slot *slot)
{
	if (n != 1)
		return false;
	slot->offset = ops[0].number;
	slot->base = ops[0].atom == DW_OP_fbreg             ? SYM_BASE_FRAME
	             : ops[0].atom == DW_OP_breg0 + REG_RSP ? SYM_BASE_RSP
	             : ops[0].atom == DW_OP_breg0 + REG_RBP ? SYM_BASE_RBP
	                                                    : SYM_BASES;
	return slot->base != SYM_BASES;
}

/* A variable whose address is taken keeps its place, so any entry of a location list will do, whatever part of the
 * function it speaks of. */
static int add_variable(struct sym_module *m, struct sym_function *function, Dwarf_Die *var, uint32_t scope)
{
	struct sym_slot slot = { .var = *var, .scope = scope };
	Dwarf_Attribute attr;
	Dwarf_Addr base, lo, hi;
	Dwarf_Die type;
	Dwarf_Op *ops;
	ptrdiff_t at = 0;
	size_t n;
	int r = 0;

	if (!dwarf_attr(var, DW_AT_location, &attr) || !sym_type_of(var, &type))
		return 0;
	slot.size = sym_type_size(m, &type);
	for (unsigned i = 0;
	     r == 0 && i < LOCATIONS_MAX && (at = dwarf_getlocations(&attr, at, &base, &lo, &hi, &ops, &n)) > 0; i++) {
		if (!read_place(ops, n, &slot))
			continue;
		r = vtb_array_room(function, slots);
		if (r == 0)
			function->slots[function->n_slots++] = slot;
	}
	return r;
}

static int read_scope(struct sym_module *m, struct sym_function *function, Dwarf_Die *die, uint32_t outer,
                      unsigned depth)
{
	const uint32_t scope = (uint32_t)function->n_scopes;
	Dwarf_Die part;
	int r = depth > SYM_DEPTH_MAX ? 0 : vtb_array_room(function, scopes);

	if (r < 0 || depth > SYM_DEPTH_MAX)
		return r;
	function->scopes[function->n_scopes++] = (struct sym_scope){ *die, outer, depth };
	if (dwarf_child(die, &part) != 0)
		return 0;
	do {
		const int tag = dwarf_tag(&part);

		if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
			r = read_scope(m, function, &part, scope, depth + 1);
		else if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			r = add_variable(m, function, &part, scope);
	} while (r == 0 && dwarf_siblingof(&part, &part) == 0);
	return r;
}

/* Nesting of scopes that hold pc: inner variables hide outer ones that share a slot. */
static unsigned rank_of(const struct sym_function *function, uint32_t scope, uint64_t pc)
{
	const unsigned rank = function->scopes[scope].depth + 1;

	for (; function->scopes[scope].outer != NO_SCOPE; scope = function->scopes[scope].outer)
		if (dwarf_haspc(&function->scopes[scope].die, pc) != 1)
			return 0;
	return rank;
}

bool sym_slot_at(struct sym_module *m, struct sym_function *function, const struct sym_bases *bases, uint64_t addr,
                 Dwarf_Die *ret_var, uint64_t *ret_at)
{
	unsigned best = 0;
	bool any = false;

	if (!function->n_scopes && read_scope(m, function, &function->die, NO_SCOPE, 0) < 0) {
		m->owner->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < function->n_slots; i++) {
		const struct sym_slot *slot = &function->slots[i];
		const uint64_t at = bases->at[slot->base] + slot->offset;
		unsigned rank;

		if (!bases->known[slot->base] || addr - at >= slot->size)
			continue;
		rank = rank_of(function, slot->scope, bases->pc);
		if (any && rank <= best)
			continue;
		*ret_var = slot->var;
		*ret_at = at;
		best = rank;
		any = true;
	}
	return any;
}

void sym_slots_free(struct sym_function *function)
{
	free(function->slots);
	free(function->scopes);
}
