/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an address to unit, function, inlined functions and source line. */
#include "symbols_private.h"

#include <errno.h>
#include <string.h>

#include "vtb/array.h"

/* All ranges of a DIE, added with `index`. */
static int add_ranges(Dwarf_Die *die, uint64_t bias, struct sym_range **ranges, size_t *n, size_t *cap, uint32_t index)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		if (lo + bias == 0) /* a function that the linker dropped */
			continue;
		const int r = sym_add_range(ranges, n, cap, lo + bias, hi + bias, index);

		if (r < 0)
			return r;
	}
	return 0;
}

int sym_index_units(struct sym_module *m)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;
	uint8_t type;

	if (m->has_units || !m->dwarf)
		return m->dwarf ? 0 : -VTB_E_SYMBOLS;
	m->has_units = true;
	while (dwarf_get_units(m->dwarf, cu, &cu, NULL, &type, &die, &sub) == 0) {
		if (type == DW_UT_skeleton && sub.addr) /* split DWARF whose .dwo file is at hand */
			die = sub;
		if (vtb_array_room(m, units) < 0)
			return -ENOMEM;
		m->units[m->n_units] = (struct sym_unit){ .die = die };
		if (add_ranges(&die, m->bias, &m->ranges, &m->n_ranges, &m->cap_ranges, (uint32_t)m->n_units) < 0)
			return -ENOMEM;
		m->n_units++;
	}
	sym_sort_ranges(m->ranges, m->n_ranges);
	return 0;
}

struct sym_unit *sym_unit_at(struct sym_module *m, uint64_t addr)
{
	const struct sym_range *range;

	if (sym_index_units(m) < 0)
		return NULL;
	range = sym_find(m->ranges, m->n_ranges, addr);
	return range ? &m->units[range->index] : NULL;
}

static int add_function(struct sym_module *m, struct sym_unit *u, Dwarf_Die *die)
{
	const size_t before = u->n_ranges;

	if (vtb_array_room(u, functions) < 0 ||
	    add_ranges(die, m->bias, &u->ranges, &u->n_ranges, &u->cap_ranges, (uint32_t)u->n_functions) < 0)
		return -ENOMEM;
	if (u->n_ranges > before)
		u->functions[u->n_functions++] = (struct sym_function){ .die = *die };
	return 0;
}

/* Subprograms stand in the unit, in namespaces, in classes, and (lambdas, nested ones) in functions and their blocks.
 */
static int find_functions(struct sym_module *m, struct sym_unit *u, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;
	int r = 0;

	if (depth > SYM_DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return 0;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			r = add_function(m, u, &die);
			r = r < 0 ? r : find_functions(m, u, &die, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_namespace:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_module:
			r = find_functions(m, u, &die, depth + 1);
			break;
		default:
			break;
		}
	} while (r == 0 && dwarf_siblingof(&die, &die) == 0);
	return r;
}

struct sym_function *sym_function_at(struct sym_module *m, uint64_t addr)
{
	struct sym_unit *u = sym_unit_at(m, addr);
	const struct sym_range *range;

	if (!u)
		return NULL;
	if (!u->indexed) {
		u->indexed = true;
		if (find_functions(m, u, &u->die, 0) < 0)
			m->owner->no_memory = true;
		sym_sort_ranges(u->ranges, u->n_ranges);
	}
	range = sym_find(u->ranges, u->n_ranges, addr);
	return range ? &u->functions[range->index] : NULL;
}

/* Follow the child scope that holds addr, as deep as it goes. */
size_t sym_scopes_at(struct sym_module *m, uint64_t addr, Dwarf_Die *scopes, size_t max)
{
	struct sym_function *f = sym_function_at(m, addr);
	size_t n = 0;
	Dwarf_Die die;

	if (!f || !max)
		return 0;
	scopes[n++] = f->die;
	while (n < max && dwarf_child(&scopes[n - 1], &die) == 0) {
		bool found = false;

		do {
			const int tag = dwarf_tag(&die);

			found = (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
			         tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
			        dwarf_haspc(&die, addr - m->bias) == 1;
		} while (!found && dwarf_siblingof(&die, &die) == 0);
		if (!found)
			break;
		scopes[n++] = die;
	}
	return n;
}

/* A mangled name says everything; without one (C, and C++ functions of internal linkage) the scopes do. */
const char *sym_function_name(struct sym_module *m, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	return name ? sym_demangled(m->owner, name) : sym_qualified(m, die);
}

/* The name as the compiler was given it: relative to the compilation directory unless the unit's own name is absolute.
 */
static const char *file_name(struct sym_module *m, struct sym_unit *u, const char *file)
{
	Dwarf_Attribute attr;
	const char *unit = dwarf_diename(&u->die);
	const char *dir = dwarf_formstring(dwarf_attr(&u->die, DW_AT_comp_dir, &attr));
	const size_t len = dir ? strlen(dir) : 0;

	if (!file)
		return "";
	if (len && (!unit || unit[0] != '/') && strncmp(file, dir, len) == 0 && file[len] == '/')
		file += len + 1;
	while (strncmp(file, "./", 2) == 0)
		file += 2;
	return sym_string(m->owner, file);
}

static void function_place(struct sym_module *m, Dwarf_Die *die, struct vtb_place *ret)
{
	Dwarf_Die origin;
	int line = 0;

	ret->function = sym_function_name(m, die);
	sym_origin(die, &origin);
	if (dwarf_decl_line(die, &line) != 0)
		(void)dwarf_decl_line(&origin, &line);
	ret->function_line = line > 0 ? (uint32_t)line : 0;
}

static const char *compile_directory(struct sym_module *m, struct sym_unit *u)
{
	Dwarf_Attribute attr;
	const char *dir = dwarf_formstring(dwarf_attr(&u->die, DW_AT_comp_dir, &attr));

	return dir ? sym_string(m->owner, dir) : NULL;
}

static void line_place(struct sym_module *m, struct sym_unit *u, uint64_t addr, struct vtb_place *ret)
{
	Dwarf_Line *row = dwarf_getsrc_die(&u->die, addr - m->bias);
	int line = 0;

	if (!row)
		return;
	ret->file = file_name(m, u, dwarf_linesrc(row, NULL, NULL));
	if (dwarf_lineno(row, &line) == 0 && line > 0)
		ret->line = (uint32_t)line;
}

/* Where an inlined call stands in its caller. */
static void call_place(struct sym_module *m, struct sym_unit *u, Dwarf_Die *inlined, struct vtb_place *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line) == 0 && line <= UINT32_MAX)
		ret->line = (uint32_t)line;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file) == 0 &&
	    dwarf_getsrcfiles(&u->die, &files, &n) == 0 && file < n)
		ret->file = file_name(m, u, dwarf_filesrc(files, file, NULL, NULL));
}

/* ---- chains: runs come to the same addresses again and again */

#define CHAIN_MAX 256u /* places of one address that are kept */

static size_t known_chain(const struct sym_module *m, uint64_t addr, struct vtb_place *ret, size_t max)
{
	uint64_t at;
	size_t n;

	if (!vtb_map64_get(&m->chains, addr, &at))
		return 0;
	n = at % CHAIN_MAX < max ? at % CHAIN_MAX : max;
	memcpy(ret, m->places + at / CHAIN_MAX, n * sizeof(*ret));
	return n;
}

/* A memo: without memory for it nothing is lost. */
static void keep_chain(struct sym_module *m, uint64_t addr, const struct vtb_place *places, size_t n)
{
	const uint64_t at = m->n_places * CHAIN_MAX + n;

	for (size_t i = 0; i < n; i++) {
		if (vtb_array_room(m, places) < 0)
			return;
		m->places[m->n_places++] = places[i];
	}
	(void)vtb_map64_set(&m->chains, addr, at);
}

static size_t find_chain(struct vtb_symbols *s, struct sym_module *m, uint64_t addr, struct vtb_place *ret, size_t max)
{
	struct sym_unit *u = m ? sym_unit_at(m, addr) : NULL;
	Dwarf_Die scopes[SYM_DEPTH_MAX], *inlined = NULL;
	size_t n = 0, i = u ? sym_scopes_at(m, addr, scopes, SYM_DEPTH_MAX) : 0;

	ret[0] = (struct vtb_place){ .function = "", .file = "" };
	if (u)
		line_place(m, u, addr, &ret[0]);
	for (; i > 0 && n < max; i--) {
		const int tag = dwarf_tag(&scopes[i - 1]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		if (inlined) {
			ret[n] = (struct vtb_place){ .function = "", .file = "" };
			call_place(m, u, inlined, &ret[n]);
		}
		function_place(m, &scopes[i - 1], &ret[n]);
		ret[n++].directory = compile_directory(m, u);
		inlined = &scopes[i - 1];
	}
	if (n == 0 && m) {
		const struct sym_elf *sym = sym_elf_at(m, addr);

		if (sym)
			ret[0].function = sym_demangled(s, sym->name);
	}
	n = n ? n : 1;
	if (m && n < max && n < CHAIN_MAX) /* all of it */
		keep_chain(m, addr, ret, n);
	return n;
}

size_t vtb_symbols_chain(struct vtb_symbols *s, const char *path, uint64_t addr, struct vtb_place *ret, size_t max)
{
	struct sym_module *m = sym_module(s, path);
	const size_t n = m ? known_chain(m, addr, ret, max) : 0;

	return n ? n : find_chain(s, m, addr, ret, max);
}

void vtb_symbols_place(struct vtb_symbols *s, const char *path, uint64_t addr, struct vtb_place *ret)
{
	(void)vtb_symbols_chain(s, path, addr, ret, 1);
}

/* ---- where a function returns */

/* Is the code there the function's own, and not that of one inlined into it? */
static bool is_its_own(struct sym_module *m, struct sym_function *f, uint64_t addr)
{
	Dwarf_Die scopes[SYM_DEPTH_MAX];
	const size_t n = sym_function_at(m, addr) == f ? sym_scopes_at(m, addr, scopes, SYM_DEPTH_MAX) : 0;

	for (size_t i = 1; i < n; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
			return false;
	return n > 0;
}

/* dwarf_decl_file() takes file 0, which clang writes for that of the unit, for none. */
static const char *declared_in(struct sym_unit *u, struct sym_function *f)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word file;
	size_t n;

	if (dwarf_formudata(dwarf_attr_integrate(&f->die, DW_AT_decl_file, &attr), &file) != 0 ||
	    dwarf_getsrcfiles(&u->die, &files, &n) != 0 || file >= n)
		return NULL;
	return dwarf_filesrc(files, file, NULL, NULL);
}

/* Several rows may have one address, and what libraries do there has lines of other files. */
static int last_line(struct sym_module *m, struct sym_unit *u, struct sym_function *f)
{
	const char *file = declared_in(u, f);
	Dwarf_Lines *lines;
	int last = 0;
	size_t n;

	if (!file || dwarf_getsrclines(&u->die, &lines, &n) != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		const char *source = dwarf_linesrc(row, NULL, NULL);
		Dwarf_Addr addr;
		int line;

		if (dwarf_lineno(row, &line) == 0 && line > last && dwarf_lineaddr(row, &addr) == 0 && source &&
		    !strcmp(source, file) && is_its_own(m, f, addr + m->bias))
			last = line;
	}
	return last;
}

/* Functions of several ranges have no entry in their DIE, but a symbol. */
static bool begins_at(struct sym_module *m, struct sym_function *f, uint64_t addr)
{
	const struct sym_elf *symbol = sym_elf_at(m, addr);
	Dwarf_Addr entry;

	return (dwarf_entrypc(&f->die, &entry) == 0 && entry + m->bias == addr) || (symbol && symbol->addr == addr);
}

uint32_t vtb_symbols_last_line(struct vtb_symbols *s, const char *path, uint64_t addr)
{
	struct sym_module *m = sym_module(s, path);
	struct sym_unit *u = m ? sym_unit_at(m, addr) : NULL;
	struct sym_function *f = u ? sym_function_at(m, addr) : NULL;

	return f && begins_at(m, f, addr) ? (uint32_t)last_line(m, u, f) : 0;
}
