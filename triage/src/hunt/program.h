/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is hunted: the program given, or the one that it starts if that is all it does. */
#ifndef VTB_HUNT_PROGRAM_H
#define VTB_HUNT_PROGRAM_H

#include "vtb/hunt.h"
#include "vtb/starter.h"
#include "vtb/starter_view.h"

struct hunt_program {
	char *const *shown; /* as it is called to the user, with settings of its environment */
	char *starter;      /* the file given, if that only starts it; owned */
	enum vtb_starter_files files;
	struct vtb_started started;
	struct vtb_view_below view; /* in which it has changed files, if `started` says so */
};

/** Find it, and make `opts` a hunt of it. -ENOMEM without a sentence; -EINVAL: the starter makes the program. */
int vtb_hunt_find_program(struct vtb_hunt_opts *opts, struct hunt_program *ret, struct vtb_error *err);
void vtb_hunt_program_fini(struct hunt_program *p);

#endif /* VTB_HUNT_PROGRAM_H */
