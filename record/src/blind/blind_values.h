/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file blind_values.h
 * What registers hold while a function's instructions are read: sums of things that are not known but have names.
 *
 *     lea 0x8(%rbx,%rcx,4)   value = rbx + 4 * rcx + 8
 *                                    └── form ──┘ offset
 *
 * Shape:     a form is at most BLIND_TERMS atoms, each times a number; equal sums have equal forms. Form 0: a number.
 * An atom is what a register held on entry, what an instruction loaded or computed, or what comes together where paths
 * meet. It is `own` if an address made from it leads to memory that no other thread uses without hooks: the stack, the
 * thread's own storage, tables that nobody writes to.
 * Ownership: values are plain; the table owns what stands behind them until it is emptied.
 * Errors:    `failed` says that there was no memory; values are of no use then.
 */
#ifndef VTB_BLIND_VALUES_H
#define VTB_BLIND_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/map64.h"

#define BLIND_TERMS 4u

struct blind_value {
	uint32_t form;
	int64_t offset;
};

enum blind_what {
	BLIND_ENTRY,   /* a: register */
	BLIND_IMAGE,   /* where the file lies in memory */
	BLIND_STORAGE, /* thread-local */
	BLIND_MADE,    /* a: address of the instruction that loaded or computed it, b: register */
	BLIND_MET,     /* a: block, b: register or slot */
	BLIND_SUM,     /* a, b: forms; more terms than a form has */
	BLIND_PART,    /* a: form, b: offset, c: which bytes, and how extended */
};

struct blind_atom {
	uint64_t a, b, c;
	uint32_t next;
	uint8_t what;
	bool own;
};

struct blind_form {
	struct {
		uint32_t atom;
		int64_t times;
	} terms[BLIND_TERMS];
	uint32_t n, next;
};

/* Addresses in the file of what the program may write to. */
struct blind_ranges {
	struct blind_range {
		uint64_t lo, hi;
	} * items;
	size_t n_items, cap_items;
};

struct blind_values {
	const struct blind_ranges *writable;
	struct blind_range fixed; /* where the file lies, if it is not position independent */
	struct blind_atom *atoms;
	size_t n_atoms, cap_atoms;
	struct blind_form *forms;
	size_t n_forms, cap_forms;
	struct vtb_map64 first_atoms, first_forms; /* of a hash; the others of it follow by `next` */
	bool disowned;                             /* an atom was own when it was used before */
	bool failed;
};

void blind_values_empty(struct blind_values *v);
void blind_values_fini(struct blind_values *v);

static inline struct blind_value blind_number(int64_t n)
{
	return (struct blind_value){ .offset = n };
}

static inline bool blind_equal(struct blind_value a, struct blind_value b)
{
	return a.form == b.form && a.offset == b.offset;
}

/** The atom of that name. It is own as long as everybody says so. */
struct blind_value blind_atom(struct blind_values *v, enum blind_what what, uint64_t a, uint64_t b, uint64_t c,
                              bool own);
/** x + times * y. */
struct blind_value blind_sum(struct blind_values *v, struct blind_value x, struct blind_value y, int64_t times);
/** Is a + times * b the same as x + times * y, as far as their terms tell? Leaves no trace in the table. */
bool blind_sums_equal(const struct blind_values *v, const struct blind_value a[2], const struct blind_value x[2],
                      int64_t times);
/** Does it lead to memory of the thread's own, or to none? A number does. */
bool blind_own(const struct blind_values *v, struct blind_value x);
/** How often the atom is in it that is BLIND_MET of this block and place (UINT64_MAX: of any). */
int64_t blind_met_times(const struct blind_values *v, struct blind_value x, uint64_t block, uint64_t place);
/** The instruction that has loaded or computed it; 0: it has changed since, or is known in another way. */
uint64_t blind_made_by(const struct blind_values *v, struct blind_value x);
/** An address in the file. */
struct blind_value blind_image(struct blind_values *v, uint64_t address);

#endif /* VTB_BLIND_VALUES_H */
