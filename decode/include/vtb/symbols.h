/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file symbols.h
 * What a module's ELF and DWARF say about its addresses. The only place where libdw is used (symbols*.c).
 * All addresses here are file addresses (runtime address - load bias). Strings are owned by the symbols and live as long.
 */
#ifndef VTB_SYMBOLS_H
#define VTB_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

struct vtb_symbols;
int vtb_symbols_new(struct vtb_symbols **ret);
void vtb_symbols_free(struct vtb_symbols *s);

struct vtb_place {
	const char *function;   /* demangled; the innermost inlined function; "" unknown */
	const char *file;       /* "" unknown */
	uint32_t line;          /* 0 unknown */
	uint32_t function_line; /* 0 unknown */
};

/** Source place of an address of the module at `path`; pass (return address - 1) for calls. Never fails: fields are empty if nothing is known. */
void vtb_symbols_place(struct vtb_symbols *s, const char *path, uint64_t addr, struct vtb_place *ret);

/** The source line itself, trimmed; "" if the file is not at hand. Looks beside the compilation directory and the current one. */
const char *vtb_symbols_source(struct vtb_symbols *s, const char *path, const char *file, uint32_t line);

struct vtb_leaf {
	const char *object;      /* global or static variable: "accounts"; function-local static: "function()::name" */
	const char *object_type;
	uint64_t object_addr, object_size;
	const char *name;        /* "accounts[2].balance" */
	const char *type;        /* "int" */
	uint64_t offset;         /* of the leaf in the object */
	uint32_t size;
};

/** The smallest named part of a global that holds `addr`. False if no global is there (then fall back to ELF symbols: name = symbol+offset). */
bool vtb_symbols_global(struct vtb_symbols *s, const char *path, uint64_t addr, struct vtb_leaf *ret);

/** The local variable that lies at `addr` in the frame of the function containing `pc`, given the stack pointer in that frame. */
bool vtb_symbols_local(struct vtb_symbols *s, const char *path, uint64_t pc, uint64_t sp, uint64_t addr, struct vtb_leaf *ret);

/** The leaf at `offset` in an object of the type `type_name` ("struct node", "account"), as looked up in the module; array of it if the
 *  object is larger. False if there is no such type. */
bool vtb_symbols_typed(struct vtb_symbols *s, const char *path, const char *type_name, uint64_t object_size, uint64_t offset, struct vtb_leaf *ret);

/** Addresses of instructions that the line table attributes to `line` of `function` (demangled), lowest first. `line` counts from the
 *  function's first line. Returns how many (at most max are stored), or -ENOENT if there is no such function. */
int64_t vtb_symbols_lines(struct vtb_symbols *s, const char *path, const char *function, uint32_t line_in_function, uint64_t *addrs, size_t max);

bool vtb_symbols_has_debug_info(struct vtb_symbols *s, const char *path);

#endif /* VTB_SYMBOLS_H */
