/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file predicate_slices.h
 * Static slices as a source of predicate dependence: a slice for each file that runs show sites of, made when it is
 * asked for first.
 *
 * Ownership: borrows the symbol table, which may grow; everything else is its own.
 * Errors:    a file that cannot be sliced matters as a whole.
 */
#ifndef VTB_PREDICATE_SLICES_H
#define VTB_PREDICATE_SLICES_H

#include "vtb/predicate.h"
#include "vtb/symtab.h"

struct vtb_predicate_slices_opts {
	bool only_assertions; /* neither crashes nor deadlocks are failures */
	bool output;          /* what is written is checked */
	uint64_t later;       /* as in struct vtb_predicate_opts */
	const char *check_functions;
};

struct vtb_predicate_slices;
/** 0 or -ENOMEM. */
int vtb_predicate_slices_new(const struct vtb_symtab *tab, const struct vtb_predicate_slices_opts *opts,
                             struct vtb_predicate_slices **ret);
void vtb_predicate_slices_free(struct vtb_predicate_slices *s); /* accepts NULL */
/** What a predicate asks; as long as `s` is there. */
struct vtb_predicate_source vtb_predicate_slices_source(struct vtb_predicate_slices *s);

/** A name of the list (vtb/name_list.h) that no file of the table has a function of, into buf. False: there is none. */
bool vtb_predicate_slices_unknown(const struct vtb_symtab *tab, const char *names, char *buf, size_t size);

/** Of which files that were asked about all places matter, and why; NULL: of none. */
const char *vtb_predicate_slices_doubt(const struct vtb_predicate_slices *s, char *buf, size_t size);

/** Bytes of code of all files that runs have shown places of. */
uint64_t vtb_predicate_slices_code(const struct vtb_predicate_slices *s);

/** Both: a predicate and the slices that it asks. {0}: nothing is pruned. */
struct vtb_pruning {
	struct vtb_predicate_slices *slices;
	struct vtb_predicate *predicate;
};
/** 0 or -ENOMEM; ret->predicate is then for struct vtb_search_opts. To be ended whatever comes. */
int vtb_pruning_begin(const struct vtb_symtab *tab, const struct vtb_predicate_slices_opts *opts,
                      struct vtb_pruning *ret);
void vtb_pruning_end(struct vtb_pruning *p);

#endif /* VTB_PREDICATE_SLICES_H */
