/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hunt_junit.h
 * Hunts as test cases of a suite (vtb/junit.h): those that found nothing, too.
 */
#ifndef VTB_HUNT_JUNIT_H
#define VTB_HUNT_JUNIT_H

#include "vtb/hunt.h"
#include "vtb/junit.h"

/** Add a hunt; its failures are read from the files that it wrote. `name` NULL: the program's. `result` NULL: it could
 * not be hunted, and `why` says why not. 0 or an error of memory or of these files. */
int vtb_hunt_junit_add(struct vtb_junit *j, const char *name, const struct vtb_hunt_result *result, const char *why,
                       struct vtb_error *err);

/** A suite of one hunt. */
int vtb_hunt_junit_write(const char *path, const struct vtb_hunt_result *result, struct vtb_error *err);

#endif /* VTB_HUNT_JUNIT_H */
