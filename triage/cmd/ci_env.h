/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file ci_env.h What the environment says when a build tool runs `vtb hunt` around a test (docs/ci.md). */
#ifndef VTB_CI_ENV_H
#define VTB_CI_ENV_H

#include "vtb/hunt.h"

/** Variables that a build tool sets anew for each test, and that the program may read, become part of the command
 * (`env NAME=VALUE program ...`): so a replay has them too, whatever calls it. Returns a fresh vector, or NULL: none is
 * set, or there is no memory. */
char **vtb_ci_env_pin(char *const *argv);

/** Where a build tool wants what a test writes, and its JUnit XML; NULL: it says nothing. */
const char *vtb_ci_env_output(void);
const char *vtb_ci_env_junit(void);

#endif /* VTB_CI_ENV_H */
