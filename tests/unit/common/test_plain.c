/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/cli.h"
#include "vtb/dot_text.h"
#include "vtb/plain.h"

static size_t encode(uint32_t point, char *to)
{
	const size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; point >>= 6)
		to[i] = (char)(0x80 | (point & 0x3f));
	to[0] = (char)(n == 1 ? point : (0xf00 >> n & 0xff) | point);
	return n;
}

/* By the categories of the Unicode standard that steer: Cc, and of Cf and Zl, Zp what moves, hides or turns text. */
static bool steers(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
	       (c >= 0xfff9 && c <= 0xfffb) || c >> 7 == 0xe0000 >> 7 || (c >= 0xfdd0 && c <= 0xfdef) ||
	       (c & 0xffff) >= 0xfffe;
}

static void every_code_point_is_judged_as_the_list_says(void **state)
{
	char text[5];

	(void)state;
	for (uint32_t c = 1; c <= 0x10ffff; c++) {
		const bool surrogate = c >= 0xd800 && c <= 0xdfff;
		const size_t n = encode(c, text);

		assert_int_equal(vtb_plain_length(text, n), steers(c) || surrogate ? 0 : n);
		if (n > 1)
			assert_int_equal(vtb_plain_length(text, n - 1), 0); /* cut off */
	}
}

static void each_hidden_thing_becomes_one_mark(void **state)
{
	char text[] = "a\033[31mb\xc2\x9b\xe2\x80\xae"
	              "c\xff\xc0\xaf\n\xef\xbf\xbe"
	              "d\xc3\xa9";

	(void)state;
	vtb_plain_make(text);
	assert_string_equal(text, "a?[31mb??c?????d\xc3\xa9");
}

/* Whatever the pieces that it is written in, the same comes out. */
static void a_stream_does_not_depend_on_its_pieces(void **state)
{
	static const char in[] =
	    "x\033[1;31mred\033[0m\t\033[5mno\n\033]0;title\a"
	    "\xe2\x82\xac\xe2\x80\xae\xf0\x9f\x98\x80\n::error::a\n\t \033[1m\xc2\xa0::b\n:c\na ::d\n:::\n:\xc3";
	static const char expected[] = "x\033[1;31mred\033[0m\t?[5mno\n?]0;title?\xe2\x82\xac?\xf0\x9f\x98\x80\n?:"
	                               "error::a\n\t \033[1m\xc2\xa0?:b\n:c\na ::d\n?::\n:?";

	(void)state;
	for (size_t piece = 1; piece < sizeof(in); piece++) {
		char *got = NULL;
		size_t size;
		FILE *to = open_memstream(&got, &size), *text = vtb_plain_stream(to);

		setvbuf(text, NULL, _IONBF, 0);
		for (size_t at = 0; at < sizeof(in) - 1; at += piece)
			fwrite(in + at, 1, at + piece < sizeof(in) ? piece : sizeof(in) - 1 - at, text);
		fclose(text);
		fclose(to);
		assert_string_equal(got, expected);
		free(got);
	}
}

static char *dot_text_of(const char *s)
{
	char *got = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size);

	vtb_dot_text(f, s);
	fclose(f);
	return got;
}

static void dot_takes_nothing_of_a_text_for_itself(void **state)
{
	char *got = dot_text_of("\"\\N&#1;\n\x1b\xc2\x9b\xff\xc3\xa9");

	(void)state;
	assert_string_equal(got, "\\\"\\\\N&amp;#1; \ufffd\ufffd\ufffd\xc3\xa9");
	free(got);
}

static void text_for_dot_loses_its_middle_only_beyond_the_limit(void **state)
{
	char text[2 * VTB_DOT_TEXT_MAX + 3] = "", *got;

	(void)state;
	for (unsigned i = 0; i < VTB_DOT_TEXT_MAX; i++)
		strcat(text, "\xc3\xa9");
	got = dot_text_of(text);
	assert_string_equal(got, text);
	free(got);
	strcat(text, "x");
	got = dot_text_of(text);
	assert_int_equal(strlen(got), 2 * (VTB_DOT_TEXT_MAX - 2) + 1 + strlen("\u2026"));
	assert_memory_equal(got + 2 * (VTB_DOT_TEXT_MAX / 2), "\u2026", strlen("\u2026"));
	assert_string_equal(got + strlen(got) - 3, "\xc3\xa9x");
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_point_is_judged_as_the_list_says),
		cmocka_unit_test(each_hidden_thing_becomes_one_mark),
		cmocka_unit_test(a_stream_does_not_depend_on_its_pieces),
		cmocka_unit_test(dot_takes_nothing_of_a_text_for_itself),
		cmocka_unit_test(text_for_dot_loses_its_middle_only_beyond_the_limit),
	};

	return cmocka_run_group_tests_name("plain", tests, NULL, NULL);
}
