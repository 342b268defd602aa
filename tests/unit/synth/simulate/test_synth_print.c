/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of candidates: a row for all that change the same, within the width of a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vtb/synth.h"

#define WIDTH 80

static struct vtb_candidate all[] = {
	{ .why = "write of stopped by 0 (q.cc:31) comes between two reads by 0.1 (q.cc:17), and 1 more" },
	{ .why = "write of jobs by 0.2 (q.cc:12) comes between two reads by 0.1 (q.cc:17)" },
	{ .why = "write of stopped by 0 (q.cc:31) comes between two reads by 0.1 (q.cc:17), and 12 more" },
	{ .why = "write of stopped by 0 (q.cc:31) comes between two reads by 0.1 (q.cc:17)", .schedule.tuple.c = 1 },
	{ .why = "", .where = "every thread until it waits, in order of creation" },
	{ .why = "write of stopped by 0 (q.cc:31) comes between two reads by 0.1 (q.cc:17)" },
};

static char *printed(struct vtb_synth_style style)
{
	struct vtb_synth s = { .candidates = all, .n_candidates = sizeof(all) / sizeof(*all), .met = 6 };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (size_t i = 0; i < s.n_candidates; i++)
		if (!all[i].where)
			all[i].where = "preempt 0.1 after read of stopped at q.cc:17 for 0.2";
	strcpy(s.statement, "A thousand schedules of ten classes were executed within the bound of one preemption.\n"
	                    "Thread switches only.\n");
	vtb_synth_print(&s, style, to);
	assert_int_equal(fclose(to), 0);
	return text;
}

static size_t widest(const char *text)
{
	size_t most = 0;

	for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
		most = strcspn(at, "\n") > most ? strcspn(at, "\n") : most;
	return most;
}

static void one_row_stands_for_all_that_change_the_same(void **state)
{
	char *text = printed((struct vtb_synth_style){ .rows = 20 });

	(void)state;
	assert_non_null(strstr(text, "   1  (0,0,0,0)  write of stopped by 0 (q.cc:31) comes between two reads by 0.1 "
	                             "(q.cc:17), and 1 more\n                   also 3, 6\n   2  "));
	assert_null(strstr(text, "\n   3  "));
	assert_non_null(strstr(text, "\n   4  (0,1,0,0)  ")); /* with a preemption: another tuple */
	assert_non_null(strstr(text, "\n   5  (0,0,0,0)  every thread until it waits"));
	assert_null(strstr(text, "\n   6  "));
	assert_null(strstr(text, "preempt 0.1"));
	assert_non_null(strstr(text, "\n6 candidates\n"));
	free(text);
}

static void rows_that_are_left_out_are_counted_not_candidates(void **state)
{
	char *text = printed((struct vtb_synth_style){ .rows = 2 });

	(void)state;
	assert_non_null(strstr(text, "\n   2  "));
	assert_null(strstr(text, "\n   4  "));
	assert_non_null(strstr(text, "... and 2 more that change something else (--verbose)\n6 candidates\n"));
	free(text);
}

static void no_line_passes_the_width(void **state)
{
	char *text = printed((struct vtb_synth_style){ .width = WIDTH });

	(void)state;
	assert_true(widest(text) <= WIDTH);
	assert_non_null(strstr(text, "\n                 "));
	assert_non_null(strstr(text, "bound of one\npreemption.\nThread switches only.\n"));
	free(text);
	text = printed((struct vtb_synth_style){ .width = 0 });
	assert_true(widest(text) > WIDTH);
	free(text);
}

static void with_steps_each_has_its_row(void **state)
{
	char *text = printed((struct vtb_synth_style){ .steps = true });

	(void)state;
	assert_non_null(strstr(text, "\n   3  "));
	assert_non_null(strstr(text, "\n   6  "));
	assert_non_null(strstr(text, "\n                 preempt 0.1 after read of stopped"));
	assert_null(strstr(text, "also"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_row_stands_for_all_that_change_the_same),
		cmocka_unit_test(rows_that_are_left_out_are_counted_not_candidates),
		cmocka_unit_test(no_line_passes_the_width),
		cmocka_unit_test(with_steps_each_has_its_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
