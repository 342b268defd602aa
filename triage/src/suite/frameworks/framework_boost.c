/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boost.Test. Its tree goes to standard error, a star behind what is enabled:
 *
 *     --list_content:  suite*            a failure:  file.cc(12): error: in "suite/case": check ...
 *                          case*
 *
 * A line with no deeper one behind it is a test case.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework.h"

#define DEPTH_MAX 32u
#define INDENT 4u

struct node {
	char name[300];
	unsigned depth;
	bool enabled;
};

/* "    name*: description"; false: no name stands there. */
static bool read_node(const char *line, struct node *ret)
{
	const size_t blanks = strspn(line, " "), n = strcspn(line + blanks, "*:");

	if (!n || n >= sizeof(ret->name) || blanks / INDENT >= DEPTH_MAX)
		return false;
	memcpy(ret->name, line + blanks, n);
	ret->name[n] = '\0';
	ret->depth = (unsigned)(blanks / INDENT);
	ret->enabled = line[blanks + n] == '*';
	return true;
}

static int add(const struct vtb_listing *l, const struct node *path, unsigned depth)
{
	char name[3000] = "", option[3100];
	size_t n = 0;

	for (unsigned i = 0; i <= depth && n + 310 < sizeof(name); i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n, "%s%s", i ? "/" : "", path[i].name);
	snprintf(option, sizeof(option), "--run_test=%s", name);
	if (!path[depth].enabled) {
		l->list->n_disabled++;
		return 0;
	}
	return vtb_lister_add(l, name, VTB_WORDS(option, "--random=0"));
}

static int list(const struct vtb_listing *l)
{
	struct node *path = calloc(DEPTH_MAX, sizeof(*path)), next;
	char *text = NULL, *line, *rest;
	bool any = false;
	unsigned depth = 0;
	int r = path ? vtb_lister_ask(l, "--list_content", VTB_LISTER_ERR, &text) : -ENOMEM;

	for (line = r < 0 ? NULL : strtok_r(text, "\n", &rest); line && r == 0; line = strtok_r(NULL, "\n", &rest)) {
		if (!read_node(line, &next) || next.depth > depth + any)
			continue;
		if (any && next.depth <= depth) /* nothing below the one before */
			r = add(l, path, depth);
		depth = next.depth;
		path[depth] = next;
		any = true;
	}
	if (r == 0 && any)
		r = add(l, path, depth);
	free(text);
	free(path);
	return r;
}

static void take_line(struct vtb_test_reading *r, const char *line)
{
	const char *word = strstr(line, "error: in \""), *open = strchr(line, '('),
	           *close = open ? strchr(open, ')') : NULL;
	const char *name = word ? word + sizeof("error: in \"") - 1 : NULL, *end = name ? strchr(name, '"') : NULL;

	if (!end || !close || close > word || r->failed[0])
		return;
	vtb_test_keep(r->failed, name, (size_t)(end - name));
	snprintf(r->place, sizeof(r->place), "%.*s:%.*s", (int)(open - line), line, (int)(close - open - 1), open + 1);
}

const struct vtb_framework vtb_framework_boost = {
	.name = "Boost.Test",
	.marks = { "libboost_unit_test_framework", "BOOST_TEST_LIST_CONTENT", "--list_content" },
	.list = list,
	.read = take_line,
};
