/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file symbols_private.h
 * What the files symbols*.c share. Only they see libdw's types.
 *
 * Everything about a module is indexed at most once, and only when first asked for:
 *   units      address ranges of the compilation units, sorted               (first place)
 *   functions  of one unit: ranges of its subprograms, sorted                (first place in that unit)
 *   names      one walk over all DIEs: globals by address, types by name,    (first global, type or qualified name)
 *              the scope of everything that is declared in one
 *   subprograms by name                                                      (first name of a function)
 *   elf        symbols sorted by address                                     (first address that DWARF does not know)
 */
#ifndef VTB_SYMBOLS_PRIVATE_H
#define VTB_SYMBOLS_PRIVATE_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include "vtb/map64.h"
#include "vtb/symbols.h"
#include "vtb/symtab.h"

#define SYM_DEPTH_MAX 128u /* nesting of DIEs and of types that is followed */
#define SYM_CHAIN_MAX 32u  /* inlined functions around one instruction */

struct sym_range {
	uint64_t lo, hi; /* [lo, hi) */
	uint32_t index;  /* of the unit or function */
};

/* What a variable's place is counted from. */
enum sym_base { SYM_BASE_FRAME, SYM_BASE_RSP, SYM_BASE_RBP, SYM_BASES };

struct sym_bases {
	uint64_t pc; /* of the call, in libdw's addresses */
	uint64_t at[SYM_BASES];
	bool known[SYM_BASES];
};

/* A place of a variable in the frame. */
struct sym_slot {
	Dwarf_Die var;
	uint32_t scope; /* index in scopes */
	enum sym_base base;
	uint64_t offset, size;
};

/* The function itself, a block in it, or a function that was inlined there. */
struct sym_scope {
	Dwarf_Die die;
	uint32_t outer; /* index, UINT32_MAX: none */
	unsigned depth;
};

struct sym_function {
	Dwarf_Die die;
	const char *name;         /* NULL: not asked for yet */
	struct sym_slot *slots;   /* read with scopes */
	struct sym_scope *scopes; /* none: not read yet */
	size_t n_slots, cap_slots, n_scopes, cap_scopes;
};

struct sym_unit {
	Dwarf_Die die;
	bool indexed;
	struct sym_function *functions;
	size_t n_functions, cap_functions;
	struct sym_range *ranges; /* of the functions, sorted by lo */
	size_t n_ranges, cap_ranges;
};

struct sym_global {
	uint64_t addr, size;
	Dwarf_Die die;
	Dwarf_Die function; /* the function it is local to; addr NULL if none */
	const char *scope;  /* "ns::Class", "" none */
	const char *name;   /* qualified; NULL: not asked for yet */
};

struct sym_type {
	const char *name; /* qualified and normalised, see sym_normal_type() */
	Dwarf_Die die;
	bool declaration;
};

/* A function that has code of its own or was inlined somewhere. */
struct sym_subprogram {
	Dwarf_Die die;
	uint32_t unit;
	const char *name; /* NULL until somebody asks for a function by name */
};

struct sym_elf {
	uint64_t addr, size;
	const char *name; /* as in the file */
	bool function;
};

struct sym_module {
	struct vtb_symbols *owner;
	const char *path;
	const char *file; /* where it is read; NULL: not at all */
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Dwarf *dwarf;  /* NULL: no debug information */
	uint64_t bias; /* libdwfl address - file address (0 for what we report, kept for prelinked debug files) */
	Elf *elf;
	uint64_t elf_bias;
	bool opened, has_units, has_names, has_functions, has_elf;

	struct sym_unit *units;
	size_t n_units, cap_units;
	struct sym_range *ranges; /* of the units */
	size_t n_ranges, cap_ranges;
	struct sym_global *globals; /* sorted by addr */
	size_t n_globals, cap_globals;
	struct sym_type *types; /* sorted by name */
	size_t n_types, cap_types;
	struct sym_subprogram *subprograms; /* sorted by name once has_functions */
	size_t n_subprograms, cap_subprograms;
	struct sym_elf *symbols; /* sorted by addr */
	size_t n_symbols, cap_symbols;
	struct vtb_map64 scopes;     /* DIE address -> const char * of the scope it is declared in, if not "" */
	struct vtb_map64 type_names; /* DIE address -> const char *, memo */
	struct vtb_map64 chains;     /* address -> its first place in `places` and how many, memo */
	struct vtb_place *places;
	size_t n_places, cap_places;
};

/** What was found at a place in a frame: every activation of a function looks alike. */
struct sym_local {
	struct sym_module *m;
	uint64_t pc, above; /* of the stack pointer */
	uint32_t size;
	bool found;
	struct vtb_leaf leaf; /* its object_addr is above the stack pointer, too */
};

struct vtb_symbols {
	struct vtb_symtab strings; /* only its arena of strings is used */
	struct sym_module **modules;
	size_t n_modules, cap_modules;
	struct sym_source *sources;
	size_t n_sources, cap_sources;
	struct vtb_disasm *disasm;
	struct vtb_map64 local_ids; /* hash of a place in a frame -> index in locals */
	struct sym_local *locals;
	size_t n_locals, cap_locals;
	bool no_memory; /* an index is incomplete */
};

/* ---- symbols.c */
/** The opened module, also if nothing is known about it; NULL without memory. */
struct sym_module *sym_module(struct vtb_symbols *s, const char *path);
/** A lasting copy; never NULL ("" without memory). */
const char *sym_string(struct vtb_symbols *s, const char *text);
const char *sym_printf(struct vtb_symbols *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** The last range that begins at or below addr and holds it, or NULL. `ranges` sorted by lo, then wider first. */
const struct sym_range *sym_find(const struct sym_range *ranges, size_t n, uint64_t addr);
int sym_add_range(struct sym_range **ranges, size_t *n, size_t *cap, uint64_t lo, uint64_t hi, uint32_t index);
void sym_sort_ranges(struct sym_range *ranges, size_t n);
/** The ELF symbol that holds addr (or is the closest below it without a size), or NULL. */
const struct sym_elf *sym_elf_at(struct sym_module *m, uint64_t addr);
/** Demangled if it is a C++ name. */
const char *sym_demangled(struct vtb_symbols *s, const char *name);

/* ---- symbols_place.c */
struct sym_unit *sym_unit_at(struct sym_module *m, uint64_t addr);
/** The function that contains addr (not inlined), or NULL. */
struct sym_function *sym_function_at(struct sym_module *m, uint64_t addr);
/** The scopes around addr in that function: the function, then blocks and inlined functions, outermost first. */
size_t sym_scopes_at(struct sym_module *m, uint64_t addr, Dwarf_Die *scopes, size_t max);
const char *sym_function_name(struct sym_module *m, Dwarf_Die *die);
int sym_index_units(struct sym_module *m);

/* ---- symbols_names.c */
int sym_index_names(struct sym_module *m);
/** "ns::Class::name"; the name alone if no scope is known. */
const char *sym_qualified(struct sym_module *m, Dwarf_Die *die);
/** Is the unit that holds the DIE written in C? */
bool sym_is_c(Dwarf_Die *die);
/** The DIE that declares it: follows abstract origins and specifications. */
void sym_origin(Dwarf_Die *die, Dwarf_Die *ret);

/* ---- symbols_slots.c */
/** The variable whose place holds `addr`, the innermost at bases->pc, and where it begins. First call for a function:
 * O(its variables). */
bool sym_slot_at(struct sym_module *m, struct sym_function *function, const struct sym_bases *bases, uint64_t addr,
                 Dwarf_Die *ret_var, uint64_t *ret_at);
void sym_slots_free(struct sym_function *function);

/* ---- symbols_type.c */
/** The type of a variable or member; false if it has none (void). */
bool sym_type_of(Dwarf_Die *die, Dwarf_Die *ret);
const char *sym_type_name(struct sym_module *m, Dwarf_Die *type);
/** Bytes, or 0 if unknown. */
uint64_t sym_type_size(struct sym_module *m, Dwarf_Die *type);
/** Types that are one thing to their users; taken apart they would show a library's private parts. */
bool sym_is_opaque(struct sym_module *m, Dwarf_Die *type);
/** Nodes of libstdc++'s lists, trees and hash tables hold their value as raw bytes, in a class that is told its type:
 * that type. */
bool sym_buffer_of(struct sym_module *m, Dwarf_Die *type, Dwarf_Die *ret);
/** The type of that name in the module: "struct x", "x", "ns::x", "x *". False if there is none. */
bool sym_type_by_name(struct sym_module *m, const char *name, Dwarf_Die *ret, bool *pointer);
/** A class that is only declared here: its definition elsewhere in the module, if any. */
void sym_complete(struct sym_module *m, Dwarf_Die *type);

/* ---- symbols_normal.c */
/** Spaces only between words, words of "unsigned long" and such in one order, "T const" for "const T", numbers without
 * their type. `out` gets at most `size` bytes. */
void sym_normal_type(const char *name, char *out, size_t size);

/* ---- symbols_leaf.c */
/** Smallest named part at `offset` of an object of the type; `prefix` is the object's name. Fills name, type, offset,
 * size. */
void sym_leaf(struct sym_module *m, Dwarf_Die *type, const char *prefix, uint64_t offset, uint32_t size,
              struct vtb_leaf *ret);

/* ---- symbols_source.c */
struct sym_source; /* a source file read into memory, by lines */
void sym_sources_free(struct vtb_symbols *s);

#endif /* VTB_SYMBOLS_PRIVATE_H */
