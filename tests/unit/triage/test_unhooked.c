/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a hunt says has no hooks, of vtb-canary, a program in which everything has them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "unhooked.h"
#include "vtb/stop.h"
#include "vtb/symtab.h"

/* `stopped`: somebody has asked to stop. All names, until the next call. */
static char *names_of(int stopped, bool *ret_some)
{
	static char text[1000];
	volatile sig_atomic_t flag = stopped;
	struct vtb_stop stop = { .aborted = &flag };
	const struct vtb_unhooked_given nothing = { 0 };
	struct vtb_symtab tab = { 0 };
	const struct vtb_module canary = { .path = CANARY };
	char **names = NULL;
	bool blind = false;

	assert_int_equal(vtb_symtab_add_module(&tab, &canary), 0);
	assert_int_equal(vtb_unhooked_modules(&tab, &nothing, false, &stop, &names, ret_some, &blind), 0);
	assert_false(blind);
	text[0] = 0;
	for (size_t i = 0; names[i]; i++) {
		strcat(strcat(text, names[i]), ";");
		free(names[i]);
	}
	free(names);
	vtb_symtab_fini(&tab);
	return text;
}

static void what_was_looked_through_and_has_all_hooks_is_not_named(void **state)
{
	bool some = true;

	(void)state;
	assert_string_equal(names_of(0, &some), "");
	assert_false(some);
}

/* Nobody knows whether there are accesses without hooks: no claim may cover them. */
static void what_nobody_has_looked_through_may_have_accesses_without_hooks(void **state)
{
	bool some = false;

	(void)state;
	assert_string_equal(names_of(1, &some),
	                    "accesses in vtb-canary that nobody has looked for: the time was over;");
	assert_true(some);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_looked_through_and_has_all_hooks_is_not_named),
		cmocka_unit_test(what_nobody_has_looked_through_may_have_accesses_without_hooks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
