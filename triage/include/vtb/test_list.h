/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file test_list.h
 * The tests inside a test program: which there are, how to run one alone, and which one failed, as its output says. One
 * row a framework.
 *
 *     googletest   --gtest_list_tests, --gtest_filter=NAME
 *     Catch2       --list-test-names-only (version 2), --list-tests (version 3), NAME with its special characters
 * escaped ctest        a build directory or its CTestTestfile.cmake: `ctest --show-only=json-v1` tells the commands
 *     cmocka       has no list and no filter that is reached from outside: the program is one test, and the one that
 * failed is read from its output
 *
 * Recognised: by a string that the framework's command line parser leaves in the program, or the library it needs.
 * Nothing is run that was not recognised. Ownership:  the list owns everything. Errors: -EINVAL (not recognised),
 * -VTB_E_TOOL (it would not list its tests), -ENOMEM.
 */
#ifndef VTB_TEST_LIST_H
#define VTB_TEST_LIST_H

#include <stddef.h>

#include "vtb/error.h"

#define VTB_TESTS_LIMIT 100000u

struct vtb_test {
	char *name;
	char **argv; /* NULL-terminated */
	char *cwd;   /* NULL: as the caller's */
};

struct vtb_test_list {
	const char *framework; /* static: "googletest", "Catch2", "ctest", "cmocka" */
	struct vtb_test *tests;
	size_t n_tests, cap_tests;
};

/** `argv`: the program with its own arguments, or a directory. */
int vtb_test_list_of(char *const *argv, const char *cwd, struct vtb_test_list *ret, struct vtb_error *err);
void vtb_test_list_fini(struct vtb_test_list *list);

/** Which test failed, from what a test program wrote until it ended: the last one said to have failed, else the one
 * that was running. "Suite.Name: what was said" (or only the name). A fresh string, NULL: no framework's words are in
 * it. */
char *vtb_test_failed(const char *output, size_t size);

#endif /* VTB_TEST_LIST_H */
