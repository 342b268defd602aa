/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One walk over a module's DIEs: its globals, its types, and the scopes they stand in. */
#include "symbols_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/log.h"

#define TYPE_NAME_MAX 4096u

struct scope {
	const char *name;          /* "ns::Class", "" at the top */
	const Dwarf_Die *function; /* innermost function, or NULL */
	unsigned depth;
	uint32_t unit;
};

/* DW_OP_addr A, or A by index (DWARF 5), and perhaps DW_OP_plus_uconst N, where globals were merged. */
static bool static_address(struct sym_module *m, Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attr, addr_attr;
	Dwarf_Op *op;
	size_t n;
	Dwarf_Addr addr;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &n) != 0 || n == 0)
		return false;
	if (op[0].atom == DW_OP_addr)
		addr = op[0].number;
	else if (op[0].atom != DW_OP_addrx && op[0].atom != DW_OP_GNU_addr_index)
		return false;
	else if (dwarf_getlocation_attr(&attr, &op[0], &addr_attr) != 0 || dwarf_formaddr(&addr_attr, &addr) != 0)
		return false;
	if (n == 2 && op[1].atom == DW_OP_plus_uconst)
		addr += op[1].number;
	else if (n != 1)
		return false; /* thread-local: no address in the file */
	*ret = addr + m->bias;
	return addr != 0;
}

void sym_origin(Dwarf_Die *die, Dwarf_Die *ret)
{
	*ret = *die;
	for (unsigned i = 0; i < 8; i++) {
		Dwarf_Attribute attr;
		Dwarf_Die next;

		if (!dwarf_attr(ret, DW_AT_abstract_origin, &attr) && !dwarf_attr(ret, DW_AT_specification, &attr))
			return;
		if (!dwarf_formref_die(&attr, &next))
			return;
		*ret = next;
	}
}

static int remember_scope(struct sym_module *m, Dwarf_Die *die, const struct scope *in)
{
	return *in->name ? vtb_map64_set(&m->scopes, (uintptr_t)die->addr, (uintptr_t)in->name) : 0;
}

static const char *join(struct sym_module *m, const char *scope, const char *name)
{
	return *scope ? sym_printf(m->owner, "%s::%s", scope, name) : sym_string(m->owner, name);
}

static int add_type(struct sym_module *m, Dwarf_Die *die, const char *qualified)
{
	char normal[TYPE_NAME_MAX];

	if (vtb_array_room(m, types) < 0)
		return -ENOMEM;
	sym_normal_type(qualified, normal, sizeof(normal));
	m->types[m->n_types++] =
	    (struct sym_type){ sym_string(m->owner, normal), *die, dwarf_hasattr(die, DW_AT_declaration) };
	return 0;
}

static int add_global(struct sym_module *m, Dwarf_Die *die, const struct scope *in)
{
	struct sym_global g = { .die = *die, .scope = in->name };
	Dwarf_Die type;

	if (!static_address(m, die, &g.addr) || !sym_type_of(die, &type))
		return 0;
	if (in->function)
		g.function = *in->function;
	if (vtb_array_room(m, globals) < 0)
		return -ENOMEM;
	m->globals[m->n_globals++] = g; /* the size comes later: a class may be defined below */
	return 0;
}

static int walk(struct sym_module *m, Dwarf_Die *parent, const struct scope *in);

static int walk_inside(struct sym_module *m, Dwarf_Die *die, const char *scope, const Dwarf_Die *function,
                       const struct scope *in)
{
	const struct scope inner = { scope, function, in->depth + 1, in->unit };

	return in->depth < SYM_DEPTH_MAX ? walk(m, die, &inner) : 0;
}

static int walk_type(struct sym_module *m, Dwarf_Die *die, const struct scope *in, bool scoped)
{
	const char *name = dwarf_diename(die);
	const char *qualified = in->name;
	int r;

	if (name) {
		r = remember_scope(m, die, in);
		if (r < 0)
			return r;
		qualified = join(m, in->name, name);
		r = add_type(m, die, qualified);
		if (r < 0)
			return r;
	}
	return scoped ? walk_inside(m, die, qualified, in->function, in) : 0;
}

/* A lambda's operator() stands in the function that the lambda does, and only that one has a name. */
static int remember_lambda(struct sym_module *m, Dwarf_Die *die, const struct scope *in)
{
	const char *name = dwarf_diename(die), *outer;
	Dwarf_Die function;

	if (!in->function || !name || strcmp(name, "operator()") != 0)
		return remember_scope(m, die, in);
	function = *in->function;
	outer = sym_function_name(m, &function);
	return vtb_map64_set(&m->scopes, (uintptr_t)die->addr, (uintptr_t)sym_printf(m->owner, "%s::<lambda>", outer));
}

static int walk_function(struct sym_module *m, Dwarf_Die *die, const struct scope *in)
{
	const Dwarf_Die here = *die;
	const bool has_code =
	    dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges) || dwarf_hasattr(die, DW_AT_inline);
	int r = remember_lambda(m, die, in);

	if (r == 0 && has_code)
		r = vtb_array_room(m, subprograms);
	if (r < 0)
		return r;
	if (has_code)
		m->subprograms[m->n_subprograms++] = (struct sym_subprogram){ .die = *die, .unit = in->unit };
	return walk_inside(m, die, in->name, &here, in);
}

static int walk_one(struct sym_module *m, Dwarf_Die *die, const struct scope *in)
{
	const char *name;

	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
		name = dwarf_diename(die);
		return walk_inside(m, die, join(m, in->name, name ? name : "(anonymous namespace)"), in->function, in);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return walk_type(m, die, in, true);
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return walk_type(m, die, in, false);
	case DW_TAG_subprogram:
		return walk_function(m, die, in);
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_module:
		return walk_inside(m, die, in->name, in->function, in);
	case DW_TAG_member: /* a static member, declared */
		return dwarf_hasattr(die, DW_AT_declaration) ? remember_scope(m, die, in) : 0;
	case DW_TAG_variable:
		if (remember_scope(m, die, in) < 0)
			return -ENOMEM;
		return add_global(m, die, in);
	default:
		return 0;
	}
}

static int walk(struct sym_module *m, Dwarf_Die *parent, const struct scope *in)
{
	Dwarf_Die die;
	int r;

	if (dwarf_child(parent, &die) != 0)
		return 0;
	do {
		r = walk_one(m, &die, in);
	} while (r == 0 && dwarf_siblingof(&die, &die) == 0);
	return r;
}

static int compare_globals(const void *x, const void *y)
{
	const struct sym_global *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return ((uintptr_t)a->die.addr > (uintptr_t)b->die.addr) - ((uintptr_t)a->die.addr < (uintptr_t)b->die.addr);
}

/* Definitions before declarations; else in file order, so that the result is the same every time. */
static int compare_types(const void *x, const void *y)
{
	const struct sym_type *a = x, *b = y;
	const int r = strcmp(a->name, b->name);

	if (r != 0 || a->declaration != b->declaration)
		return r != 0 ? r : a->declaration - b->declaration;
	return ((uintptr_t)a->die.addr > (uintptr_t)b->die.addr) - ((uintptr_t)a->die.addr < (uintptr_t)b->die.addr);
}

int sym_index_names(struct sym_module *m)
{
	struct scope top = { .name = "" };
	int r = sym_index_units(m);

	if (m->has_names || r < 0)
		return r;
	m->has_names = true;
	for (size_t i = 0; r == 0 && i < m->n_units; i++) {
		top.unit = (uint32_t)i;
		r = walk(m, &m->units[i].die, &top);
	}
	if (r < 0)
		m->owner->no_memory = true;
	if (m->n_types)
		qsort(m->types, m->n_types, sizeof(*m->types), compare_types);
	for (size_t i = 0; i < m->n_globals; i++) {
		Dwarf_Die type;

		if (sym_type_of(&m->globals[i].die, &type))
			m->globals[i].size = sym_type_size(m, &type);
	}
	if (m->n_globals)
		qsort(m->globals, m->n_globals, sizeof(*m->globals), compare_globals);
	vtb_debug("Index names: path=\"%s\", globals=%zu, types=%zu", m->path, m->n_globals, m->n_types);
	return 0;
}

bool sym_is_c(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

const char *sym_qualified(struct sym_module *m, Dwarf_Die *die)
{
	Dwarf_Die origin;
	uint64_t scope = 0;
	const char *name;
	bool scoped;

	sym_origin(die, &origin);
	name = dwarf_diename(&origin);
	if (!name)
		return "";
	if (sym_is_c(die))
		return sym_string(m->owner, name); /* no scopes: spares the walk */
	scoped = sym_index_names(m) == 0 && vtb_map64_get(&m->scopes, (uintptr_t)origin.addr, &scope);
	return join(m, scoped ? (const char *)(uintptr_t)scope : "", name);
}
