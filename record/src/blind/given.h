/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file given.h
 * Functions that return a large struct write it, without hooks, where rdi points to, which they give back in rax. That
 * place is their caller's, who nearly always gives one on its stack. So they are blind only if somebody gives another.
 *
 * Ownership: lists are the owner's until given_fini(). Errors: -ENOMEM.
 */
#ifndef VTB_BLIND_GIVEN_H
#define VTB_BLIND_GIVEN_H

#include "function.h"
#include "vtb/elf_file.h"

struct given_call {
	uint64_t target, addr;
	uint64_t entry;  /* of the caller */
	size_t function; /* the caller, as the owner counts them */
	bool own;        /* the caller's own such place */
};

struct given_calls {
	struct given_call *items;
	size_t n_items, cap_items;
};

struct given_functions {
	struct given_function {
		uint64_t entry, addr; /* the first access */
		size_t function;      /* as the owner counts them */
	} * items;
	size_t n_items, cap_items;
};

struct given_addresses {
	uint64_t *items;
	size_t n_items, cap_items;
};

struct given {
	struct given_calls calls;         /* with a place that is not on the stack */
	struct given_functions functions; /* that write there */
	struct given_addresses taken;     /* of functions that may be called from elsewhere */
	uint64_t entry;                   /* of the function that is read */
	size_t function;
	uint64_t writes; /* its first such access; 0 none */
	bool keeps;      /* it does not give the place back */
};

void given_fini(struct given *g);
/** Functions that others can call: their addresses stand in the file's data, or it shows them. */
int given_file(struct given *g, struct vtb_elf *elf);
/** The next function is read, which the owner calls `function`. */
void given_begin(struct given *g, uint64_t entry, size_t function);
/** It touches, without a hook, what `at` leads to: is that such a place? */
bool given_touch(struct given *g, struct blind_function *f, const struct blind_insn *in, struct blind_value at);
/** An instruction of it: calls, returns, addresses of functions. */
int given_see(struct given *g, struct blind_function *f, const struct blind_insn *in);
/** It was read. 1 if it is blind after all. */
int given_end(struct given *g);
/** All were read. Call `blind` for each function that gives such a place to another, or writes to one that somebody
 * unknown gives. */
int given_judge(struct given *g, int (*blind)(void *arg, size_t function, uint64_t addr), void *arg);

#endif /* VTB_BLIND_GIVEN_H */
