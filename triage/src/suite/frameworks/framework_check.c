/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Check runs each test in a child of its own, which control does not follow, unless CK_FORK=no; and it has no list: the
 * program is one test. A failure:
 *
 *     file.c:32:F:case:function:0: Assertion 'balance == 2' failed: ...
 */
#include <stdio.h>
#include <string.h>

#include "framework.h"

static int list(const struct vtb_listing *l)
{
	return vtb_lister_add_whole(l, "CK_FORK=no");
}

/* The `n`th part between colons, counted from the start of `line`, and its length; NULL: there are fewer. */
static const char *part(const char *line, unsigned n, size_t *ret_size)
{
	for (; n; n--) {
		line = strchr(line, ':');
		if (!line++)
			return NULL;
	}
	*ret_size = strcspn(line, ":");
	return line[*ret_size] ? line : NULL;
}

static void take_line(struct vtb_test_reading *r, const char *line)
{
	size_t file = 0, number = 0, kind = 0, group = 0, name = 0;
	const char *at = part(line, 0, &file), *digits = part(line, 1, &number), *letter = part(line, 2, &kind),
	           *set = part(line, 3, &group), *test = part(line, 4, &name);

	if (!at || !digits || !letter || !set || !test || r->failed[0] || kind != 1 || !strchr("FE", *letter) ||
	    !number || strspn(digits, "0123456789") != number)
		return;
	snprintf(r->failed, sizeof(r->failed), "%.*s:%.*s", (int)group, set, (int)name, test);
	snprintf(r->place, sizeof(r->place), "%.*s:%.*s", (int)file, at, (int)number, digits);
}

const struct vtb_framework vtb_framework_check = {
	.name = "Check",
	.marks = { "libcheck.so", "srunner_run_all" },
	.list = list,
	.read = take_line,
};
