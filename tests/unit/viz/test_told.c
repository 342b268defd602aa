/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of the verdict block. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/told.h"

/* Of an object with several members each may be looked at without the lock. */
static void warnings_of_the_same_lines_are_one(void **state)
{
	char file[] = "a.c", words[] = "0.1 reads without m", other[] = "0.0 writes with m", none[] = "", lock[] = "m";
	char names[3][8] = { "first", "second", "third" }, texts[3][40], *text = NULL;
	struct vtb_suspicions all = { 0 };
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const struct vtb_sheet sheet = { .to = to, .width = 200, .table_width = 200 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct vtb_suspicion s = {
			.kind = VTB_SUSPECT_UNLOCKED, .key = none, .text = texts[i], .variable = names[i]
		};

		snprintf(texts[i], sizeof(texts[i]), "%s: it is read", names[i]);
		s.lock = lock;
		s.n_places = 2;
		s.places[0] = (struct vtb_suspicion_place){ .file = file, .line = i == 1 ? 33 : 32, .words = words };
		s.places[1] = (struct vtb_suspicion_place){ .file = file, .line = 40, .words = other };
		assert_int_equal(vtb_suspicions_add(&all, &s), 0);
	}
	vtb_told_warnings(&sheet, &all);
	fclose(to);
	assert_non_null(strstr(text, "- first: it is read; likewise third\n"));
	assert_non_null(strstr(text, "- second: it is read\n"));
	assert_null(strstr(text, "third: it is read"));
	free(text);
	vtb_suspicions_fini(&all);
}

static void suspect(struct vtb_suspicions *all, const char *variable, uint32_t line, uint32_t other)
{
	char key[] = "race", none[] = "", file[] = "dir/a.c", text[100];
	const struct vtb_suspicion s = { .kind = VTB_SUSPECT_RACE,
		                         .key = key,
		                         .text = text,
		                         .variable = (char *)variable,
		                         .lock = none,
		                         .places = { { none, file, line }, { none, file, other } },
		                         .n_places = 2 };

	snprintf(text, sizeof(text), "%s at a.c:%u", variable, line);
	assert_int_equal(vtb_suspicions_add(all, &s), 0);
}

static char *suspects(const struct vtb_suspicions *all, int verbose)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const struct vtb_sheet sheet = { .to = to, .width = 200, .table_width = 200, .verbose = verbose };

	vtb_told_suspects(&sheet, all, 1);
	fclose(to);
	return text;
}

/* Parts of one object, and one part at several lines; not what only begins so. */
static void suspects_of_one_object_are_told_together(void **state)
{
	struct vtb_suspicions all = { 0 };
	char *text;

	(void)state;
	suspect(&all, "next of the node from a.c:3", 4, 4);
	suspect(&all, "stat.hits", 6, 6);
	suspect(&all, "stat.last", 9, 9);
	suspect(&all, "stat.last", 9, 12);
	suspect(&all, "statistics", 7, 7);
	suspect(&all, "value of the node from a.c:3", 5, 5);
	suspect(&all, "z", 8, 8);
	text = suspects(&all, 0);
	assert_non_null(strstr(text, "7 besides"));
	assert_non_null(strstr(text, "- race on next of the node from a.c:3 at a.c:4; likewise value of the node from "
	                             "a.c:3 at a.c:5\n"));
	assert_non_null(
	    strstr(text, "- race on stat.hits at a.c:6; likewise stat.last at a.c:9, at a.c:9 and a.c:12\n"));
	assert_non_null(strstr(text, "- race on statistics at a.c:7\n"));
	assert_non_null(strstr(text, "- race on z at a.c:8\n"));
	assert_null(strstr(text, "more, shown by"));
	free(text);
	text = suspects(&all, 1);
	assert_null(strstr(text, "likewise"));
	assert_non_null(strstr(text, "- race on stat.last at a.c:9\n"));
	free(text);
	vtb_suspicions_fini(&all);
}

/* Blocks that lines of one file have made are not one. */
static void suspects_of_two_blocks_are_told_apart(void **state)
{
	struct vtb_suspicions all = { 0 };
	char *text;

	(void)state;
	suspect(&all, "the node from a.c:3", 4, 4);
	suspect(&all, "the node from a.c:8", 9, 9);
	text = suspects(&all, 0);
	assert_null(strstr(text, "likewise"));
	free(text);
	vtb_suspicions_fini(&all);
}

static char *unseen(char *const *names)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const struct vtb_sheet sheet = { .to = to, .width = 300, .table_width = 300 };

	vtb_told_unseen(&sheet, names);
	fclose(to);
	return text;
}

static void what_has_no_hook_is_told_where_it_is_the_programs(void **state)
{
	char library[] = "libgcc_s.so.1", one[] = "some accesses in f() of p (p.c:1)",
	     other[] = "some accesses in g() of p (p.c:2)";
	char *const names[] = { library, one, other, NULL }, *const libraries[] = { library, NULL };
	char *text = unseen(names);

	(void)state;
	assert_non_null(strstr(text, "  not seen   some accesses in f() of p (p.c:1), some accesses in g() of p "
	                             "(p.c:2): the compiler gave them no hook"));
	free(text);
	text = unseen(libraries);
	assert_string_equal(text, "");
	free(text);
	text = unseen(NULL);
	assert_string_equal(text, "");
	free(text);
}

/* A run that ends with a read at a site of that line, 0: none is known. */
static char *told_at(uint32_t line)
{
	char message[] = "a";
	struct vtb_site site = {
		.module = VTB_NONE, .function = "f", .file = "a.c", .line = line, .text = "", .via = "", .inside = ""
	};
	struct vtb_thread thread = { .parent = VTB_NONE, .start = "main" };
	const struct vtb_symtab tab = { .sites = &site, .n_sites = 1, .threads = &thread, .n_threads = 1 };
	struct vtb_event events[] = { { .kind = VTB_E_READ, .var = VTB_NONE },
		                      { .kind = VTB_E_FAIL, .var = VTB_NONE } };
	const struct vtb_exec run = { .events = events,
		                      .n_events = 2,
		                      .outcome = {
		                          .verdict = VTB_V_ASSERTION, .message = message, .signature = message } };
	const struct vtb_causes causes = { 0 };
	const struct vtb_said said = { 0 };
	const struct vtb_told told = { .run = &run, .tab = &tab, .causes = &causes, .said = &said };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	const struct vtb_sheet sheet = { .to = to, .width = 200, .table_width = 200 };

	vtb_told_write(&sheet, &told);
	fclose(to);
	return text;
}

static void without_lines_it_is_said_that_debug_information_is_missing(void **state)
{
	char *with = told_at(7), *without = told_at(0);

	(void)state;
	assert_null(strstr(with, "no lines"));
	assert_non_null(strstr(without, "build the program with -g"));
	free(with);
	free(without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suspects_of_one_object_are_told_together),
		cmocka_unit_test(suspects_of_two_blocks_are_told_apart),
		cmocka_unit_test(warnings_of_the_same_lines_are_one),
		cmocka_unit_test(what_has_no_hook_is_told_where_it_is_the_programs),
		cmocka_unit_test(without_lines_it_is_said_that_debug_information_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
