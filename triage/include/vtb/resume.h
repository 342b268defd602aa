/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file resume.h  Go on with a hunt that has a state on disk (docs/format/state.md): become vtb-hunt, as it was called
 * then. */
#ifndef VTB_RESUME_H
#define VTB_RESUME_H

#include <stdbool.h>

#include "vtb/cli.h"
#include "vtb/consent.h"

struct vtb_resume_opts {
	const char *dir;
	struct vtb_consent
	    consent;    /* to run the command of a state that was not written by this user of this machine */
	double seconds; /* that the hunt has in all; 0: as it was called */
	bool quiet, json;
	int verbose;
	enum vtb_color color;
};

/** Returns only on error: what is wrong with the state, or that vtb-hunt cannot be started. */
int vtb_resume(const struct vtb_resume_opts *opts, struct vtb_error *err);

#endif /* VTB_RESUME_H */
