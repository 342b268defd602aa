/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A build directory of Meson: meson-info/intro-tests.json has the commands, directories and variables of its tests.
 * `meson test` sets MALLOC_PERTURB_ to another number each time; here it is one and the same for all runs of a test,
 * that of our own environment if there is one, and stands in the command.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework.h"
#include "vtb/argv.h"
#include "vtb/json.h"

#define INTRO "meson-info/intro-tests.json"
#define PERTURB "MALLOC_PERTURB_"
#define PERTURB_BY 85 /* as good as any from 1 to 255 */

static bool is_build_directory(const char *path)
{
	return vtb_test_file_below(path, INTRO);
}

static bool has_variable(const struct vtb_json_node *env, const char *name)
{
	return env && vtb_json_peek_string(env, name);
}

/* env's arguments: what meson sets for this test, then what it would choose by chance. */
static char **variables_of(struct vtb_json *doc, const struct vtb_json_node *test)
{
	const struct vtb_json_node *env = vtb_json_opt_object(doc, test, "env");
	const char *ours = getenv(PERTURB), *name;
	char **list, *item;
	size_t n = 0, k = 0;

	while (env && vtb_json_member(env, n))
		n++;
	list = calloc(n + 3, sizeof(*list));
	if (!list || !(list[k++] = strdup("env")))
		goto fail;
	if (!has_variable(env, PERTURB)) {
		if ((ours && *ours ? asprintf(&item, PERTURB "=%s", ours)
		                   : asprintf(&item, PERTURB "=%d", PERTURB_BY)) < 0)
			goto fail;
		list[k++] = item;
	}
	for (size_t i = 0; i < n && (name = vtb_json_member(env, i)); i++) {
		const char *value = vtb_json_peek_string(env, name);

		if (asprintf(&item, "%s=%s", name, value ? value : "") < 0)
			goto fail;
		list[k++] = item;
	}
	return list;
fail:
	vtb_argv_free(list);
	return NULL;
}

static int add(const struct vtb_listing *l, struct vtb_json *doc, const struct vtb_json_node *test)
{
	char **variables = variables_of(doc, test), **argv;
	const char *dir = vtb_json_peek_string(test, "workdir");

	if (!variables)
		return -ENOMEM;
	argv = vtb_lister_command(doc, vtb_json_get_array(doc, test, "cmd", 65536), variables);
	vtb_argv_free(variables);
	return argv ? vtb_lister_add_command(l, vtb_json_get_string(doc, test, "name"), argv, dir ? dir : l->argv[0])
	            : 0;
}

static int list(const struct vtb_listing *l)
{
	const struct vtb_json_node *tests;
	struct vtb_json *doc;
	char path[4096];
	int r;

	snprintf(path, sizeof(path), "%s/" INTRO, l->argv[0]);
	r = vtb_json_read(path, VTB_JSON_BYTES_MAX, &doc, l->err);
	if (r < 0)
		return r;
	tests = vtb_json_items(doc, VTB_TESTS_LIMIT);
	r = vtb_json_status(doc);
	for (size_t i = 0; r == 0 && i < vtb_json_count(tests); i++) {
		r = add(l, doc, vtb_json_item_object(doc, tests, i));
		r = r == 0 ? vtb_json_status(doc) : r;
	}
	vtb_json_free(doc);
	return r;
}

const struct vtb_framework vtb_framework_meson = {
	.name = "meson",
	.is = is_build_directory,
	.list = list,
};
