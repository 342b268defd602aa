/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file program_input.h
 * Standard input of the program: the same bytes for every run, from the same place on.
 */
#ifndef VTB_PROGRAM_INPUT_H
#define VTB_PROGRAM_INPUT_H

#include "vtb/error.h"
#include "vtb/kept_input.h"

/** What comes from a pipe or socket is read once, up to its end, and is this process's standard input from then on, as
 *  a sealed file in memory; so is what a file holds, from where it stands.   Only the first call does anything. Silence
 * of a second ends the waiting: what has come by then is all. Refuses more than VTB_PROGRAM_INPUT_MAX bytes.
 *
 *  `recorded` (may be NULL), of a failure.json, takes the place of what would come; if its bytes are not known, what
 *  comes must be as long and have that fingerprint. */
#define VTB_PROGRAM_INPUT_MAX (64u << 20)
int vtb_program_input_take(const struct vtb_kept_input *recorded, struct vtb_error *err);
/** What was taken; not known if there was none, or it was a file that no run has read. `cut` only if a run has read it
 * up to now. */
const struct vtb_kept_input *vtb_program_input_kept(void);
/** A descriptor of standard input with a place of its own in it, `at`, to be closed; -1: there is none that can be
 *  read again. */
int vtb_program_input_open(long at);

#endif /* VTB_PROGRAM_INPUT_H */
