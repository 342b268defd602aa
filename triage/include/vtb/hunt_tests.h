/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hunt_tests.h
 * Hunt each test of a test program or build directory by itself (vtb/test_list.h), within one time for all of them.
 *
 * Time:      in the first round each test has its share of what is left. A test whose search has shown no new class of
 *            runs for half its share ends early; one that still shows some goes on for up to twice its share. What is
 *            left goes to further rounds, with another seed, to the tests that showed new classes last, in proportion
 *            to how many a second, and to those of which nothing is proved. When the time is over, the tests that are
 *            left are not hunted, and that is told.
 * Files:     those of a finding go to a directory below opts->out_dir, named after the test; two tests never share one.
 * Ownership: options are borrowed. Results are handed to `done` one by one and freed after it; rows belong to the
 *            caller, vtb_suite_fini().
 */
#ifndef VTB_HUNT_TESTS_H
#define VTB_HUNT_TESTS_H

#include "vtb/hunt.h"
#include "vtb/test_list.h"

struct vtb_hunt_tests {
	size_t number, total; /* test `number` of `total`, from 1 */
	unsigned round;       /* from 1 */
	const struct vtb_test *test;
	const struct vtb_hunt_result *result; /* NULL: it could not be hunted; err says why */
	const struct vtb_error *err;
};

/** What became of one test, over all rounds. */
struct vtb_suite_row {
	const struct vtb_test *test; /* the list's */
	bool hunted;
	int exit_code; /* as of a hunt of its own; 3 if it was not hunted */
	enum vtb_verdict verdict;
	uint64_t schedules, classes; /* executed in all; of the round that showed most */
	double seconds;              /* in all */
	double rate;                 /* new classes a second in the last quarter of its last search */
	bool open;                   /* more time might show more */
	unsigned rounds;
	size_t warnings; /* most of a round */
	char *said;      /* the failure, or why nothing is proved; owned, may be NULL */
	char *failure;   /* path of failure.json; owned, may be NULL */
};

struct vtb_suite {
	struct vtb_suite_row *rows; /* in the list's order */
	size_t n_rows, cap_rows;
	size_t n_disabled; /* tests that the framework would not run, and that were not hunted */
};
void vtb_suite_fini(struct vtb_suite *suite);

#define VTB_HUNT_TEST_TIME 2.0 /* seconds that each test gets at least, while there are any */

/** Hunt all of `list`. Returns the exit code: 1 a bug in one of them, else 3 if one proves nothing, else 0; or -EINTR.
 * Rows are there on every return that is not negative. */
int vtb_hunt_tests(const struct vtb_hunt_opts *opts, const struct vtb_test_list *list, struct vtb_suite *suite,
                   void (*done)(const struct vtb_hunt_tests *now, void *data), void *data);

/** One line a test and one for all of them, in columns. */
void vtb_suite_table(const struct vtb_suite *suite, FILE *to);

#endif /* VTB_HUNT_TESTS_H */
