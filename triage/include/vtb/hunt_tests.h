/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hunt_tests.h
 * Hunt each test of a test program by itself (vtb/test_list.h): one after another, each with its share of the time that
 * is left.
 *
 * Files:     those of a finding go to a directory below opts->out_dir, named after the test.
 * Ownership: options are borrowed. Results are handed to `done` one by one and freed after it.
 */
#ifndef VTB_HUNT_TESTS_H
#define VTB_HUNT_TESTS_H

#include "vtb/hunt.h"
#include "vtb/test_list.h"

struct vtb_hunt_tests {
	size_t number, total; /* test `number` of `total`, from 1 */
	const struct vtb_test *test;
	const struct vtb_hunt_result *result; /* NULL: it could not be hunted; err says why */
	const struct vtb_error *err;
};

#define VTB_HUNT_TEST_TIME 2.0 /* seconds that each test gets at least */

/** Hunt all of `list`. Returns the exit code: 1 a bug in one of them, else 3 if one proves nothing, else 0; or -EINTR.
 */
int vtb_hunt_tests(const struct vtb_hunt_opts *opts, const struct vtb_test_list *list,
                   void (*done)(const struct vtb_hunt_tests *now, void *data), void *data);

#endif /* VTB_HUNT_TESTS_H */
