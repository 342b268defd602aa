/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *     --list-test-cases:  [doctest] listing ...     a failure:  file.cc:8:
 *                         ====================                  TEST CASE:  name
 *                         name                                  (blank)
 *                         ====================                  file.cc:9: ERROR: CHECK( ... ) is NOT correct!
 *
 * Test cases that are skipped are not listed. Their order is by file; the seed of random numbers is pinned.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "framework.h"

static bool ruler(const char *line)
{
	return strlen(line) >= 60 && strspn(line, "=") == strlen(line);
}

static int list(const struct vtb_listing *l)
{
	char *text, *line, *rest, pattern[1000], option[1100];
	unsigned rulers = 0;
	int r = vtb_lister_ask(l, "--list-test-cases", VTB_LISTER_OUT, &text);

	if (r < 0)
		return r;
	for (line = strtok_r(text, "\n", &rest); line && r == 0; line = strtok_r(NULL, "\n", &rest)) {
		if (ruler(line)) {
			rulers++;
		} else if (rulers == 1) { /* a name is a pattern: a backslash keeps a comma from parting it */
			snprintf(option, sizeof(option), "--test-case=%s",
			         vtb_lister_escape(line, ",", pattern, sizeof(pattern)));
			r = vtb_lister_add(l, line, VTB_WORDS(option, "--rand-seed=1"));
		}
	}
	free(text);
	return r;
}

static void take_line(struct vtb_test_reading *r, const char *line)
{
	const char *rest = vtb_test_after(line, "TEST CASE:"), *word = strstr(line, ": ERROR: ");

	word = word ? word : strstr(line, ": FATAL ERROR: ");
	if (rest) {
		vtb_test_keep(r->heading, rest, strlen(rest));
	} else if (word && r->heading[0] && !r->failed[0]) {
		vtb_test_keep(r->failed, r->heading, strlen(r->heading));
		vtb_test_keep(r->place, line, (size_t)(word - line));
	}
}

const struct vtb_framework vtb_framework_doctest = {
	.name = "doctest",
	.marks = { "dt-list-test-cases", "listing all test case names" },
	.list = list,
	.read = take_line,
};
