/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/argv.h"
#include "vtb/test_list.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vtb/array.h"
#include "vtb/json.h"

#define OUTPUT_MAX (16u << 20)

extern char **environ;

/* ---- running a lister */

static int read_all(int fd, char **ret, size_t *ret_size)
{
	char *text = NULL;
	size_t size = 0, cap = 0;
	ssize_t n = 0;

	do {
		size += (size_t)n;
		if (vtb_array_reserve((void **)&text, &cap, size + 4097, 1) < 0 || size > OUTPUT_MAX) {
			free(text);
			return size > OUTPUT_MAX ? -E2BIG : -ENOMEM;
		}
		n = read(fd, text + size, 4096);
	} while (n > 0);
	text[size] = '\0';
	*ret = text;
	*ret_size = size;
	return 0;
}

/* Standard output of a command; its exit status does not matter (Catch2's is the number of tests). */
static int output_of(char *const *argv, const char *cwd, char **ret, size_t *ret_size)
{
	posix_spawn_file_actions_t actions;
	int ends[2], status, r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	r = posix_spawn_file_actions_init(&actions);
	if (r == 0 && cwd)
		r = posix_spawn_file_actions_addchdir_np(&actions, cwd);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	if (r == 0)
		r = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (r == 0)
		r = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (r == 0) {
		r = read_all(ends[0], ret, ret_size);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	} else {
		r = -r;
	}
	close(ends[0]);
	return r;
}

/* ---- lists */

/* Takes `argv`. */
static int add_test(struct vtb_test_list *list, const char *name, char **argv, const char *cwd)
{
	struct vtb_test test = { .name = strdup(name), .argv = argv, .cwd = cwd ? strdup(cwd) : NULL };

	if (!test.name || !argv || (cwd && !test.cwd) || list->n_tests >= VTB_TESTS_LIMIT ||
	    vtb_array_room(list, tests) < 0) {
		free(test.name);
		free(test.cwd);
		vtb_argv_free(argv);
		return -ENOMEM;
	}
	list->tests[list->n_tests++] = test;
	return 0;
}

void vtb_test_list_fini(struct vtb_test_list *list)
{
	for (size_t i = 0; i < list->n_tests; i++) {
		free(list->tests[i].name);
		vtb_argv_free(list->tests[i].argv);
		free(list->tests[i].cwd);
	}
	free(list->tests);
	*list = (struct vtb_test_list){ 0 };
}

struct listing {
	char *const *argv;
	const char *cwd;
	struct vtb_test_list *list;
	struct vtb_error *err;
};

static int ask(const struct listing *l, const char *option, char **ret, size_t *ret_size)
{
	char **argv = vtb_argv_with(l->argv, option);
	int r = argv ? output_of(argv, l->cwd, ret, ret_size) : -ENOMEM;

	vtb_argv_free(argv);
	return r;
}

/* ---- googletest: "Suite." at the line's start, "  Test  # comment" below */

static int list_googletest(const struct listing *l)
{
	char *text, *line, *rest, suite[500] = "";
	size_t size;
	int r = ask(l, "--gtest_list_tests", &text, &size);

	if (r < 0)
		return r;
	for (line = strtok_r(text, "\n", &rest); line && r == 0; line = strtok_r(NULL, "\n", &rest)) {
		const size_t end = strcspn(line + (*line == ' ' ? 2 : 0), " #") + (*line == ' ' ? 2 : 0);
		char name[1100], filter[1200];

		line[end] = '\0';
		if (*line != ' ') {
			snprintf(suite, sizeof(suite), "%s", end && line[end - 1] == '.' ? line : "");
		} else if (*suite) {
			snprintf(name, sizeof(name), "%s%.500s", suite, line + 2);
			snprintf(filter, sizeof(filter), "--gtest_filter=%s", name);
			r = add_test(l->list, name, vtb_argv_with(l->argv, filter), NULL);
		}
	}
	free(text);
	return r;
}

/* ---- Catch2: one name a line; version 3 puts a heading before and two blanks in front */

static void escape_catch(const char *name, char *to, size_t size)
{
	size_t n = 0;

	for (; *name && n + 2 < size; name++) {
		if (strchr(",[]*\\\"~", *name))
			to[n++] = '\\';
		to[n++] = *name;
	}
	to[n] = '\0';
}

static int add_catch(const struct listing *l, const char *name)
{
	char pattern[1000];

	escape_catch(name, pattern, sizeof(pattern));
	return add_test(l->list, name, vtb_argv_with(l->argv, pattern), NULL);
}

static int list_catch(const struct listing *l)
{
	char *text, *line, *rest;
	size_t size;
	int r = ask(l, "--list-test-names-only", &text, &size);
	bool plain = r == 0 && size;

	if (r == 0 && !size) { /* version 3 does not know it */
		free(text);
		r = ask(l, "--list-tests", &text, &size);
	}
	if (r < 0)
		return r;
	for (line = strtok_r(text, "\n", &rest); line && r == 0; line = strtok_r(NULL, "\n", &rest)) {
		if (plain)
			r = add_catch(l, line);
		else if (line[0] == ' ' && line[1] == ' ' && line[2] != ' ') /* tags stand deeper */
			r = add_catch(l, line + 2);
	}
	free(text);
	return r;
}

/* ---- ctest */

static char **command_of(struct vtb_json *doc, const struct vtb_json_node *test)
{
	const struct vtb_json_node *command = vtb_json_opt_array(doc, test, "command", 65536);
	const size_t n = vtb_json_count(command);
	char **argv = n ? calloc(n + 1, sizeof(*argv)) : NULL;

	for (size_t i = 0; argv && i < n; i++) {
		argv[i] = strdup(vtb_json_item_string(doc, command, i));
		if (!argv[i]) {
			vtb_argv_free(argv);
			return NULL;
		}
	}
	return argv;
}

static const char *directory_of(struct vtb_json *doc, const struct vtb_json_node *test)
{
	const struct vtb_json_node *properties = vtb_json_opt_array(doc, test, "properties", 1000);

	for (size_t i = 0; i < vtb_json_count(properties); i++) {
		const struct vtb_json_node *p = vtb_json_item_object(doc, properties, i);

		if (strcmp(vtb_json_opt_string(doc, p, "name", ""), "WORKING_DIRECTORY") == 0)
			return vtb_json_peek_string(p, "value");
	}
	return NULL;
}

static int read_ctest(const struct listing *l, struct vtb_json *doc)
{
	const struct vtb_json_node *tests = vtb_json_get_array(doc, vtb_json_root(doc), "tests", VTB_TESTS_LIMIT);
	int r = vtb_json_status(doc);

	for (size_t i = 0; r == 0 && i < vtb_json_count(tests); i++) {
		const struct vtb_json_node *test = vtb_json_item_object(doc, tests, i);
		char **argv = command_of(doc, test);

		if (argv) /* a test without a command was not built */
			r = add_test(l->list, vtb_json_get_string(doc, test, "name"), argv, directory_of(doc, test));
		r = r == 0 ? vtb_json_status(doc) : r;
	}
	return r;
}

static int list_ctest(const struct listing *l)
{
	static char ctest[] = "ctest", show[] = "--show-only=json-v1";
	char *const argv[] = { ctest, show, NULL };
	char *dir = strdup(l->argv[0]), *slash = dir ? strrchr(dir, '/') : NULL, *text;
	struct vtb_json *doc;
	struct stat st;
	size_t size;
	int r;

	if (!dir)
		return -ENOMEM;
	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode)) /* the file in it */
		slash ? (void)(*slash = '\0') : (void)(dir[0] = '.', dir[1] = '\0');
	r = output_of(argv, dir, &text, &size);
	free(dir);
	if (r < 0)
		return r;
	r = vtb_json_parse("ctest --show-only=json-v1", text, size, &doc, l->err);
	free(text);
	if (r < 0)
		return r;
	r = read_ctest(l, doc);
	vtb_json_free(doc);
	return r;
}

/* ---- cmocka */

static int list_whole(const struct listing *l)
{
	const char *base = strrchr(l->argv[0], '/');

	return add_test(l->list, base ? base + 1 : l->argv[0], vtb_argv_with(l->argv, NULL), NULL);
}

/* ---- which is it? */

struct framework {
	const char *name;
	const char *mark[2]; /* in the program's file */
	int (*list)(const struct listing *l);
};

static const struct framework frameworks[] = {
	{ "googletest", { "gtest_list_tests", "libgtest.so" }, list_googletest },
	{ "Catch2", { "list-test-names-only", "libCatch2" }, list_catch },
	{ "Catch2", { "Catch::Session", "N5Catch7SessionE" }, list_catch },
	{ "cmocka", { "libcmocka.so", "cmocka_run_group_tests" }, list_whole },
};
static const struct framework ctest = { "ctest", { NULL, NULL }, list_ctest };

static const struct framework *recognise_file(int fd, size_t size)
{
	const char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	const struct framework *found = NULL;

	if (bytes == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < sizeof(frameworks) / sizeof(*frameworks) && !found; i++)
		for (int k = 0; k < 2; k++)
			if (memmem(bytes, size, frameworks[i].mark[k], strlen(frameworks[i].mark[k])))
				found = &frameworks[i];
	munmap((void *)bytes, size);
	return found;
}

static const struct framework *recognise(const char *path)
{
	const char *base = strrchr(path, '/');
	const struct framework *found = NULL;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0)
		found = S_ISDIR(st.st_mode) || strcmp(base ? base + 1 : path, "CTestTestfile.cmake") == 0 ? &ctest
		        : S_ISREG(st.st_mode) && st.st_size > 0 ? recognise_file(fd, (size_t)st.st_size)
		                                                : NULL;
	close(fd);
	return found;
}

int vtb_test_list_of(char *const *argv, const char *cwd, struct vtb_test_list *ret, struct vtb_error *err)
{
	const struct framework *f = recognise(argv[0]);
	struct vtb_test_list list = { 0 };
	const struct listing l = { .argv = argv, .cwd = cwd, .list = &list, .err = err };
	int r;

	if (!f && access(argv[0], F_OK) < 0)
		return vtb_error_set(err, -errno, argv[0], 0, "%s", strerror(errno));
	if (!f)
		return vtb_error_set(err, -EINVAL, argv[0], 0,
		                     "--per-test: neither a test program of googletest, Catch2 or cmocka nor a build "
		                     "directory of ctest");
	list.framework = f->name;
	r = f->list(&l);
	if (r == 0 && !list.n_tests)
		r = vtb_error_set(err, -VTB_E_TOOL, argv[0], 0, "--per-test: it lists no tests (%s)", f->name);
	else if (r < 0 && !(err && err->text[0]))
		vtb_error_set(err, r, argv[0], 0, "--per-test: cannot list the tests (%s)", f->name);
	if (r < 0)
		vtb_test_list_fini(&list);
	else
		*ret = list;
	return r;
}
