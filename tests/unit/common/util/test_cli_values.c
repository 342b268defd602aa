/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options as texts: what is written reads as the same value, and what an option refuses is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "vtb/cli_values.h"

struct values {
	bool flag, second;
	const char *text;
	uint32_t number;
	uint64_t large;
	double real;
	int choice;
};

static const char *const words[] = { "auto", "one", "two", NULL }, *const off_on[] = { "off", "on", NULL };

static const struct vtb_cli_row rows[] = {
	{ "flag", NULL, "", VTB_CLI_FLAG, .member = offsetof(struct values, flag) },
	{ "text", "T", "", VTB_CLI_TEXT, .member = offsetof(struct values, text) },
	{ "number", "N", "", VTB_CLI_U32, .member = offsetof(struct values, number), .least = 2, .most = 15 },
	{ "large", "N", "", VTB_CLI_U64, .member = offsetof(struct values, large), .most = UINT64_MAX },
	{ "real", "X", "", VTB_CLI_REAL, .member = offsetof(struct values, real), .real_most = 0.5 },
	{ "choice", "W", "", VTB_CLI_CHOICE, .member = offsetof(struct values, choice), .names = words, .first = -1 },
	{ "switch", "W", "", VTB_CLI_SWITCH, .member = offsetof(struct values, second), .names = off_on },
	{ "list", NULL, "", VTB_CLI_LIST, .print = NULL },
	{ 0 },
};

static int put(const char *name, const char *text, struct values *v)
{
	return vtb_cli_value_read(vtb_cli_row_find(rows, name), text, v, NULL);
}

static void what_is_written_reads_as_the_same(void **state)
{
	const struct values a = { true, true, "a b", 15, UINT64_MAX, 0.1, 1 };
	struct values b = { 0 };
	char buf[64];

	(void)state;
	for (const struct vtb_cli_row *row = rows; row->type != VTB_CLI_LIST; row++) {
		const char *text = vtb_cli_value_text(row, &a, buf, sizeof(buf));

		assert_non_null(text);
		assert_int_equal(vtb_cli_value_read(row, text, &b, NULL), 0);
	}
	assert_true(b.flag && b.second && b.real == a.real);
	assert_string_equal(b.text, "a b");
	assert_int_equal(b.number, 15);
	assert_true(b.large == UINT64_MAX);
	assert_int_equal(b.choice, 1);
}

static void what_an_option_refuses_is_refused(void **state)
{
	static const char *const bad[][2] = { { "flag", "off" },  { "number", "1" }, { "number", "16" },
		                              { "number", "x" },  { "large", "-1" }, { "real", "0" },
		                              { "real", "0.6" },  { "real", "nan" }, { "choice", "on" },
		                              { "switch", "two" } };
	struct values v = { 0 };
	struct vtb_error err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(put(bad[i][0], bad[i][1], &v), -EINVAL);
	assert_int_equal(v.number + v.large, 0);
	vtb_cli_value_read(vtb_cli_row_find(rows, "number"), "many", &v, &err);
	assert_non_null(strstr(err.text, "number"));
	assert_non_null(strstr(err.text, "many"));
}

static void what_is_not_given_has_no_text(void **state)
{
	const struct values v = { 0 };

	(void)state;
	assert_null(vtb_cli_value_text(vtb_cli_row_find(rows, "flag"), &v, NULL, 0));
	assert_null(vtb_cli_value_text(vtb_cli_row_find(rows, "text"), &v, NULL, 0));
	assert_null(vtb_cli_row_find(rows, "list"));
	assert_null(vtb_cli_row_find(rows, "none"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_as_the_same),
		cmocka_unit_test(what_an_option_refuses_is_refused),
		cmocka_unit_test(what_is_not_given_has_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
