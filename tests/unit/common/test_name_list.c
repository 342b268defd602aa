/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "vtb/name_list.h"

static void items_are(const char *list, const char *expected)
{
	char text[200] = "";
	const char *item;
	size_t length, at = 0;

	while ((item = vtb_name_list_next(&list, &length)) != NULL)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "[%.*s]", (int)length, item);
	assert_string_equal(text, expected);
}

static void commas_part_names_but_not_inside_of_them(void **state)
{
	(void)state;
	items_are("", "");
	items_are(" ,, ", "");
	items_are("a", "[a]");
	items_are("a, b ,c", "[a][b][c]");
	items_are("map<int, int>::at,f(int, char)", "[map<int, int>::at][f(int, char)]");
	items_are("operator->,x", "[operator->][x]");
}

static void a_variable_covers_its_parts(void **state)
{
	(void)state;
	assert_true(vtb_name_list_covers("account", "account.balance"));
	assert_true(vtb_name_list_covers("account", "account[3]"));
	assert_true(vtb_name_list_covers("x,account", "account"));
	assert_true(vtb_name_list_covers("account[3]", "account[3].balance"));
	assert_true(vtb_name_list_covers("node->next", "node->next"));
	assert_false(vtb_name_list_covers("account", "accounts"));
	assert_false(vtb_name_list_covers("account[3]", "account[33]"));
	assert_false(vtb_name_list_covers("balance", "account.balance"));
	assert_false(vtb_name_list_covers("", "account"));
}

static void stars_stand_for_anything(void **state)
{
	(void)state;
	assert_true(vtb_name_list_covers("acc*", "account.balance"));
	assert_true(vtb_name_list_covers("*.balance", "account.balance"));
	assert_true(vtb_name_list_covers("*.balance", "account.balance[2]"));
	assert_true(vtb_name_list_covers("slots[?]", "slots[2]"));
	assert_false(vtb_name_list_covers("slots[?]", "slots[12]"));
	assert_false(vtb_name_list_covers("slots[12]", "slots1"));
	assert_true(vtb_name_item_is("*::give", 7, "Pool::give"));
	assert_false(vtb_name_item_is("*::give", 7, "Pool::forgive"));
	assert_false(vtb_name_item_is("Pool", 4, "Pool.give"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_part_names_but_not_inside_of_them),
		cmocka_unit_test(a_variable_covers_its_parts),
		cmocka_unit_test(stars_stand_for_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
