/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file test_list.h
 * The tests inside a test program or of a build directory: which there are, how to run one alone, and which one failed,
 * as its output says. Each framework is one row and one file (src/suite/frameworks).
 *
 * Recognised: a program by a string that the framework's command line parser leaves in it, or the library it needs; a
 * build directory by a file in it. Nothing is run that was not recognised. Tests that are disabled are not listed.
 * Ownership:  the list owns everything. Errors: -EINVAL (not recognised, no regular expression), -VTB_E_TOOL (it would
 * not list its tests), -VTB_E_UNSUPPORTED (its tests are out of reach), -ENOMEM.
 */
#ifndef VTB_TEST_LIST_H
#define VTB_TEST_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

#define VTB_TESTS_LIMIT 100000u

struct vtb_test {
	char *name;
	char **argv; /* NULL-terminated */
	char *cwd;   /* NULL: as the caller's */
};

struct vtb_test_list {
	const char *framework; /* static: "googletest", "Catch2", ... */
	struct vtb_test *tests;
	size_t n_tests, cap_tests;
	size_t n_disabled; /* tests that the framework itself would not run; not all frameworks tell */
};

/** Of n parts of the tests, each as good as any, the part `index` from 0; {0}: all. */
struct vtb_test_shard {
	uint32_t index, n;
};
/** Leave the tests of other parts out. The same list gives the same parts, and each test is in one of them. */
void vtb_test_list_shard(struct vtb_test_list *list, struct vtb_test_shard shard);

/** Which of them: extended regular expressions that their names match, as `ctest -R` has it; NULL: all. */
struct vtb_test_choice {
	const char *names;
	const char *ctest_names; /* the same, left to ctest */
};

/** `argv`: the program with its own arguments, or a directory. `choice` NULL: all. */
int vtb_test_list_of(char *const *argv, const char *cwd, const struct vtb_test_choice *choice,
                     struct vtb_test_list *ret, struct vtb_error *err);
/** Is there such a file in a directory? */
bool vtb_test_file_below(const char *dir, const char *name);
void vtb_test_list_fini(struct vtb_test_list *list);

/** Which test failed, from what a test program wrote until it ended: the last one said to have failed, else the one
 * that was running. "Suite.Name: what was said" (or only the name). A fresh string, NULL: no framework's words are in
 * it. */
char *vtb_test_failed(const char *output, size_t size);

#endif /* VTB_TEST_LIST_H */
