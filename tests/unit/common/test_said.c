/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "vtb/said.h"

static struct vtb_said said_of(const char *bytes, size_t n, uint64_t size)
{
	struct vtb_said said = { 0 };
	char *copy = malloc(n + 1);

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	assert_int_equal(vtb_said_take(&said, copy, n, size), 0);
	return said;
}

static void all_that_was_printed_is_kept_as_it_is(void **state)
{
	struct vtb_said said = said_of("one\ntwo\n", 8, 8);

	(void)state;
	assert_string_equal(said.text, "one\ntwo\n");
	assert_false(vtb_said_is_cut(&said));
	vtb_said_fini(&said);
	assert_null(said.text);
}

static void an_end_begins_with_a_line(void **state)
{
	struct vtb_said said = said_of("ne\ntwo\n", 7, 100), one = said_of("no line at all", 14, 100);

	(void)state;
	assert_string_equal(said.text, "two\n");
	assert_true(vtb_said_is_cut(&said));
	assert_string_equal(one.text, "no line at all");
	vtb_said_fini(&said);
	vtb_said_fini(&one);
}

static void a_nul_does_not_end_the_text(void **state)
{
	struct vtb_said said = said_of("a\0b\n", 4, 4);

	(void)state;
	assert_string_equal(said.text, "a?b\n");
	vtb_said_fini(&said);
}

static struct vtb_stream stream_of(const char *text)
{
	struct vtb_stream stream = { NULL, 0 };

	assert_int_equal(vtb_stream_take(&stream, text, strlen(text), strlen(text)), 0);
	return stream;
}

static void both_are_shown_by_themselves_if_they_are_known(void **state)
{
	struct vtb_said said = said_of("a\nb\n", 4, 4);
	struct vtb_said_part parts[2];

	(void)state;
	assert_int_equal(vtb_said_parts(&said, parts), 1);
	assert_string_equal(parts[0].title, "Output");
	assert_string_equal(parts[0].stream.text, "a\nb\n");
	said.out = stream_of("");
	said.err = stream_of("a\nb\n");
	assert_int_equal(vtb_said_parts(&said, parts), 1);
	assert_string_equal(parts[0].title, "Standard error");
	assert_int_equal(vtb_stream_take(&said.out, "b\n", 2, 2), 0);
	assert_int_equal(vtb_said_parts(&said, parts), 2);
	assert_string_equal(parts[0].title, "Standard output");
	assert_string_equal(parts[0].stream.text, "b\n");
	vtb_said_fini(&said);
	assert_int_equal(vtb_said_parts(&said, parts), 0);
}

static void the_end_of_a_stream_begins_with_a_line(void **state)
{
	struct vtb_stream stream = { NULL, 0 };

	(void)state;
	assert_int_equal(vtb_stream_take(&stream, "ne\ntw\0\n", 7, 100), 0);
	assert_string_equal(stream.text, "tw?\n");
	assert_true(vtb_stream_is_cut(&stream));
	free(stream.text);
}

static void last_line_is(const char *text, const char *expected)
{
	struct vtb_said said = said_of(text, strlen(text), strlen(text));
	size_t n;
	const char *line = vtb_said_last_line(&said, &n);

	if (!expected) {
		assert_null(line);
	} else {
		assert_int_equal(n, strlen(expected));
		assert_memory_equal(line, expected, n);
	}
	vtb_said_fini(&said);
}

static void the_last_line_is_the_last_with_words(void **state)
{
	const struct vtb_said nothing = { 0 };
	size_t n;

	(void)state;
	last_line_is("", NULL);
	last_line_is("\n \n", NULL);
	last_line_is("fatal: no", "fatal: no");
	last_line_is("one\nfatal: no \n\n  \n", "fatal: no");
	last_line_is("  indented\r\n", "  indented");
	assert_null(vtb_said_last_line(&nothing, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_was_printed_is_kept_as_it_is),
		cmocka_unit_test(an_end_begins_with_a_line),
		cmocka_unit_test(a_nul_does_not_end_the_text),
		cmocka_unit_test(both_are_shown_by_themselves_if_they_are_known),
		cmocka_unit_test(the_end_of_a_stream_begins_with_a_line),
		cmocka_unit_test(the_last_line_is_the_last_with_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
