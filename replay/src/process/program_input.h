/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file program_input.h
 * Standard input of the program: the same bytes for every run, from the same place on.
 */
#ifndef VTB_PROGRAM_INPUT_H
#define VTB_PROGRAM_INPUT_H

#include "vtb/error.h"

/** What comes from a pipe or socket is read once, up to its end, and is this process's standard input from then on, as
 *  a sealed file in memory. Only the first call does anything. Silence of a second ends the waiting: then the program
 *  gets an empty input. Refuses more than VTB_PROGRAM_INPUT_MAX bytes. */
#define VTB_PROGRAM_INPUT_MAX (64u << 20)
int vtb_program_input_take(struct vtb_error *err);
/** A descriptor of standard input with a place of its own in it, `at`, to be closed; -1: there is none that can be
 *  read again. */
int vtb_program_input_open(long at);

#endif /* VTB_PROGRAM_INPUT_H */
