/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *     --gtest_list_tests:  Suite.           a failure:  [ RUN      ] Suite.Name
 *                            Name  # ...                file.cc:12: Failure
 *                                                       [  FAILED  ] Suite.Name (0 ms)
 *
 * One filter a hunt; shuffling, repetition and the seed of its random numbers are pinned.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework.h"
#include "vtb/argv.h"

/* "--option" or "--option=1" among its own arguments. */
static bool has_option(const struct vtb_listing *l, const char *option)
{
	const size_t n = strlen(option);

	for (size_t i = 1; l->argv[i]; i++)
		if (strncmp(l->argv[i], option, n) == 0 && (!l->argv[i][n] || l->argv[i][n] == '='))
			return strcmp(l->argv[i] + n, "=0") != 0;
	return false;
}

/* "DISABLED_" before the name of the suite or the test; with parameters behind "Prefix/". */
static bool disabled(const char *suite, const char *name)
{
	const char *slash = strchr(suite, '/');

	return strncmp(name, "DISABLED_", 9) == 0 || strncmp(suite, "DISABLED_", 9) == 0 ||
	       (slash && strncmp(slash + 1, "DISABLED_", 9) == 0);
}

static int list(const struct vtb_listing *l)
{
	const bool all = has_option(l, "--gtest_also_run_disabled_tests");
	char *text, *line, *rest, suite[500] = "";
	int r = vtb_lister_ask(l, "--gtest_list_tests", VTB_LISTER_OUT, &text);

	if (r < 0)
		return r;
	for (line = strtok_r(text, "\n", &rest); line && r == 0; line = strtok_r(NULL, "\n", &rest)) {
		const size_t end = strcspn(line + (*line == ' ' ? 2 : 0), " #") + (*line == ' ' ? 2 : 0);
		char name[1100], filter[1200];

		line[end] = '\0';
		if (*line != ' ') {
			snprintf(suite, sizeof(suite), "%s", end && line[end - 1] == '.' ? line : "");
		} else if (*suite && (all || !disabled(suite, line + 2))) {
			snprintf(name, sizeof(name), "%s%.500s", suite, line + 2);
			snprintf(filter, sizeof(filter), "--gtest_filter=%s", name);
			r = vtb_lister_add(l, name, VTB_WORDS(filter, "--gtest_random_seed=1"));
		} else if (*suite) {
			l->list->n_disabled++;
		}
	}
	free(text);
	return r;
}

/* "Suite.Name (0 ms)", "Suite.Name, where ...": the name. */
static void keep_name(char *to, const char *text)
{
	vtb_test_keep(to, text, strcspn(text, ",(\n") - (text[strcspn(text, ",(\n")] == '(' ? 1 : 0));
}

static void take_line(struct vtb_test_reading *r, const char *line)
{
	const char *rest;

	if ((rest = vtb_test_after(line, "[ RUN      ]"))) {
		keep_name(r->running, rest);
		r->place[0] = '\0';
	} else if (vtb_test_after(line, "[       OK ]")) {
		r->running[0] = '\0';
	} else if ((rest = vtb_test_after(line, "[  FAILED  ]"))) {
		if (r->running[0]) /* not one of the summary */
			keep_name(r->failed, rest);
		r->running[0] = '\0';
	} else if ((rest = strstr(line, ": Failure")) && !rest[9] && !r->place[0]) {
		vtb_test_keep(r->place, line, (size_t)(rest - line));
	}
}

const struct vtb_framework vtb_framework_googletest = {
	.name = "googletest",
	.marks = { "gtest_list_tests", "libgtest.so" },
	.list = list,
	.read = take_line,
};
