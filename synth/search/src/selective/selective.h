/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file selective.h
 * Selective instrumentation (docs/algorithms.md, "Selective instrumentation"): schedules that deviate at the variables
 * of V only are run with the plain accesses of all other sites taken out of the program (vtb_runner_quiet()).
 *
 *      may-touch(V) = sites seen touching V in any run so far, and sites that no run has shown yet
 *
 * V:         the union over the schedules of a batch, so that the order of search is what it is without, and sites are
 * changed at most once for SELECTIVE_BATCH schedules. Numbers:   a quiet access is no operation, so operations have
 * other numbers. A plan says what the run that it was made from did, in order (struct vtb_past): operation n of a
 * thread becomes n less its quiet ones before. Points:    the point after an operation is reached when its thread comes
 * to its next one (decision 61). So that the thread does not go past what it was stopped before, the site of that one
 * stays on too: after a deviation, and wherever the operation was no plain access, as that is where others may be let
 * go on. Then a quiet run goes the very way of the whole one. Stays on:  sites of operations other than plain accesses;
 * sites that touch a block of a type that some run has freed while another thread lived, so that use after free shows;
 * sites of which no variable is known. Ruled out: programs in which accesses decide who runs next by themselves:
 * threads that yield, that are held back from spinning, signals, cancellation. Whole:     a quiet run that fails,
 * leaves its schedule, frees a new type or shows a new thread is run again with all sites on, and only that run counts.
 * If it does not fail, selective instrumentation ends with this search, and the statement says so.
 */
#ifndef VTB_SELECTIVE_H
#define VTB_SELECTIVE_H

#include "vtb/bounded_map.h"
#include "vtb/search.h"
#include "vtb/strategy.h"

#define SELECTIVE_BATCH 64u   /* schedules: for fewer the program is not changed */
#define SELECTIVE_PERIOD 256u /* quiet runs, then one with all sites on */

struct vtb_selective_site {
	uint32_t last_var; /* of the last access: most touch the same again */
	uint32_t run;      /* that `accesses` counts */
	uint32_t accesses;
	bool plain;  /* a run has shown plain accesses here */
	bool pinned; /* stays on */
};

struct vtb_selective_pair {
	uint32_t site, var;
	uint32_t next; /* of the same variable, or VTB_NONE */
};

struct vtb_selective {
	struct vtb_runner *runner;
	enum vtb_search_selective mode;
	const char *why_not; /* ruled out: reason; NULL: not */
	struct vtb_selective_site *sites;
	size_t n_sites, cap_sites;
	struct vtb_selective_pair *pairs;
	size_t n_pairs, cap_pairs;
	struct vtb_bounded_map met; /* the pairs, so that each is there once */
	uint32_t *first;            /* variable -> its first pair */
	size_t n_first, cap_first;
	struct vtb_bounded_map freed; /* types of heap blocks */
	uint8_t *out; /* by thread, scratch: it could not go on when another did; or: its last operation was no plain
	                 access */
	size_t n_out, cap_out;
	uint32_t runs;    /* learned from */
	uint64_t plain;   /* plain accesses of the last of them */
	uint32_t threads; /* seen, highest id + 1 */
	uint8_t *quiet;   /* what a batch can do without, by site */
	size_t n_quiet, cap_quiet;
	bool is_on;       /* and is in effect */
	bool changed;     /* the program has quiet sites, by this or an earlier choice */
	bool stale;       /* it has a site that must stay on */
	uint64_t changes; /* how often it was another one */
	uint64_t epoch;   /* quiet runs since all sites were on */
	uint32_t *needed; /* scratch: sites that a plan needs besides those of its variables */
	size_t n_needed, cap_needed;
	uint64_t partial, redone; /* quiet runs; those of them that were run again whole */
};

void vtb_selective_init(struct vtb_selective *s, struct vtb_runner *runner, enum vtb_search_selective mode);
void vtb_selective_fini(struct vtb_selective *s);
/** May plans be run quietly at all? Then they should say what they were made from. */
bool vtb_selective_wants(const struct vtb_selective *s);
/** Is there enough to be left out that a strategy should keep to some variables for a while? */
bool vtb_selective_pays(const struct vtb_selective *s);
#define SELECTIVE_PLAIN_MAX 16u /* bytes: more are ranges */
static inline bool vtb_selective_is_plain(const struct vtb_event *e)
{
	return (e->kind == VTB_E_READ || e->kind == VTB_E_WRITE) && e->size && e->size <= SELECTIVE_PLAIN_MAX &&
	       e->var != VTB_NONE;
}
/** What both kinds of runs are looked at for. 1: something new, 0, or -ENOMEM. */
int vtb_selective_look(struct vtb_selective *s, const struct vtb_exec *x);
/** Learn from a run with all sites on. 0 or -ENOMEM. O(events). */
int vtb_selective_learn(struct vtb_selective *s, const struct vtb_exec *x);
enum vtb_run_how { VTB_RUN_WHOLE, VTB_RUN_QUIET, VTB_RUN_DONE, VTB_RUN_MADE };
/** Which of the plans are to be run quietly? how[i] is set to WHOLE or QUIET. The program is not changed yet. O(plans +
 * pairs of their variables). */
int vtb_selective_choose(struct vtb_selective *s, const struct vtb_plan *plans, size_t n, uint8_t *how);
/** Tells fingerprints of runs with other sites quiet apart. */
uint64_t vtb_selective_salt(const struct vtb_selective *s);
/** Have the program as the choice for these plans wants it: s->is_on says whether that worked. 0 or -ENOMEM. */
int vtb_selective_begin(struct vtb_selective *s, const struct vtb_plan *plans, size_t n);
/** Have all sites on. */
void vtb_selective_end(struct vtb_selective *s);
/** The schedule as it must be given to the quiet program. 1; 0: it cannot be; or -ENOMEM. */
int vtb_selective_schedule(struct vtb_selective *s, const struct vtb_plan *plan, struct vtb_schedule *ret);
/** Has this quiet run of `plan` to be made again with all sites on? 1 yes, 0 no, or -ENOMEM. O(events). */
int vtb_selective_again(struct vtb_selective *s, const struct vtb_plan *plan, const struct vtb_exec *x);
/** It was: did it show the failure (or none) that the quiet one has shown? */
void vtb_selective_compare(struct vtb_selective *s, const struct vtb_exec *quiet, const struct vtb_exec *whole);

#endif /* VTB_SELECTIVE_H */
