/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file items.h
 * A hunt in pieces: a work item is a search with a strategy, a seed and a budget, which any machine with the same
 * program can do (`vtb run-item`); its result says what was run and what failed. docs/format/item.md.
 *
 *     hunt ── item ──► run-item, anywhere ── result ──► hunt: claims, classes, failing schedules, which it replays here
 *
 * Idempotent: the same item gives the same result, but for times, wherever and however often it is run. That it is
 *            the same program is checked by build-ids and by the class of the default schedule's run.
 * Ownership: items and results own what they hold; the _fini() of each accepts {0}.
 * Errors:    those of reading files, -ENOMEM. That an item cannot be run is a result.
 */
#ifndef VTB_ITEMS_H
#define VTB_ITEMS_H

#include "vtb/hunt.h"
#include "vtb/json.h"

#define VTB_ITEM_VERSION 1u
#define VTB_ITEM_ID_MAX 100u /* characters */
#define VTB_ITEM_BYTES_MAX (64u << 20)
#define VTB_ITEM_CLASSES_MAX (1u << 20) /* that one result names */
#define VTB_ITEM_FAILURES_MAX 1000u

struct vtb_item {
	char *id;                    /* letters, digits and ._- */
	char *vtb;                   /* version of vtb that it is for */
	struct vtb_schedules target; /* the program with its directory, and its modules with their build-ids; no
	                                schedules */
	uint64_t first;              /* class of the default schedule's run (vtb_item_class()) */
	char **options;              /* "name=value" as on the command line of vtb hunt, NULL-terminated */
	double seconds;              /* wall clock after which it is cut off: it is not completed then */
	struct vtb_kept_input input; /* standard input; not known: empty */
};

enum vtb_item_state {
	VTB_ITEM_COMPLETED, /* the search came to its own end: the bound, the budget, a failure */
	VTB_ITEM_CUT,       /* it was ended from outside, or by its seconds */
	VTB_ITEM_REFUSED,   /* this machine has another program, or another vtb */
	VTB_ITEM_TROUBLE,   /* it could not be run */
};

struct vtb_item_result {
	char *id;
	enum vtb_item_state state;
	char *why; /* it was not completed; a sentence, or NULL */
	double seconds;
	struct vtb_hunt_facts facts; /* those of item_facts.c; `arguments` and `stuck` are owned */
	uint64_t *classes;           /* vtb_item_class() of each class of runs, sorted; owned */
	size_t n_classes, cap_classes;
	struct vtb_schedules failures; /* schedules of failing runs, */
	char **signatures;             /* and of each the signature; owned */
};

/** *ret is {0} or what is to be replaced, and empty on error. `doc` is one item. */
int vtb_item_read(struct vtb_json *doc, struct vtb_item *ret);
/** One line. */
void vtb_item_write(const struct vtb_item *item, FILE *to);
void vtb_item_fini(struct vtb_item *item);

int vtb_item_result_read(struct vtb_json *doc, struct vtb_item_result *ret);
void vtb_item_result_write(const struct vtb_item_result *result, FILE *to);
void vtb_item_result_fini(struct vtb_item_result *result);

/** Run it. What keeps it from being completed is in the result; an error is trouble of our own (-ENOMEM). */
int vtb_item_run(const struct vtb_item *item, const volatile sig_atomic_t *interrupted, struct vtb_item_result *ret);

/** The item in a file, or an item a line until `in` ends or somebody interrupts: the result of each goes to `out`, a
 * line. 0, what vtb_item_read() says of what is no item, -VTB_E_LIMIT, errors of writing. */
int vtb_items_answer_file(const char *path, FILE *out, const volatile sig_atomic_t *interrupted, struct vtb_error *err);
int vtb_items_answer_lines(FILE *in, FILE *out, const volatile sig_atomic_t *interrupted, struct vtb_error *err);

/** The class of a run by a name that is the same in every process: 64 bits. 0 or -ENOMEM. */
int vtb_item_class(const struct vtb_exec *x, const struct vtb_symtab *tab, uint64_t *ret);

#endif /* VTB_ITEMS_H */
