/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test_cases.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/hunt_junit.h"

struct vtb_test_case {
	struct vtb_junit junit;
	bool told;
	int exit_code;
};

int vtb_test_cases_begin(struct vtb_test_cases *all, size_t n)
{
	*all = (struct vtb_test_cases){ .cases = calloc(n + 1, sizeof(*all->cases)), .n = n };
	return all->cases ? 0 : -ENOMEM;
}

void vtb_test_cases_take(struct vtb_test_cases *all, const struct vtb_hunt_tests *now)
{
	struct vtb_test_case *c = &all->cases[now->number - 1];
	const int code = now->result ? vtb_hunt_exit_code(now->result) : 3;
	int r;

	if (all->trouble < 0 || (c->told && code != 1 && (code != 0 || c->exit_code != 3)))
		return;
	vtb_junit_fini(&c->junit);
	r = vtb_junit_begin(&c->junit);
	if (r >= 0)
		r = vtb_hunt_junit_add(&c->junit, now->test->name, now->result, now->err->text, &all->err);
	c->told = true;
	c->exit_code = code;
	all->trouble = r;
}

int vtb_test_cases_write(struct vtb_test_cases *all, const char *path, struct vtb_error *err)
{
	struct vtb_junit suite;
	int r = all->trouble < 0 ? all->trouble : vtb_junit_begin(&suite);

	if (r < 0) {
		*err = all->err;
		return r;
	}
	for (size_t i = 0; r >= 0 && i < all->n; i++)
		if (all->cases[i].told)
			r = vtb_junit_join(&suite, &all->cases[i].junit);
	if (r >= 0)
		r = vtb_junit_write(&suite, path, err);
	vtb_junit_fini(&suite);
	return r;
}

void vtb_test_cases_fini(struct vtb_test_cases *all)
{
	for (size_t i = 0; all->cases && i < all->n; i++)
		vtb_junit_fini(&all->cases[i].junit);
	free(all->cases);
	*all = (struct vtb_test_cases){ 0 };
}
