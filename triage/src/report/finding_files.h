/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file finding_files.h
 * The files of a find: failure.json with the schedule, the run and both stacks of its last switch; order.dot and
 * order.svg. With several findings the second's are failure-2.json, order-2.svg and so on.
 */
#ifndef VTB_FINDING_FILES_H
#define VTB_FINDING_FILES_H

#include "hunt_priv.h"
#include "vtb/failure.h"

/** Write those of one finding, in place of what it had; a file that is there is replaced at once or not at all. */
int vtb_finding_file(struct vtb_hunt *hunt, struct vtb_finding *f);
/** Write the files of every finding and set their paths, `trouble` and the replay command. Errors: those of writing
 * failure.json. */
int vtb_finding_files(struct vtb_hunt *hunt);

/** The finding as a failure; names are copied. `ret` is to be released with vtb_failure_fini(). 0; 1: without call
 * stacks and output, since there was no time for one more run, and it has no file yet; or an error. */
int vtb_finding_failure(const struct vtb_hunt_result *result, const struct vtb_finding *f, struct vtb_failure *ret,
                        struct vtb_error *err);

#endif /* VTB_FINDING_FILES_H */
