/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
