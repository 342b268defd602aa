/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One name a line by --list-test-names-only (version 2); --list-tests (version 3) puts a heading before and two blanks
 * in front. Hidden tests are not listed. A failure:
 *
 *     ---------- / name / ---------- / file:line / .......... / blank / file.cc:12: FAILED:
 *
 * The seed of its random numbers is pinned: version 3 takes another each time.
 */
#include <stdlib.h>
#include <string.h>

#include "framework.h"

static int add(const struct vtb_listing *l, const char *name)
{
	char pattern[1000];

	vtb_lister_escape(name, ",[]*\\\"~", pattern, sizeof(pattern));
	return vtb_lister_add(l, name, VTB_WORDS(pattern, "--rng-seed", "1"));
}

static int list(const struct vtb_listing *l)
{
	char *text, *line, *rest;
	int r = vtb_lister_ask(l, "--list-test-names-only", VTB_LISTER_OUT, &text);
	bool plain = r == 0 && *text;

	if (r == 0 && !*text) { /* version 3 does not know it */
		free(text);
		r = vtb_lister_ask(l, "--list-tests", VTB_LISTER_OUT, &text);
	}
	if (r < 0)
		return r;
	for (line = strtok_r(text, "\n", &rest); line && r == 0; line = strtok_r(NULL, "\n", &rest)) {
		if (plain)
			r = add(l, line);
		else if (line[0] == ' ' && line[1] == ' ' && line[2] != ' ') /* tags stand deeper */
			r = add(l, line + 2);
	}
	free(text);
	return r;
}

static bool ruler(const char *line)
{
	return strlen(line) >= 60 && strspn(line, "-") == strlen(line);
}

static void take_line(struct vtb_test_reading *r, const char *line)
{
	const char *word = strstr(line, ": FAILED:");

	if (word && r->heading[0]) {
		if (r->failed[0])
			return;
		vtb_test_keep(r->failed, r->heading, strlen(r->heading));
		vtb_test_keep(r->place, line, (size_t)(word - line));
	} else if (ruler(line)) {
		r->in_heading = !r->in_heading;
		r->heading[0] = r->in_heading ? '\0' : r->heading[0];
	} else if (r->in_heading && *line && !r->heading[0]) { /* sections follow, indented */
		vtb_test_keep(r->heading, line, strlen(line));
	}
}

const struct vtb_framework vtb_framework_catch2 = {
	.name = "Catch2",
	.marks = { "list-test-names-only", "libCatch2", "Catch::Session", "N5Catch7SessionE" },
	.list = list,
	.read = take_line,
};
