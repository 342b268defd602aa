/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Neither a list nor a filter that is reached from outside: the program is one test. A failure, between the lines of
 * googletest's manner:
 *
 *     [ RUN      ] name
 *     [  ERROR   ] --- 1 != 2
 *     [   LINE   ] --- file.c:12: error: Failure!
 *     [  FAILED  ] name
 */
#include <string.h>

#include "framework.h"

static int list(const struct vtb_listing *l)
{
	return vtb_lister_add_whole(l, NULL);
}

static void take_line(struct vtb_test_reading *r, const char *line)
{
	const char *rest = vtb_test_after(line, "[   LINE   ] --- "), *word = rest ? strstr(rest, ": error:") : NULL;

	if (rest && !r->place[0])
		vtb_test_keep(r->place, rest, word ? (size_t)(word - rest) : strlen(rest));
}

const struct vtb_framework vtb_framework_cmocka = {
	.name = "cmocka",
	.marks = { "libcmocka.so", "cmocka_run_group_tests" },
	.list = list,
	.read = take_line,
};
