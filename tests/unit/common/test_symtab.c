/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "sample.h"
#include "varset.h"

static void equal_texts_are_one_string(void **state)
{
	struct vtb_symtab tab = { 0 };
	const char *first = vtb_symtab_string(&tab, "balance");
	char text[32];

	(void)state;
	for (int i = 0; i < 100000; i++) { /* many tables' growths, many chunks */
		snprintf(text, sizeof(text), "name %d", i);
		assert_string_equal(vtb_symtab_string(&tab, text), text);
	}
	assert_ptr_equal(vtb_symtab_string(&tab, "balance"), first);
	assert_ptr_equal(vtb_symtab_printf(&tab, "bal%s", "ance"), first);
	assert_string_equal(vtb_symtab_string(&tab, ""), "");
	vtb_symtab_fini(&tab);
}

static void a_string_larger_than_a_chunk_is_kept(void **state)
{
	struct vtb_symtab tab = { 0 };
	char *text = malloc(1 << 20);

	(void)state;
	memset(text, 'x', 1 << 20);
	text[(1 << 20) - 1] = '\0';
	assert_string_equal(vtb_symtab_string(&tab, text), text);
	free(text);
	vtb_symtab_fini(&tab);
}

static void a_thread_is_one_id_however_it_is_named(void **state)
{
	struct vtb_symtab tab = { 0 };

	(void)state;
	assert_int_equal(vtb_symtab_thread_by_path(&tab, "0.1.0"), 2);
	assert_int_equal(vtb_symtab_thread(&tab, VTB_NONE, 0), 0);
	assert_int_equal(vtb_symtab_thread(&tab, 0, 1), 1);
	assert_int_equal(vtb_symtab_thread(&tab, 1, 0), 2);
	assert_int_equal(vtb_symtab_thread(&tab, 0, 0), 3);
	assert_string_equal(vtb_thread_path(&tab, 2), "0.1.0");
	assert_string_equal(tab.threads[0].start, "main");
	assert_int_equal(tab.threads[2].parent, 1);
	assert_string_equal(vtb_thread_path(&tab, 4), "?");
	vtb_symtab_fini(&tab);
}

static void what_is_no_creation_path_is_refused(void **state)
{
	static const char *const bad[] = {
		"",   "1",    "0.", "0..1", "0.a", "0.-1", "0.1 ", "0.4294967295", "0.99999999999999999999",
		"00", "0.01", ".0", "0.+1", "0x1"
	};
	struct vtb_symtab tab = { 0 };
	char deep[3 * VTB_PATH_LIMIT] = "0";

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (vtb_symtab_thread_by_path(&tab, bad[i]) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
	for (size_t i = 0; i < VTB_PATH_LIMIT; i++)
		strcat(deep, ".0");
	assert_int_equal(vtb_symtab_thread_by_path(&tab, deep), -EINVAL);
	assert_int_equal(vtb_symtab_thread(&tab, 7777, 0), -EINVAL);
	vtb_symtab_fini(&tab);
}

static void threads_are_limited(void **state)
{
	struct vtb_symtab tab = { 0 };

	(void)state;
	assert_int_equal(vtb_symtab_thread(&tab, VTB_NONE, 0), 0);
	for (uint32_t i = 0; i + 1 < VTB_THREADS_LIMIT; i++)
		assert_int_equal(vtb_symtab_thread(&tab, 0, i), i + 1);
	assert_int_equal(vtb_symtab_thread(&tab, 0, VTB_THREADS_LIMIT), -VTB_E_LIMIT);
	assert_int_equal(vtb_symtab_thread(&tab, 0, 5), 6);
	vtb_symtab_fini(&tab);
}

static void places_read_well_whatever_is_known(void **state)
{
	struct vtb_symtab tab = { 0 };
	const struct vtb_site bare = { .module = 0, .offset = 0x40 },
	                      named = { .module = 0, .offset = 0x40, .function = "f" };
	char buf[64];

	(void)state;
	sample_names(&tab);
	assert_string_equal(vtb_site_place(&tab, 0, buf, sizeof(buf)), "account.c:12");
	assert_string_equal(vtb_site_place(&tab, (uint32_t)vtb_symtab_add_site(&tab, &bare), buf, sizeof(buf)),
	                    "account+0x40");
	assert_string_equal(vtb_site_place(&tab, (uint32_t)vtb_symtab_add_site(&tab, &named), buf, sizeof(buf)),
	                    "f (account+0x40)");
	assert_string_equal(vtb_site_place(&tab, VTB_NONE, buf, sizeof(buf)), "?");
	assert_string_equal(vtb_variable_name(&tab, 1), "node.next");
	assert_string_equal(vtb_variable_name(&tab, VTB_NONE), "?");
	vtb_symtab_fini(&tab);
}

static void adding_survives_every_failing_allocation(void **state)
{
	struct vtb_symtab tab = { 0 };
	int64_t id = -1;

	(void)state;
	for (int n = 1; id < 0; n++) {
		const size_t before = tab.n_threads;

		fail_in = n;
		id = vtb_symtab_thread_by_path(&tab, "0.3");
		fail_in = 0;
		assert_true(id >= 0 || id == -ENOMEM);
		assert_true(tab.n_threads >= before);
	}
	assert_string_equal(vtb_thread_path(&tab, (uint32_t)id), "0.3");
	id = -1;
	for (int n = 1; id < 0; n++) {
		fail_in = n;
		id = vtb_symtab_add_variable(&tab, &(struct vtb_variable){ .name = "x" });
		fail_in = 0;
		assert_true(id == 0 || id == -ENOMEM);
	}
	assert_string_equal(tab.variables[0].type, "");
	vtb_symtab_fini(&tab);
}

static void names_are_copied_once_and_with_what_they_refer_to(void **state)
{
	struct vtb_symtab from = { 0 }, to = { 0 };
	struct vtb_names names = { .to = &to, .from = &from };

	(void)state;
	sample_names(&from);
	assert_int_equal(vtb_names_variable(&names, 1), 0);
	assert_int_equal(vtb_names_variable(&names, 1), 0);
	assert_int_equal(to.n_variables, 1);
	assert_string_equal(to.objects[to.variables[0].object].name, from.objects[1].name);
	assert_string_equal(vtb_thread_path(&to, to.objects[0].thread), "0.0");
	assert_string_equal(to.sites[to.objects[0].site].text, from.sites[1].text);
	assert_string_equal(to.modules[to.sites[0].module].path, "/bin/account");
	assert_int_equal(to.n_modules, 1);
	assert_string_equal(to.threads[to.objects[0].thread].start, "worker");
	assert_int_equal(vtb_names_site(&names, VTB_NONE), VTB_NONE);
	assert_int_equal(vtb_names_variable(&names, 99), VTB_NONE);
	assert_string_equal(vtb_names_string(&names, NULL), "");
	assert_int_equal(names.status, 0);
	vtb_names_fini(&names);
	vtb_symtab_fini(&from);
	vtb_symtab_fini(&to);
}

static void distinct_variables_are_counted_beyond_the_inline_room(void **state)
{
	struct vtb_varset set = { 0 };

	(void)state;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++)
			vtb_varset_add(&set, i * 1000003u);
	vtb_varset_add(&set, VTB_NONE);
	vtb_varset_add(&set, VTB_NONE);
	assert_int_equal(vtb_varset_count(&set), 5001);
	vtb_varset_fini(&set);
}

static void without_memory_the_count_of_variables_is_an_upper_bound(void **state)
{
	struct vtb_varset set = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 128; i++)
		vtb_varset_add(&set, i);
	for (uint32_t i = 0; i < 300; i++) {
		fail_in = 1;
		vtb_varset_add(&set, 1000);
		fail_in = 0;
	}
	assert_true(vtb_varset_count(&set) >= 129 && vtb_varset_count(&set) <= 428);
	vtb_varset_fini(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts_are_one_string),
		cmocka_unit_test(a_string_larger_than_a_chunk_is_kept),
		cmocka_unit_test(a_thread_is_one_id_however_it_is_named),
		cmocka_unit_test(what_is_no_creation_path_is_refused),
		cmocka_unit_test(threads_are_limited),
		cmocka_unit_test(places_read_well_whatever_is_known),
		cmocka_unit_test(adding_survives_every_failing_allocation),
		cmocka_unit_test(names_are_copied_once_and_with_what_they_refer_to),
		cmocka_unit_test(distinct_variables_are_counted_beyond_the_inline_room),
		cmocka_unit_test(without_memory_the_count_of_variables_is_an_upper_bound),
	};

	return cmocka_run_group_tests_name("symtab", tests, NULL, NULL);
}
