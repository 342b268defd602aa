/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of a whole suite: a table at the end. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vtb/hunt_tests.h"
#include "vtb/words.h"

#define NAME_WIDTH_MAX 44

static const char *state_of(const struct vtb_suite_row *row)
{
	if (!row->hunted)
		return "not hunted";
	return row->exit_code == 1 ? "BUG" : row->exit_code == 3 ? "nothing proved" : "none found";
}

static int name_width(const struct vtb_suite *suite)
{
	size_t n = 4;

	for (size_t i = 0; i < suite->n_rows; i++)
		n = strlen(suite->rows[i].test->name) > n ? strlen(suite->rows[i].test->name) : n;
	return (int)(n < NAME_WIDTH_MAX ? n : NAME_WIDTH_MAX);
}

static void put_row(const struct vtb_suite_row *row, int width, FILE *to)
{
	char schedules[40], classes[40];

	vtb_words_count(row->schedules, schedules, sizeof(schedules));
	vtb_words_count(row->classes, classes, sizeof(classes));
	fprintf(to, "  %-*s  %-14s  %9s  %8s  %6.1f s", width, row->test->name, state_of(row), schedules, classes,
	        row->seconds);
	if (row->exit_code)
		fprintf(to, "  %s", row->failure && row->exit_code == 1 ? row->failure : row->said ? row->said : "");
	if (row->warnings)
		fprintf(to, "  %zu warning%s", row->warnings, row->warnings == 1 ? "" : "s");
	fputc('\n', to);
}

void vtb_suite_table(const struct vtb_suite *suite, FILE *to)
{
	const int width = name_width(suite);
	size_t n[4] = { 0 };

	fprintf(to, "  %-*s  %-14s  %9s  %8s  %8s\n", width, "test", "result", "schedules", "classes", "time");
	for (size_t i = 0; i < suite->n_rows; i++) {
		put_row(&suite->rows[i], width, to);
		n[suite->rows[i].exit_code & 3]++;
	}
	fprintf(to, "  %zu test%s: %zu with a bug, %zu without one within the bound, %zu of which nothing is proved",
	        suite->n_rows, suite->n_rows == 1 ? "" : "s", n[1], n[0], n[3]);
	if (suite->n_disabled)
		fprintf(to, "; %zu disabled, not run", suite->n_disabled);
	fputc('\n', to);
}
