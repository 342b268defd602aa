/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Globals, static members and function-local statics by address. */
#include "symbols_private.h"

#include <stdio.h>
#include <string.h>

/* "f()" for f, "ns::f(int)" stays: then "f()::name". clang 14 leaves the function nameless when it inlined it
 * everywhere; then the ELF symbol tells: "_ZZ1fvE4name" or, in C, "f.name". */
static const char *local_name(struct sym_module *m, struct sym_global *g, const char *name)
{
	const char *f = sym_function_name(m, &g->function);
	const struct sym_elf *sym = *f ? NULL : sym_elf_at(m, g->addr);
	const char *dot = sym ? strchr(sym->name, '.') : NULL;

	if (*f)
		return sym_printf(m->owner, strchr(f, '(') ? "%s::%s" : "%s()::%s", f, name);
	if (sym && strncmp(sym->name, "_Z", 2) == 0)
		return sym_demangled(m->owner, sym->name);
	if (dot && strncmp(dot + 1, name, strlen(name)) == 0)
		return sym_printf(m->owner, "%.*s()::%s", (int)(dot - sym->name), sym->name, name);
	return sym_string(m->owner, name);
}

static const char *global_name(struct sym_module *m, struct sym_global *g)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_diename(&g->die), *linkage;

	if (!name) { /* a definition of something declared elsewhere */
		Dwarf_Die origin;

		sym_origin(&g->die, &origin);
		name = dwarf_diename(&origin) ? dwarf_diename(&origin) : "";
	}
	if (g->function.addr)
		return local_name(m, g, name);
	linkage = dwarf_formstring(dwarf_attr_integrate(&g->die, DW_AT_linkage_name, &attr));
	if (linkage && strncmp(linkage, "_Z", 2) == 0)
		return sym_demangled(m->owner, linkage);
	return sym_qualified(m, &g->die);
}

/* The last that begins at or below addr and holds it; a few steps back, as globals do not nest. */
static struct sym_global *global_at(struct sym_module *m, uint64_t addr)
{
	size_t lo = 0, hi = m->n_globals;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (m->globals[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo, tries = 0; i > 0 && tries < 16; i--, tries++)
		if (addr - m->globals[i - 1].addr < m->globals[i - 1].size)
			return &m->globals[i - 1];
	return NULL;
}

/* An array declared without a size ("extern", flexible) is as large as its ELF symbol says. */
static struct sym_global *sizeless_at(struct sym_module *m, uint64_t addr)
{
	const struct sym_elf *sym = sym_elf_at(m, addr);

	if (!sym || sym->function || !sym->size)
		return NULL;
	for (size_t i = 0, n = m->n_globals; i < n;) { /* lower bound of sym->addr */
		const size_t mid = i + (n - i) / 2;

		if (m->globals[mid].addr == sym->addr && m->globals[mid].size == 0) {
			m->globals[mid].size = sym->size;
			return &m->globals[mid];
		}
		if (m->globals[mid].addr < sym->addr)
			i = mid + 1;
		else
			n = mid;
	}
	return NULL;
}

bool vtb_symbols_global(struct vtb_symbols *s, const char *path, uint64_t addr, uint32_t size, struct vtb_leaf *ret)
{
	struct sym_module *m = sym_module(s, path);
	struct sym_global *g;
	Dwarf_Die type;

	if (!m || sym_index_names(m) < 0)
		return false;
	g = global_at(m, addr);
	if (!g)
		g = sizeless_at(m, addr);
	if (!g || !sym_type_of(&g->die, &type))
		return false;
	if (!g->name)
		g->name = global_name(m, g);
	*ret = (struct vtb_leaf){ .object = g->name,
		                  .object_type = sym_type_name(m, &type),
		                  .object_addr = g->addr,
		                  .object_size = g->size };
	sym_leaf(m, &type, g->name, addr - g->addr, size, ret);
	if (!ret->size && !ret->offset && g->size <= UINT32_MAX) /* clang only declares many classes of the library */
		ret->size = (uint32_t)g->size;
	return true;
}
