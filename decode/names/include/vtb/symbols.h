/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file symbols.h
 * What a module's ELF and DWARF say about its addresses. The only place where libdw is used (symbols*.c).
 * All addresses here are file addresses (runtime address - load bias). Strings are owned by the symbols and live as
 * long. Debug information may stand in a separate file (build-id, .gnu_debuglink); debuginfod is asked only if
 * DEBUGINFOD_URLS is set. DWARF 4 and 5. Each module is indexed once, when first asked about. Errors:    none of these
 * functions fails for lack of knowledge; they say less. Threads:   no locking.
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

struct vtb_module;
/** Expect the file of this module to be the recorded build: if it is another one, or no such file can be read, nothing
 * is known of it (vtb/module_file.h, which also says where it is looked for). To be called before anything is asked
 * about the path; without it any file of that name will do. -ENOMEM. */
int vtb_symbols_expect(struct vtb_symbols *s, const struct vtb_module *m);

struct vtb_place {
	const char *function;   /* demangled; the innermost inlined function; "" unknown */
	const char *file;       /* "" unknown */
	uint32_t line;          /* 0 unknown */
	uint32_t function_line; /* 0 unknown */
	const char *directory;  /* in which the compiler was run; NULL unknown */
};

/** Source place of an address of the module at `path`; pass (return address - 1) for calls. Never fails: fields are
 * empty if nothing is known. */
void vtb_symbols_place(struct vtb_symbols *s, const char *path, uint64_t addr, struct vtb_place *ret);

/** The source line itself, trimmed; "" if the file is not at hand. Looks beside the compilation directory and the
 * current one. */
const char *vtb_symbols_source(struct vtb_symbols *s, const char *path, const char *file, uint32_t line);

/** The same with its blanks at the beginning; NULL if the file is not at hand or has no such line. */
const char *vtb_symbols_source_line(struct vtb_symbols *s, const char *path, const char *file, uint32_t line);

/** The same with the functions that it was inlined into: ret[0] is the innermost, its callers follow with the places of
 *  their calls. At most `max` (>= 1) are stored; returns how many (at least 1). */
size_t vtb_symbols_chain(struct vtb_symbols *s, const char *path, uint64_t addr, struct vtb_place *ret, size_t max);

/** The last line of the function that begins at `addr`, where it returns; 0: none begins there, or its lines are not
 * known. O(rows of its unit). */
uint32_t vtb_symbols_last_line(struct vtb_symbols *s, const char *path, uint64_t addr);

struct vtb_leaf {
	const char *object; /* global or static variable: "accounts"; function-local static: "function()::name" */
	const char *object_type;
	uint64_t object_addr, object_size; /* object_size 0: unknown */
	const char *name;                  /* "accounts[2].balance"; bytes that no member holds: "s+5" */
	const char *type;                  /* "int", "" unknown */
	uint64_t offset;                   /* of the leaf in the object */
	uint32_t size;                     /* 0 unknown */
};

/** The smallest named part of a global that holds `addr`; `size` is that of the access (0 unknown): it chooses among
 * the members of a union. Synchronisation types (pthread_mutex_t, std::mutex, ...) and atomics are not taken apart.
 *  Adjacent bit-fields are one memory location (C11 3.14) and get one name: "flags.{a,b}".
 *  False if no global is there (then see vtb_symbols_elf()). First call for a module: O(its debug information). */
bool vtb_symbols_global(struct vtb_symbols *s, const char *path, uint64_t addr, uint32_t size, struct vtb_leaf *ret);

/** The ELF symbol that holds `addr`: demangled name, where it begins and how long it is. False if there is none. */
bool vtb_symbols_elf(struct vtb_symbols *s, const char *path, uint64_t addr, const char **ret_name, uint64_t *ret_addr,
                     uint64_t *ret_size);

/** Canonical frame address (the caller's stack pointer before the call instruction pushed the return address) of the
 *  frame whose function contains `pc` and whose stack pointer there is `sp`. From the call frame information; where
 * that speaks of rbp, from the function's prologue. False if neither tells. */
bool vtb_symbols_cfa(struct vtb_symbols *s, const char *path, uint64_t pc, uint64_t sp, uint64_t *ret);

/** The local variable that lies at `addr` (`size` bytes, as above) in the frame of the function containing `pc`, given
 * the stack pointer in that frame. object_addr is its runtime address. */
bool vtb_symbols_local(struct vtb_symbols *s, const char *path, uint64_t pc, uint64_t sp, uint64_t addr, uint32_t size,
                       struct vtb_leaf *ret);

/** Declared type of the variable or parameter `name` as seen from `pc` (innermost scope first, then globals), with
 *  `derefs` pointers or arrays taken off. "" if it is not known. */
const char *vtb_symbols_declared(struct vtb_symbols *s, const char *path, uint64_t pc, const char *name,
                                 unsigned derefs);

/** What the template parameter `name` of the innermost function at `pc`, or of its class, stands for: a type. "" if it
 * is none. */
const char *vtb_symbols_argument(struct vtb_symbols *s, const char *path, uint64_t pc, const char *name);

/** The leaf at `offset` in an object of the type `type_name` ("struct node", "account", "ns::Node", "char *"), as
 * looked up in the module; array of it if the object is larger. `name` is the path inside: ".next", "[2].next", "" for
 * all of a scalar; `object_size` of the result is that of one element. False if there is no such type. */
bool vtb_symbols_typed(struct vtb_symbols *s, const char *path, const char *type_name, uint64_t object_size,
                       uint64_t offset, uint32_t size, struct vtb_leaf *ret);

/** Addresses of instructions that the line table attributes to `line` of `function` (demangled; its name without
 *  parameters will do if that is all that matches), inlined copies included, lowest first. `line` counts from the
 *  function's first line. Returns how many (at most max are stored), or -ENOENT if there is no such function. First
 * call for a module: O(its debug information); then O(rows of the units that have such a function). */
int64_t vtb_symbols_lines(struct vtb_symbols *s, const char *path, const char *function, uint32_t line_in_function,
                          uint64_t *addrs, size_t max);

/** Read up to `size` bytes of the module's text or data at `addr` as they stand in the file. Returns how many there
 * are. */
size_t vtb_symbols_bytes(struct vtb_symbols *s, const char *path, uint64_t addr, void *buf, size_t size);

bool vtb_symbols_has_debug_info(struct vtb_symbols *s, const char *path);

#endif /* VTB_SYMBOLS_H */
