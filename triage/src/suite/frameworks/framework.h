/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file framework.h
 * One row for each test framework or build tool, one file each: how it is told, how its tests are listed so that each
 * can be run alone, and what its programs write when a test fails.
 *
 * Ownership: a listing borrows all but what it adds to the list.
 */
#ifndef VTB_FRAMEWORK_H
#define VTB_FRAMEWORK_H

#include <stdbool.h>

#include "vtb/test_list.h"

struct vtb_listing {
	char *const *argv; /* the program with its own arguments, or the build directory */
	const char *cwd;
	const struct vtb_test_choice *choice;
	struct vtb_test_list *list;
	struct vtb_error *err;
};

#define VTB_TEST_NAME_BYTES 300

/** What was read of a test program's output so far. */
struct vtb_test_reading {
	char running[VTB_TEST_NAME_BYTES], failed[VTB_TEST_NAME_BYTES];
	char place[VTB_TEST_NAME_BYTES];   /* of the first complaint since the test began */
	char heading[VTB_TEST_NAME_BYTES]; /* the test's name above its complaints */
	bool in_heading;                   /* Catch2: between two rulers */
};

struct vtb_framework {
	const char *name;
	const char *marks[4];         /* any of them in the program's file tells it; NULL: none more */
	bool (*is)(const char *path); /* tells a build directory, or a file in it; NULL: see marks */
	int (*list)(const struct vtb_listing *l);
	void (*read)(struct vtb_test_reading *r,
	             const char *line); /* of its programs' output; NULL: another row does */
};

extern const struct vtb_framework vtb_framework_googletest, vtb_framework_catch2, vtb_framework_doctest,
    vtb_framework_boost, vtb_framework_cmocka, vtb_framework_check, vtb_framework_criterion, vtb_framework_ctest,
    vtb_framework_meson;

/* ---- lister.c: what listers share */

enum vtb_lister_stream { VTB_LISTER_OUT, VTB_LISTER_ERR };

/** What the program (with its arguments and `option`, NULL: none) writes; its exit status does not matter (Catch2's is
 * the number of tests). It is given 30 seconds. A fresh string. */
int vtb_lister_ask(const struct vtb_listing *l, const char *option, enum vtb_lister_stream stream, char **ret);
/** The same of any command. */
int vtb_lister_output(char *const *argv, const char *cwd, enum vtb_lister_stream stream, char **ret);

/** The test `name`, if it is among the chosen: the program, its arguments, then `more`, which NULL ends. */
int vtb_lister_add(const struct vtb_listing *l, const char *name, const char *const *more);
#define VTB_WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
/** The same with a command of its own; takes `argv`. */
int vtb_lister_add_command(const struct vtb_listing *l, const char *name, char **argv, const char *cwd);
/** The whole program as one test, called by its file's name; `variable` ("NAME=VALUE", NULL: none) is set for it. */
int vtb_lister_add_whole(const struct vtb_listing *l, const char *variable);
/** The array of strings of a JSON member as arguments after `variables` ("env", "A=B", ..., NULL; may be NULL: none).
 * NULL without any, or without memory. */
struct vtb_json;
struct vtb_json_node;
char **vtb_lister_command(struct vtb_json *doc, const struct vtb_json_node *strings, char *const *variables);

/** `name` with a backslash before each of `special`. Returns `to`. */
char *vtb_lister_escape(const char *name, const char *special, char *to, size_t size);

/* ---- test_failed.c: what readers share */

/** Keep the first `n` characters of `text` in a buffer of VTB_TEST_NAME_BYTES. */
void vtb_test_keep(char *to, const char *text, size_t n);
/** The line begins with `start`: what follows, without blanks; else NULL. */
const char *vtb_test_after(const char *line, const char *start);

#endif /* VTB_FRAMEWORK_H */
