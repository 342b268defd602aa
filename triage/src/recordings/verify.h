/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file verify.h
 * Does a failure that was found before still happen? Its schedule is looked up by names in the new build and run; if it
 * passes or no longer applies, a search within the failure's own bound follows.
 *
 * Answer:  still fails: any failure was found. Fixed: the search was complete within the bound, or everything at the
 *          failure's own level (c, v, t) and below it was run: every schedule, or, as Lemma 4.1 of [CVT13] asks for,
 *          every priority order. Else: cannot tell.
 */
#ifndef VTB_VERIFY_H
#define VTB_VERIFY_H

#include "hunt_priv.h"
#include "vtb/failure.h"

/** Fill in what the caller left open: the saved schedule, program, directory, bounds of the search. Pointers are the
 * failure's. */
void vtb_verify_options(const struct vtb_failure *failure, struct vtb_hunt_opts *opts);

/** struct vtb_hunt's before_search: run opts->candidates until one fails, which becomes a finding. */
int vtb_verify_replay(struct vtb_hunt *hunt);

/** Is what was run by now enough, and has it been looked for longer than that? */
bool vtb_verify_enough(struct vtb_hunt *hunt, const struct vtb_search *search);

/** After the hunt: set result->fix. 0 or -ENOMEM. */
int vtb_verify_answer(struct vtb_hunt *hunt);

#endif /* VTB_VERIFY_H */
