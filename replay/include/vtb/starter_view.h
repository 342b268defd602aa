/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file starter_view.h
 * A private view of files (decision 78) for what starts the program and is run once, before the runs (vtb/starter.h).
 * What it changes there is what runs find: theirs lie on top of it.
 */
#ifndef VTB_STARTER_VIEW_H
#define VTB_STARTER_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/fsview.h"

/** A view that has become somebody's: its namespaces. */
struct vtb_view_below {
	int user, mount; /* descriptors; user -1: the one we are in */
};

/** The view to start this command in, with all that processes are likely to write to, and what is in the directories of
 * the paths in `more`, a list that NULL ends, as far as it can. False: there is none here; why. */
bool vtb_view_for_starter(char *const *argv, const char *cwd, char *const *more, struct vtb_fsview *ret, char *why,
                          size_t size);

#endif /* VTB_STARTER_VIEW_H */
