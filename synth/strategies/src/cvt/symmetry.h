/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file symmetry.h
 * Which threads have looked alike in every run so far: same creator, same start routine, the same sequence of sites and
 * kinds of operations, on the same variables where these are shared. Such threads are one class. What a run has not
 * shown cannot tell threads apart, so this is an assumption, and whoever rests on it must say so.
 *
 * A thread joins others in the first run that shows what both do: to their ends, or as far as they get in a run that
 * ends as it should.
 *
 * Shape:     `class_of` maps a thread id to the lowest id of its class. Two threads of one class never meet again once
 * they have been told apart; a thread that did not get as far as another was like it as far as it got. Ownership: owns
 * its arrays; {0} is a valid value. Errors:    0 or -ENOMEM.
 */
#ifndef VTB_SYMMETRY_H
#define VTB_SYMMETRY_H

#include "vtb/coverage.h"
#include "vtb/exec.h"

struct vtb_symmetry {
	uint32_t *class_of; /* by thread id */
	size_t n_class_of, cap_class_of;
	bool *unknown; /* by thread id: no run has shown what it does; it is a class by itself */
	size_t n_unknown, cap_unknown;
	uint32_t changes; /* how often threads joined a class or left one */

	/* scratch, one run at a time */
	uint32_t *begin; /* by thread id: where its operations begin in `ops`; one more at the end */
	size_t cap_begin;
	uint32_t *ops; /* events, ordered by thread */
	size_t cap_ops;
};

void vtb_symmetry_fini(struct vtb_symmetry *s);
/** Learn from a run that `coverage` already includes. O(events), and in runs that tell threads apart O(threads x
 * classes) comparisons. */
int vtb_symmetry_add(struct vtb_symmetry *s, const struct vtb_exec *x, const struct vtb_symtab *tab,
                     const struct vtb_coverage *coverage);

#endif /* VTB_SYMMETRY_H */
