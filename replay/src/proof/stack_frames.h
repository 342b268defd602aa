/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a call stack, those that are inlined too, and whose they are. */
#ifndef VTB_STACK_FRAMES_H
#define VTB_STACK_FRAMES_H

#include <stdbool.h>

#include "vtb/runner.h"
#include "vtb/symbols.h"

/* Where their names are. */
struct stack_names {
	struct vtb_symtab *tab;
	struct vtb_symbols *symbols;
	const char *root; /* --source-root */
};

/* One function of a stack, inlined or called. */
struct frame {
	const struct vtb_module *module;
	uint64_t offset; /* of the return address */
	struct vtb_place place;
	bool users;
};

struct stack_names vtb_stack_names(struct vtb_runner *runner);

/** Calls `see` for each function from the innermost outwards until it returns false. `exact`: the first of `pcs` is an
 * instruction itself and no return address. */
void vtb_stack_walk(const struct stack_names *names, const uint64_t *pcs, size_t n, bool exact,
                    bool (*see)(const struct frame *f, void *data), void *data);

/** Its place; strings are borrowed, `via` and `inside` are "". */
struct vtb_site vtb_frame_site(const struct stack_names *names, const struct frame *f);

/** "worker.cc:17"; "" unknown. Returns buf. */
char *vtb_frame_place(const struct vtb_place *place, char *buf, size_t size);

#endif /* VTB_STACK_FRAMES_H */
