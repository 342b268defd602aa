/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions behind ours (runtime/base/symbol.c): how often the loader is asked, and what is kept where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>

#include "../../../runtime/base/symbol.c"
#include "../../../runtime/base/symbols/late_symbol.c"

#define FIRST_OF_LASTING 0x10000u
#define MANY (2 * FOUND)

struct vtb_rt vtb_rt;
static char names[MANY];
static unsigned times;

/* A symbol for each name; those of the first ones belong to what stays where it is. */
static void *symbol_of(const char *name)
{
	return name < names || name > names + MANY || name == &names[3]
	           ? NULL
	           : (void *)(FIRST_OF_LASTING + (uint64_t)(name - names));
}

static void *asked(void *handle, const char *name)
{
	(void)handle;
	times++;
	return symbol_of(name);
}

struct vtb_real vtb_real;

void vtb_real_init(void)
{
	vtb_real.dlsym = asked;
}

bool vtb_rt_is_ours(uint64_t addr)
{
	(void)addr;
	return false;
}

bool vtb_rt_is_lasting(uint64_t addr)
{
	return addr != FIRST_OF_LASTING + 2;
}

static unsigned times_for(unsigned i)
{
	times = 0;
	assert_ptr_equal(vtb_real_symbol(&names[i]), symbol_of(&names[i]));
	return times;
}

static void test_before_there_is_a_table(void **state)
{
	(void)state;
	assert_int_equal(times_for(0), 1);
	assert_int_equal(times_for(0), 1);
}

static void test_kept(void **state)
{
	(void)state;
	vtb_real_begin_to_keep();
	assert_int_equal(times_for(0), 1);
	assert_int_equal(times_for(1), 1);
	assert_int_equal(times_for(0), 0);
	assert_int_equal(times_for(1), 0);
	vtb_real_begin_to_keep(); /* once more: nothing is lost */
	assert_int_equal(times_for(0), 0);
}

static void test_not_kept(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(times_for(2), 1); /* of a library that may lie elsewhere in the next run */
		assert_int_equal(times_for(3), 1); /* there is none; a library may bring one */
	}
}

static void test_loaded_late(void **state)
{
	void *library;

	(void)state;
	assert_null(vtb_real_late("ns_sprintrr"));
	library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	assert_non_null(dlsym(library, "ns_sprintrr"));
	assert_ptr_equal(vtb_real_late("ns_sprintrr"), dlsym(library, "ns_sprintrr"));
	assert_ptr_equal(vtb_real_symbol("ns_sprintrr"), dlsym(library, "ns_sprintrr"));
	assert_null(vtb_real_late("ns_sprintrrr"));
	assert_ptr_equal(vtb_real_late("memcpy"),
	                 dlsym(RTLD_DEFAULT, "memcpy")); /* one of several versions, chosen when it is run */
	dlclose(library);
}

static void test_of_a_run(void **state)
{
	void *known = NULL;

	(void)state;
	vtb_rt.mode = VTB_MODE_CONTROL;
	assert_ptr_equal(vtb_real_kept(&known, &names[4]), symbol_of(&names[4]));
	assert_null(known);
	vtb_rt.mode = VTB_MODE_RECORD;
	assert_ptr_equal(vtb_real_kept(&known, &names[4]), symbol_of(&names[4]));
	assert_ptr_equal(known, symbol_of(&names[4]));
	times = 0;
	assert_ptr_equal(vtb_real_kept(&known, &names[4]), symbol_of(&names[4]));
	assert_int_equal(times, 0);
}

/* More names than there are places: each is right, whether it is kept or not. */
static void test_full(void **state)
{
	unsigned asked_for = 0;

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		times_for(i);
	for (unsigned i = 0; i < MANY; i++)
		asked_for += times_for(i);
	assert_in_range(asked_for, MANY - FOUND, MANY - FOUND / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before_there_is_a_table),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_not_kept),
		cmocka_unit_test(test_loaded_late),
		cmocka_unit_test(test_of_a_run),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
