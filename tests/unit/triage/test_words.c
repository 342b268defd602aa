/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "vtb/columns.h"
#include "vtb/words.h"

static struct vtb_symtab tab;

static uint32_t variable(const char *name, const char *type)
{
	const int64_t object = vtb_symtab_add_object(
	    &tab, &(struct vtb_object){ .kind = VTB_OBJ_GLOBAL, .name = name, .thread = VTB_NONE, .site = VTB_NONE });

	return (uint32_t)vtb_symtab_add_variable(
	    &tab, &(struct vtb_variable){ .object = (uint32_t)object, .name = name, .type = type });
}

static int begin(void **state)
{
	(void)state;
	tab = (struct vtb_symtab){ 0 };
	return 0;
}

static int end(void **state)
{
	(void)state;
	vtb_symtab_fini(&tab);
	return 0;
}

static void shows(const char *type, uint32_t size, uint64_t value, const char *expected)
{
	const struct vtb_event e = {
		.kind = VTB_E_READ, .var = variable("x", type), .size = size, .value = value, .flags = VTB_EVF_VALUE
	};
	char text[80];

	assert_string_equal(vtb_words_value(&e, &tab, text, sizeof(text)), expected);
}

static void values_are_shown_as_their_type_shows_them(void **state)
{
	(void)state;
	shows("int", 4, 100, "100");
	shows("int", 4, 0xffffffff, "-1");
	shows("unsigned int", 4, 0xffffffff, "4294967295");
	shows("uint8_t", 1, 0xff, "255");
	shows("char", 1, 'a', "'a'");
	shows("char", 1, 0, "0");
	shows("_Bool", 1, 1, "true");
	shows("struct node *", 8, 0, "NULL");
	shows("struct node *", 8, 0x7ffff7dd0000, "not NULL");
	shows("double", 8, 0x3fe0000000000000, "0.5");
	shows("", 8, 0x7ffff7dd0000, ""); /* likely an address: differs from run to run */
	shows("", 8, (uint64_t)-3, "-3");
}

static void an_unknown_value_is_not_shown(void **state)
{
	const struct vtb_event e = { .kind = VTB_E_READ, .var = variable("x", "int"), .size = 4 };
	char text[80];

	(void)state;
	assert_string_equal(vtb_words_value(&e, &tab, text, sizeof(text)), "");
	assert_string_equal(vtb_words_object(&e, &tab, text, sizeof(text)), "x");
}

static void every_visible_kind_has_words(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < VTB_EVENT_KINDS; kind++) {
		const struct vtb_event e = { .kind = (uint8_t)kind };

		if (!vtb_event_info(kind) || !(vtb_event_info(kind)->flags & VTB_EV_VISIBLE))
			continue;
		assert_true(strlen(vtb_words_verb(&e, false)) < 24); /* not the long text of events.def */
		assert_true(strlen(vtb_words_verb(&e, true)) < 32);
	}
}

static void results_say_what_the_verb_does_not(void **state)
{
	const struct vtb_event lost = {
		.kind = VTB_E_COND_SIGNAL, .var = variable("ready", ""), .flags = VTB_EVF_VALUE, .value = 0
	};
	const struct vtb_event missed = {
		.kind = VTB_E_TRYLOCK, .var = variable("m", ""), .flags = VTB_EVF_VALUE, .value = 16
	};
	char text[80];

	(void)state;
	assert_string_equal(vtb_words_object(&lost, &tab, text, sizeof(text)), "ready: nobody waits");
	assert_string_equal(vtb_words_object(&missed, &tab, text, sizeof(text)), "m: did not get it");
}

static void names_lose_what_is_for_the_compiler_only(void **state)
{
	const uint32_t var = variable("(anonymous namespace)::queue<std::__cxx11::string>", "");
	char text[80];

	(void)state;
	assert_string_equal(vtb_words_variable(&tab, var, text, sizeof(text)), "queue");
}

static void places_without_lines_name_the_library(void **state)
{
	const int64_t module = vtb_symtab_add_module(&tab, &(struct vtb_module){ .path = "/usr/lib/libx.so.1" });
	const int64_t site =
	    vtb_symtab_add_site(&tab, &(struct vtb_site){ .module = (uint32_t)module, .offset = 18, .function = "f" });
	const int64_t known = vtb_symtab_add_site(
	    &tab, &(struct vtb_site){ .module = (uint32_t)module, .function = "f", .file = "/src/x.c", .line = 7 });
	char text[80];

	(void)state;
	assert_string_equal(vtb_words_place(&tab, (uint32_t)site, text, sizeof(text)), "libx.so.1");
	assert_string_equal(vtb_words_place(&tab, (uint32_t)known, text, sizeof(text)), "x.c:7");
	assert_string_equal(vtb_words_place(&tab, VTB_NONE, text, sizeof(text)), "");
}

static void counts_and_times_read_well(void **state)
{
	char text[80];

	(void)state;
	assert_string_equal(vtb_words_count(999, text, sizeof(text)), "999");
	assert_string_equal(vtb_words_count(1234567, text, sizeof(text)), "1,234,567");
	assert_string_equal(vtb_words_count(12345678, text, sizeof(text)), "12.3 million");
	assert_string_equal(vtb_words_seconds(0.44, text, sizeof(text)), "0.4 s");
	assert_string_equal(vtb_words_seconds(185, text, sizeof(text)), "3 min 5 s");
}

/* ---- layout */

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
		cmocka_unit_test_setup_teardown(values_are_shown_as_their_type_shows_them, begin, end),
		cmocka_unit_test_setup_teardown(an_unknown_value_is_not_shown, begin, end),
		cmocka_unit_test_setup_teardown(every_visible_kind_has_words, begin, end),
		cmocka_unit_test_setup_teardown(results_say_what_the_verb_does_not, begin, end),
		cmocka_unit_test_setup_teardown(names_lose_what_is_for_the_compiler_only, begin, end),
		cmocka_unit_test_setup_teardown(places_without_lines_name_the_library, begin, end),
		cmocka_unit_test_setup_teardown(counts_and_times_read_well, begin, end),
		cmocka_unit_test(wrapping_breaks_at_blanks_and_keeps_the_indent),
		cmocka_unit_test(cutting_counts_characters_not_bytes),
		cmocka_unit_test(a_table_that_is_too_wide_gives_way_from_the_right),
		cmocka_unit_test(a_thread_is_not_cut_where_there_is_room_without_the_last_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
