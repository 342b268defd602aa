/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "vtb/columns.h"

static char *wrapped(const char *text, size_t column, size_t indent, size_t width)
{
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	vtb_layout_wrap(to, text, column, indent, width);
	assert_int_equal(fclose(to), 0);
	return out;
}

static void wrapping_breaks_at_blanks_and_keeps_the_indent(void **state)
{
	char *text = wrapped("one two three four", 2, 4, 12);

	(void)state;
	assert_string_equal(text, "one two\n    three\n    four\n");
	free(text);
	text = wrapped("averyverylongword", 2, 4, 8);
	assert_string_equal(text, "averyverylongword\n");
	free(text);
	text = wrapped("", 0, 0, 8);
	assert_string_equal(text, "\n");
	free(text);
}

static void cutting_counts_characters_not_bytes(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	vtb_layout_cut(to, "\303\244\303\266\303\274\303\237", 4, false); /* four letters of two bytes */
	vtb_layout_cut(to, "|abcdefgh", 6, false);
	vtb_layout_cut(to, "ab", 4, true);
	vtb_layout_cut(to, "\033[2J", 8, false);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, "\303\244\303\266\303\274\303\237|ab...ab  ?[2J");
	assert_int_equal(vtb_layout_width("\303\244\303\266"), 2);
	free(text);
}

static void a_table_that_is_too_wide_gives_way_from_the_right(void **state)
{
	struct vtb_layout_row rows[] = {
		{ .cell = { "0.1 worker", "writes balance = 150", "account.c:17",
		            "a long line of source text that nobody needs to see in full" } },
		{ .cell = { "   a note over the whole width" }, .note = true },
	};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	vtb_layout_table(to, rows, 2, 2, 70, false);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, "  0.1 worker  writes balance = 150  account.c:17  a long line of so...\n     a note "
	                          "over the whole width\n");
	free(text);
}

static void a_thread_is_not_cut_where_there_is_room_without_the_last_column(void **state)
{
	struct vtb_layout_row rows[] = {
		{ .cell = { "0.0 Service::run", "reads handler_ of the Service from service.cc:32", "service.cc:21",
		            "handler_->handle(2);" } },
	};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	vtb_layout_table(to, rows, 1, 2, 84, false);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text,
	                    "  0.0 Service::run  reads handler_ of the Service from service.cc:32  service.cc:21\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrapping_breaks_at_blanks_and_keeps_the_indent),
		cmocka_unit_test(cutting_counts_characters_not_bytes),
		cmocka_unit_test(a_table_that_is_too_wide_gives_way_from_the_right),
		cmocka_unit_test(a_thread_is_not_cut_where_there_is_room_without_the_last_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
