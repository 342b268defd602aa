/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file unhooked.h Modules of a program whose memory accesses do not come through our hooks. */
#ifndef VTB_UNHOOKED_H
#define VTB_UNHOOKED_H

#include "vtb/blind_code.h"
#include "vtb/hunt.h"
#include "vtb/stop.h"
#include "vtb/symtab.h"

/** The file whose accesses were looked for before it was started. */
struct vtb_unhooked_given {
	const char *path;
	const struct vtb_blind_code *code; /* its sites have hooks; NULL: there is no such file */
};

/** Base names of the modules that call no hooks, or not everywhere, with what is missing, and functions with accesses
 * that no hook tells (vtb/blind_code.h); NULL-terminated, sorted, owned by the caller. The loader, libc, the vdso and
 * our own runtime are left out: what they do is modelled, not instrumented. `lent`: threads share parts of variables on
 * the stack. *ret_some: there are such functions, or may be. *ret_blind: some module's accesses to these, or reads just
 * before writes, are missing (target.h), so that runs of one class may differ. What is not looked at when `hunt` has
 * been due for half a second, or somebody says so meanwhile, is named as such. 0 or -ENOMEM. */
int vtb_unhooked_modules(const struct vtb_symtab *tab, const struct vtb_unhooked_given *given, bool lent,
                         struct vtb_stop *hunt, char ***ret, bool *ret_some, bool *ret_blind);

/** Threads that meet by plain moves of inline assembler, which have these hooks, may see them in another order than
 * they stand: a processor lets reads overtake writes. */
void vtb_unhooked_note_moves(struct vtb_hunt_facts *facts, const struct vtb_wire_blind *sites, size_t n);

#endif /* VTB_UNHOOKED_H */
