/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file junit.h
 * JUnit XML as Surefire extended it, of a suite of tests that were hunted: a failure that depends on the schedule is a
 * flakyFailure in a test case without <failure>; one that comes in every schedule is a <failure>. The word FLAKY stands
 * in system-out too, as few readers know the element.
 *
 * Ownership: a suite owns what was added as text; failures are borrowed during the call.
 * Errors:    -ENOMEM, and those of writing.
 */
#ifndef VTB_JUNIT_H
#define VTB_JUNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "vtb/error.h"

struct vtb_failure;

struct vtb_junit {
	FILE *cases; /* what stands inside the suite */
	char *text;
	size_t size;
	size_t tests, failures, flakes, skipped, errors;
	double seconds;
};

enum vtb_junit_end {
	VTB_JUNIT_PASSED,  /* hunted: nothing fails */
	VTB_JUNIT_NOTHING, /* hunted, and that proves nothing: <skipped> */
	VTB_JUNIT_TROUBLE, /* it could not be hunted: <error> */
};

int vtb_junit_begin(struct vtb_junit *j);
/** A test with its failures. */
int vtb_junit_failed(struct vtb_junit *j, const char *name, double seconds, const struct vtb_failure *failures,
                     size_t n);
/** A test without one; `words`: what was searched, or why it could not be. */
void vtb_junit_ended(struct vtb_junit *j, const char *name, double seconds, enum vtb_junit_end end, const char *words);
/** Add the cases of another suite, which is complete but for its end and stays as it is. 0 or -ENOMEM. */
int vtb_junit_join(struct vtb_junit *j, struct vtb_junit *other);
/** The whole file. The suite is over. */
int vtb_junit_end(struct vtb_junit *j, FILE *to);
int vtb_junit_write(struct vtb_junit *j, const char *path, struct vtb_error *err);
void vtb_junit_fini(struct vtb_junit *j);

#endif /* VTB_JUNIT_H */
