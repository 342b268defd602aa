/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "visits.h"
#include "vtb/rng.h"
#include "vtb/trace.h"

#define SITES 4u
#define VARS 50u /* the last stands for VTB_NONE */

static uint32_t var_of(uint64_t i)
{
	return i == VARS - 1 ? VTB_NONE : (uint32_t)i;
}

/* Against an array with a number for each. */
static void visits_are_counted_by_site_and_variable(void **state)
{
	static uint64_t counted[SITES][VARS];
	struct visits v = { 0 };
	uint64_t seed = 1;

	(void)state;
	for (unsigned run = 0; run < 30; run++) {
		memset(counted, 0, sizeof(counted));
		visits_begin(&v);
		for (unsigned i = 0; i < 1000; i++) {
			const uint64_t random = vtb_mix64(seed++), site = random % SITES, var = (random >> 8) % VARS;
			uint64_t *n = &counted[site][var];

			if (random >> 32 & 3) {
				assert_int_equal(visits_add(&v, (uint32_t)site, var_of(var)), 0);
				++*n;
			} else {
				visits_take(&v, (uint32_t)site, var_of(var));
				*n -= *n ? 1 : 0;
			}
			assert_int_equal(visits_of(&v, (uint32_t)site, var_of(var)), *n);
		}
		for (uint32_t site = 0; site < SITES; site++)
			for (uint32_t var = 0; var < VARS; var++)
				assert_int_equal(visits_of(&v, site, var_of(var)), counted[site][var]);
		assert_int_equal(visits_of(&v, 0, VARS + run), 0);
	}
	visits_fini(&v);
}

static void a_set_that_has_seen_no_run_is_empty(void **state)
{
	struct visits v = { 0 };

	(void)state;
	assert_int_equal(visits_of(&v, 0, 0), 0);
	visits_take(&v, 0, 0);
	visits_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(visits_are_counted_by_site_and_variable),
		cmocka_unit_test(a_set_that_has_seen_no_run_is_empty),
	};

	return cmocka_run_group_tests_name("visits", tests, NULL, NULL);
}
