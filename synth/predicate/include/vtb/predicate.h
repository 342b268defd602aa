/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file predicate.h
 * Predicate dependence: which operations of runs can matter to an essential statement, by a static slice and by what
 * runs show. What cannot matter is hidden from whoever explores orders.
 *
 *     static slice ──► places that matter ──┐
 *     run ──► who writes what they read ────┴─► places join (fixpoint) ──► the operations of the run that are hidden
 *
 * Hidden is an access at a place that does not matter; one that only writes what no place that matters was seen to
 * read; * and a critical section that nobody else can notice (critical-section peeking). All else is shown. Nothing
 * that is hidden becomes part of the order that is explored: it happens together with the shown operation of its thread
 * before.
 *
 * Rests on:  the source errs on the side of mattering. What is known grows only; then what was explored before has to
 *            be looked at again, as more of it is shown.
 * Ownership: borrows the source; everything else is its own.
 * Errors:    -ENOMEM, and those of the source.
 * Source:    docs/bibliography.md [AGA14], algorithms 3 and 4; docs/algorithms.md, "Partial-order reduction".
 */
#ifndef VTB_PREDICATE_H
#define VTB_PREDICATE_H

#include "vtb/exec.h"

enum {
	VTB_PREDICATE_MATTERS = 1,
	VTB_PREDICATE_UNTOLD = 2, /* what it writes may be read, or what it reads written, without an event */
	VTB_PREDICATE_BLIND = 4,  /* memory that matters is written without events somewhere: nothing is peeked into */
	VTB_PREDICATE_ALONE = 8,  /* no access of another thread can be in conflict with it */
};

/** The static part: sites are those of the runner's symbol table. */
struct vtb_predicate_source {
	/** Can the place influence an essential statement? A set of VTB_PREDICATE_*; of what is not known: all but
	 * ALONE. */
	uint32_t (*matters)(void *data, uint32_t site);
	/** From now on it and all that it depends on does. 0, -ENOENT (the place is not known), or an error. */
	int (*add)(void *data, uint32_t site);
	void *data;
	/** Which files are not sliced and why, into buf; NULL: all are. May be missing. */
	const char *(*doubt)(void *data, char *buf, size_t size);
	/** Bytes of code that are to be analysed before it can answer. May be missing: none. */
	uint64_t (*bytes)(void *data);
};

struct vtb_predicate_opts {
	bool faults;    /* crashes are failures, too: the order of an access and the end of the memory's life matters */
	bool peek;      /* critical-section peeking */
	uint64_t later; /* it sleeps until it is woken: asks nothing, hides nothing, and all matters. Due after so many
	                   runs (more for much code); 0: it is awake */
};

#define VTB_PREDICATE_LATER 256u /* runs; fewer are made sooner than a small program is analysed */

struct vtb_predicate;
int vtb_predicate_new(const struct vtb_predicate_source *source, const struct vtb_predicate_opts *opts,
                      struct vtb_predicate **ret);
void vtb_predicate_free(struct vtb_predicate *p); /* accepts NULL */

/** Not for NULL, and not for one that sleeps. */
bool vtb_predicate_awake(const struct vtb_predicate *p);
/** Does it sleep, and has a search made so many runs without it that it is worth what the source has to analyse? And
 * can that be done in `seconds` (0: any number)? Of NULL: false. */
bool vtb_predicate_is_due(const struct vtb_predicate *p, uint64_t runs, double seconds);
void vtb_predicate_wake(struct vtb_predicate *p);

/** Learn from a run, and look at it: afterwards vtb_predicate_hides() speaks of it. Returns 1 if something matters that
 * did not before (or is noticed that was not), 0, or an error. O(accesses) a round, few rounds. */
int vtb_predicate_learn(struct vtb_predicate *p, const struct vtb_exec *x);

/** How often more has come to matter: who has looked at runs with what was known before has to look at them again. */
uint64_t vtb_predicate_grown(const struct vtb_predicate *p);

/** Is event i of the run that was learnt from last hidden? Only accesses and operations on mutexes are. */
bool vtb_predicate_hides(const struct vtb_predicate *p, size_t i);

/** Would it hide an access that was not done when the run ended? */
bool vtb_predicate_hides_next(struct vtb_predicate *p, const struct vtb_event *e);

/** From now on nothing is hidden: what is hidden did not behave as it must. */
void vtb_predicate_give_up(struct vtb_predicate *p);

struct vtb_predicate_counts {
	uint64_t sites, hidden_sites; /* places with accesses that runs have shown; of which none was ever shown to be
	                                 ordered */
	uint64_t vars, hidden_vars;   /* variables accessed */
	uint64_t peeked;              /* mutexes whose critical sections nobody else can notice */
	uint64_t joined;              /* places that matter only because of what runs have shown */
	bool gave_up;
};
/** Of which files all matters, and why: "prog: it handles exceptions". NULL: of none. */
const char *vtb_predicate_doubt(const struct vtb_predicate *p, char *buf, size_t size);

void vtb_predicate_count(const struct vtb_predicate *p, struct vtb_predicate_counts *ret);

/** Does an access at the site matter, as far as is known now? */
bool vtb_predicate_site_matters(struct vtb_predicate *p, uint32_t site);
/** Can two threads be in conflict at the variable, as far as the code tells of the places at which it was accessed?
 * True of one that was never met. */
bool vtb_predicate_var_reached(const struct vtb_predicate *p, uint32_t var);
/** Was any access to the variable shown? True of one that was never met. */
bool vtb_predicate_var_matters(const struct vtb_predicate *p, uint32_t var);
/** How often the answer has become true of a variable of which it was not. */
uint64_t vtb_predicate_vars_grown(const struct vtb_predicate *p);

#endif /* VTB_PREDICATE_H */
