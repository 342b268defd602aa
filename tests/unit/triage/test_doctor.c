/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "vtb/doctor.h"

static void expect_sound(const struct vtb_doctor *d)
{
	assert_true(d->n_rows > 0 && d->n_rows <= VTB_DOCTOR_ROWS_MAX);
	for (size_t i = 0; i < d->n_rows; i++) {
		assert_true(d->rows[i].key && *d->rows[i].key && d->rows[i].name && *d->rows[i].name);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(d->rows[i].key, d->rows[k].key);
	}
}

static void the_machine_is_examined_without_a_program(void **state)
{
	struct vtb_doctor d;

	(void)state;
	assert_int_equal(vtb_doctor_run(NULL, &d, NULL), 0);
	expect_sound(&d);
	assert_null(d.program);
	assert_int_equal(d.n_choices, 0);
	for (size_t i = 0; i < d.n_rows; i++)
		assert_int_not_equal(d.rows[i].group, VTB_DOCTOR_PROGRAM);
	vtb_doctor_fini(&d);
}

static void a_program_that_is_not_there_is_an_error(void **state)
{
	struct vtb_error err = { 0 };
	struct vtb_doctor d;

	(void)state;
	assert_int_equal(vtb_doctor_run("/nonexistent/program", &d, &err), -ENOENT);
	assert_null(d.program);
	assert_true(*err.text);
}

static void a_program_without_hooks_is_told_what_it_lacks(void **state)
{
	struct vtb_error err = { 0 };
	struct vtb_doctor d;

	(void)state;
	assert_int_equal(vtb_doctor_run("true", &d, &err), 0); /* found as a shell finds it */
	expect_sound(&d);
	assert_non_null(d.program);
	assert_true(d.program[0] == '/');
	assert_true(*d.advice);
	assert_int_equal(vtb_doctor_exit_code(&d), d.ready ? 0 : 3);
	vtb_doctor_fini(&d);
}

static void text_and_json_name_every_row(void **state)
{
	const struct vtb_report_style style = { .width = 100 };
	struct vtb_doctor d;
	char *text, *json;
	size_t size;
	FILE *to;

	(void)state;
	assert_int_equal(vtb_doctor_run(NULL, &d, NULL), 0);
	to = open_memstream(&text, &size);
	vtb_doctor_report(&d, &style, to);
	fclose(to);
	to = open_memstream(&json, &size);
	vtb_doctor_report_json(&d, to);
	fclose(to);
	for (size_t i = 0; i < d.n_rows; i++) {
		assert_non_null(strstr(text, d.rows[i].name));
		assert_non_null(strstr(json, d.rows[i].key));
	}
	free(text);
	free(json);
	vtb_doctor_fini(&d);
}

static void without_a_canary_beside_us_that_is_said(void **state)
{
	char why[200] = "";

	(void)state;
	assert_int_equal(vtb_canary_check(0, VTB_CARRIER_THREADS, false, NULL, why, sizeof(why)),
	                 -ENOENT); /* this test's directory has none */
	assert_string_equal(why, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_is_examined_without_a_program),
		cmocka_unit_test(a_program_that_is_not_there_is_an_error),
		cmocka_unit_test(a_program_without_hooks_is_told_what_it_lacks),
		cmocka_unit_test(text_and_json_name_every_row),
		cmocka_unit_test(without_a_canary_beside_us_that_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
