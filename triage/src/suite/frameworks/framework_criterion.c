/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Criterion starts a process afresh for each test and talks to it through memory at a place of its own (BoxFort), which
 * neither control nor a sanitizer's hooks get along with: it is told, and refused with what to do. */
#include <errno.h>

#include "framework.h"

static int list(const struct vtb_listing *l)
{
	return vtb_error_set(l->err, -VTB_E_UNSUPPORTED, l->argv[0], 0,
	                     "is a test program of Criterion, which runs each test in a process that it starts afresh: "
	                     "control does not reach it. Call the test's body from a main() of its own and hunt that");
}

const struct vtb_framework vtb_framework_criterion = {
	.name = "Criterion",
	.marks = { "libcriterion.so", "criterion_run_all_tests" },
	.list = list,
};
