/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file item_options.h  Options of a hunt that go with an item, by their names on the command line. */
#ifndef VTB_ITEM_OPTIONS_H
#define VTB_ITEM_OPTIONS_H

#include "vtb/hunt.h"

/** What differs from a hunt without options, as "name=value": a fresh vector, NULL: no memory. Left out is what each
 * item has of its own (budget, seed, strategy), and what is about this machine (jobs, time). */
char **vtb_item_options_of(const struct vtb_hunt_opts *opts);

/** Put one "name=value" into *opts, which borrows the value. -EINVAL and a sentence: no item has such an option, or it
 * takes no such value. */
int vtb_item_option_take(const char *option, struct vtb_hunt_opts *opts, struct vtb_error *err);

/** A copy of `options` in which `option` ("name=value") is set, once. NULL: no memory. */
char **vtb_item_options_with(char *const *options, const char *option);

#endif /* VTB_ITEM_OPTIONS_H */
