/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file test_cases.h JUnit of a suite whose tests may be hunted several times: of each the best that was shown. */
#ifndef VTB_TEST_CASES_H
#define VTB_TEST_CASES_H

#include "vtb/hunt_tests.h"

struct vtb_test_case;

struct vtb_test_cases {
	struct vtb_test_case *cases; /* owned; NULL: none are asked for */
	size_t n;
	int trouble; /* the first, which write returns */
	struct vtb_error err;
};

int vtb_test_cases_begin(struct vtb_test_cases *all, size_t n);
void vtb_test_cases_take(struct vtb_test_cases *all, const struct vtb_hunt_tests *now);
/** All that were told, in one file. */
int vtb_test_cases_write(struct vtb_test_cases *all, const char *path, struct vtb_error *err);
void vtb_test_cases_fini(struct vtb_test_cases *all);

#endif /* VTB_TEST_CASES_H */
