/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A build directory of CMake, or its CTestTestfile.cmake: `ctest --show-only=json-v1` tells the commands, directories
 * and variables of its tests. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "framework.h"
#include "vtb/argv.h"
#include "vtb/json.h"

static bool is_build_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash ? slash + 1 : path, "CTestTestfile.cmake") == 0 ||
	       vtb_test_file_below(path, "CTestTestfile.cmake") || vtb_test_file_below(path, "DartConfiguration.tcl");
}

static const struct vtb_json_node *property(struct vtb_json *doc, const struct vtb_json_node *test, const char *name)
{
	const struct vtb_json_node *properties = vtb_json_opt_array(doc, test, "properties", 1000);

	for (size_t i = 0; i < vtb_json_count(properties); i++) {
		const struct vtb_json_node *p = vtb_json_item_object(doc, properties, i);

		if (strcmp(vtb_json_opt_string(doc, p, "name", ""), name) == 0)
			return p;
	}
	return NULL;
}

static char **variables_of(struct vtb_json *doc, const struct vtb_json_node *test)
{
	static char env[] = "env";
	static char *const word[] = { env, NULL };
	const struct vtb_json_node *p = property(doc, test, "ENVIRONMENT");

	return p ? vtb_lister_command(doc, vtb_json_opt_array(doc, p, "value", 65536), word) : NULL;
}

static int add(const struct vtb_listing *l, struct vtb_json *doc, const struct vtb_json_node *test)
{
	const struct vtb_json_node *disabled = property(doc, test, "DISABLED"),
	                           *dir = property(doc, test, "WORKING_DIRECTORY");
	char **variables = variables_of(doc, test),
	     **argv = vtb_lister_command(doc, vtb_json_opt_array(doc, test, "command", 65536), variables);

	vtb_argv_free(variables);
	if (!argv) /* it was not built */
		return 0;
	if (disabled && vtb_json_opt_bool(doc, disabled, "value", false)) {
		vtb_argv_free(argv);
		l->list->n_disabled++;
		return 0;
	}
	return vtb_lister_add_command(l, vtb_json_get_string(doc, test, "name"), argv,
	                              dir ? vtb_json_peek_string(dir, "value") : NULL);
}

static int read_tests(const struct vtb_listing *l, struct vtb_json *doc)
{
	const struct vtb_json_node *tests = vtb_json_get_array(doc, vtb_json_root(doc), "tests", VTB_TESTS_LIMIT);
	int r = vtb_json_status(doc);

	for (size_t i = 0; r == 0 && i < vtb_json_count(tests); i++) {
		r = add(l, doc, vtb_json_item_object(doc, tests, i));
		r = r == 0 ? vtb_json_status(doc) : r;
	}
	return r;
}

/* The directory, if the file in it was given. */
static char *directory_of(const char *path)
{
	char *dir = strdup(path), *slash = dir ? strrchr(dir, '/') : NULL;
	struct stat st;

	if (!dir || stat(dir, &st) < 0 || S_ISDIR(st.st_mode))
		return dir;
	if (slash) {
		*slash = '\0';
		return dir;
	}
	free(dir);
	return strdup(".");
}

static int list(const struct vtb_listing *l)
{
	static char ctest[] = "ctest", show[] = "--show-only=json-v1", names[] = "-R";
	const char *regex = l->choice ? l->choice->ctest_names : NULL;
	char *const argv[] = { ctest, show, regex ? names : NULL, (char *)regex, NULL };
	char *dir = directory_of(l->argv[0]), *text;
	struct vtb_json *doc;
	int r = dir ? vtb_lister_output(argv, dir, VTB_LISTER_OUT, &text) : -ENOMEM;

	free(dir);
	if (r < 0)
		return r;
	r = vtb_json_parse("ctest --show-only=json-v1", text, strlen(text), &doc, l->err);
	free(text);
	if (r < 0)
		return r;
	r = read_tests(l, doc);
	vtb_json_free(doc);
	return r;
}

const struct vtb_framework vtb_framework_ctest = {
	.name = "ctest",
	.is = is_build_directory,
	.list = list,
};
