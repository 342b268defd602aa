/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file per_test.h `vtb hunt --per-test`: what is printed of each test. */
#ifndef VTB_PER_TEST_H
#define VTB_PER_TEST_H

#include "vtb/cli.h"
#include "vtb/hunt.h"
#include "vtb/test_list.h"

struct vtb_per_test {
	const char *ctest;           /* a build directory instead of opts->argv; NULL: that */
	const char *names;           /* an extended regular expression: only these tests; NULL: all */
	struct vtb_test_shard shard; /* of the tests */
	const char *junit;           /* write what became of all tests there; NULL: nowhere */
};

/** List the tests, hunt each, print. Returns the exit code. */
int vtb_per_test(const struct vtb_cli *cli, const struct vtb_hunt_opts *opts, const struct vtb_per_test *suite);

#endif /* VTB_PER_TEST_H */
