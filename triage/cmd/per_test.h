/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file per_test.h `vtb hunt --per-test`: what is printed of each test. */
#ifndef VTB_PER_TEST_H
#define VTB_PER_TEST_H

#include "vtb/cli.h"
#include "vtb/hunt.h"

/** List the tests of opts->argv, hunt each, print; write `junit` (a file, or NULL). Returns the exit code. */
int vtb_per_test(const struct vtb_cli *cli, const struct vtb_hunt_opts *opts, const char *junit);

#endif /* VTB_PER_TEST_H */
