/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Putting back pages (runtime/engines/page.c) against memcpy, in all forms that this processor can have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../../runtime/engines/page.c"

#define ROUNDS 3000u

static char page[3 * VTB_PAGE] __attribute__((aligned(4096))), saved[VTB_PAGE] __attribute__((aligned(4096))),
    before[3 * VTB_PAGE];

static uint64_t next(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

/* A copy with some groups of zeros. */
static void make_saved(void)
{
	const uint64_t zero = next() & next();

	for (unsigned i = 0; i < VTB_PAGE; i++)
		saved[i] = zero >> (i / GROUP) & 1 ? 0 : (char)next();
}

/* Changes of one byte each, anywhere: first, last, middle. Returns the groups that differ. */
static unsigned change(char *at, unsigned n)
{
	unsigned groups = 0, count = 0;

	for (unsigned i = 0; i < n; i++)
		at[next() % VTB_PAGE] ^= (char)(1u << next() % 8);
	for (unsigned g = 0; g < VTB_PAGE_GROUPS; g++)
		groups |= (unsigned)(memcmp(at + g * GROUP, saved + g * GROUP, GROUP) != 0) << g;
	for (; groups; groups &= groups - 1)
		count++;
	return count;
}

static void one_round(unsigned round)
{
	char *at = page + VTB_PAGE;
	unsigned groups, differ;

	make_saved();
	groups = vtb_page_groups(saved);
	for (unsigned g = 0; g < VTB_PAGE_GROUPS; g++) {
		bool zero = true;

		for (unsigned i = 0; i < GROUP; i++)
			zero &= !saved[g * GROUP + i];
		assert_int_equal(groups >> g & 1, !zero);
	}
	for (unsigned i = 0; i < sizeof(page); i++)
		page[i] = (char)next();
	memcpy(at, saved, VTB_PAGE);
	memcpy(before, page, sizeof(page));
	differ = change(at, round % 40);
	assert_int_equal(vtb_page_put_back(at, groups ? saved : NULL, groups), differ);
	assert_memory_equal(page, before, sizeof(page)); /* and nothing beside it */
	change(at, 9);
	vtb_page_overwrite(at, groups ? saved : NULL, groups);
	assert_memory_equal(page, before, sizeof(page));
}

static void test_put_back(void **state)
{
	(void)state;
	for (unsigned f = 0; f < vtb_page_forms(); f++) {
		vtb_page_use_form(f);
		for (unsigned round = 0; round < ROUNDS; round++)
			one_round(round);
	}
}

static void test_all_zero(void **state)
{
	(void)state;
	for (unsigned f = 0; f < vtb_page_forms(); f++) {
		vtb_page_use_form(f);
		for (unsigned i = 0; i < VTB_PAGE; i++) {
			memset(page, 0, VTB_PAGE);
			page[i] = 1;
			assert_int_equal(vtb_page_groups(page), 1u << i / GROUP);
			assert_int_equal(vtb_page_put_back(page, NULL, 0), 1);
			assert_int_equal(vtb_page_groups(page), 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_back),
		cmocka_unit_test(test_all_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
