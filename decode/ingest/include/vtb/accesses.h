/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file accesses.h
 * Who accesses what, of a program without hooks: which threads read and wrote which words, by which instructions. From
 * it the few variables are chosen that are worth watching.
 *
 * A variable here is what instructions share: two words belong together if one instruction touches both (a field of
 * many objects, the elements of an array). So heap objects need no name to be chosen.
 *
 * Shape:      accesses of the program's own file only; addresses of instructions are the file's.
 * Ownership:  a profile owns everything; strings it returns live as long as it does.
 * Complexity: O(1) for an access; memory: 40 bytes for each word touched by each thread or instruction anew.
 * Source:     union-find, [UNIONFIND75].
 */
#ifndef VTB_ACCESSES_H
#define VTB_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

struct vtb_symbols;
struct vtb_accesses;

/** One access. */
struct vtb_one_access {
	uint64_t pc;     /* of the instruction, in the file */
	uint64_t addr;   /* in the process */
	uint32_t thread; /* any number that tells threads apart */
	uint32_t size;   /* bytes */
	bool writes;
};

/** A variable worth watching, as far as is known. */
struct vtb_accessed {
	const char *name;    /* of a global; else "FUNCTION, line N" of its first instruction */
	const uint64_t *pcs; /* instructions that touch it, ascending */
	size_t n_pcs;
	uint32_t readers, writers; /* threads; beyond 64 not exact */
	uint64_t first;            /* the lowest address touched, in the file if it lies there; else 0 */
};

/** `program`: the file whose accesses come; `bias`: runtime address - address in the file. */
int vtb_accesses_new(const char *program, uint64_t bias, struct vtb_accesses **ret);
void vtb_accesses_free(struct vtb_accesses *p);
int vtb_accesses_add(struct vtb_accesses *p, const struct vtb_one_access *access);

/** A recording of `vtb-record --backend=qemu`. -VTB_E_FORMAT, -VTB_E_VERSION, errno. */
int vtb_accesses_read(const char *dir, const char *program, struct vtb_accesses **ret, struct vtb_error *err);

/**
 * At most `max` variables that two threads touch and at least one writes, the most suspicious first: written by two
 * threads before written by one; then more threads; then fewer instructions, as those are easier to watch. `focus` (may
 * be NULL, see name_list.h): only globals of these names or their parts, whoever touches them. Returns how many; *ret
 * lives as long as the profile.
 */
int64_t vtb_accesses_choose(struct vtb_accesses *p, struct vtb_symbols *symbols, const char *focus, size_t max,
                            const struct vtb_accessed **ret);

#endif /* VTB_ACCESSES_H */
