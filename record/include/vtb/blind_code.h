/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file blind_code.h
 * Functions of a program with hooks (tier tsan) that touch its variables where no hook tells it: inline assembler, the
 * read that is part of writing a bit-field, a copy that the compiler has written out, code compiled without the hooks.
 *
 * Judged is every access whose address may be that of another thread's memory: not the stack, not thread-local storage,
 * not what nobody writes to. It is blind if no hook has told of those bytes, in that mode, since the last call of
 * anything else. So no such access is overlooked in a function with a symbol, as long as nobody keeps the address of a
 * variable on the stack whose compiler thought that nobody does. Ownership: the list and its names are the caller's.
 */
#ifndef VTB_BLIND_CODE_H
#define VTB_BLIND_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/call_sites.h"
#include "vtb/error.h"
#include "vtb/stop.h"
#include "vtb/wire.h"

struct vtb_blind_place {
	char *function; /* NULL ends the list */
	uint64_t entry; /* where it begins in the file */
	uint64_t addr;  /* of the first such access */
	bool in_sites;  /* all such accesses of the function are among the sites */
};

/** What was found in a file. */
struct vtb_blind_code {
	struct vtb_blind_place *places; /* the functions, by name; NULL: nothing was found out */
	struct vtb_wire_blind *sites;   /* instructions that the runtime can give a hook, by address */
	size_t n_sites;
};

/** Is the file looked through before the start? If it has atomic instructions of its own, by which threads surely meet,
 * or if that takes well below a second. */
bool vtb_blind_code_gets_hooks(const struct vtb_call_sites *sites);

/** These functions: none without hooks, and one called "" without symbols. Instructions are sites where giving them a
 * hook is no more than its compiler would have done: in a function with hooks or atomic operations, or in a short one
 * that goes through its code once. In a file without atomic instructions, only in functions with hooks in which one
 * access at least is none that a hook can have told, and in short ones among functions with hooks. `only_writes`: this
 * compiler leaves out reads that a write of the same place follows (clang). O(instructions). 0, -ENOMEM, -VTB_E_TOOL,
 * -ETIME when `stop` (may be NULL) was due before all were looked at, or the error of reading it; then *ret is empty.
 */
int vtb_blind_code_find(const char *path, bool only_writes, struct vtb_stop *stop, struct vtb_blind_code *ret,
                        struct vtb_error *err);
/** Accepts an empty one. */
void vtb_blind_code_fini(struct vtb_blind_code *code);

#endif /* VTB_BLIND_CODE_H */
