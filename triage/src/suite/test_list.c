/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which framework is it? Then its row lists the tests. */
#include "vtb/test_list.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frameworks/framework.h"
#include "frameworks/framework_rows.h"
#include "vtb/argv.h"

static void free_test(struct vtb_test *test)
{
	free(test->name);
	vtb_argv_free(test->argv);
	free(test->cwd);
}

void vtb_test_list_fini(struct vtb_test_list *list)
{
	for (size_t i = 0; i < list->n_tests; i++)
		free_test(&list->tests[i]);
	free(list->tests);
	*list = (struct vtb_test_list){ 0 };
}

void vtb_test_list_shard(struct vtb_test_list *list, struct vtb_test_shard shard)
{
	size_t kept = 0;

	for (size_t i = 0; shard.n > 1 && i < list->n_tests; i++) {
		if (i % shard.n == shard.index)
			list->tests[kept++] = list->tests[i];
		else
			free_test(&list->tests[i]);
	}
	if (shard.n > 1)
		list->n_tests = kept;
}

bool vtb_test_file_below(const char *dir, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) && access(path, F_OK) == 0;
}

static bool has_mark(const char *bytes, size_t size, const struct vtb_framework *f)
{
	for (size_t k = 0; k < sizeof(f->marks) / sizeof(*f->marks) && f->marks[k]; k++)
		if (memmem(bytes, size, f->marks[k], strlen(f->marks[k])))
			return true;
	return false;
}

static const struct vtb_framework *recognise_file(int fd, size_t size)
{
	const char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	const struct vtb_framework *found = NULL;

	if (bytes == MAP_FAILED)
		return NULL;
	for (size_t i = 0; i < VTB_FRAMEWORKS && !found; i++)
		if (has_mark(bytes, size, vtb_frameworks[i]))
			found = vtb_frameworks[i];
	munmap((void *)bytes, size);
	return found;
}

static const struct vtb_framework *recognise(const char *path)
{
	const struct vtb_framework *found = NULL;
	struct stat st;
	int fd;

	for (size_t i = 0; i < VTB_FRAMEWORKS; i++)
		if (vtb_frameworks[i]->is && vtb_frameworks[i]->is(path))
			return vtb_frameworks[i];
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		found = recognise_file(fd, (size_t)st.st_size);
	close(fd);
	return found;
}

static int check_choice(const struct vtb_test_choice *choice, struct vtb_error *err)
{
	const char *const texts[] = { choice->names, choice->ctest_names };

	for (size_t i = 0; i < 2; i++) {
		regex_t regex;

		if (!texts[i])
			continue;
		if (regcomp(&regex, texts[i], REG_EXTENDED | REG_NOSUB) != 0)
			return vtb_error_set(err, -EINVAL, NULL, 0, "\"%s\" is no regular expression", texts[i]);
		regfree(&regex);
	}
	return 0;
}

static int list_tests(const struct vtb_framework *f, const struct vtb_listing *l, struct vtb_error *err)
{
	const char *path = l->argv[0];
	int r = f->list(l);

	if (r == 0 && !l->list->n_tests)
		return vtb_error_set(err, -VTB_E_TOOL, path, 0, "--per-test: %s (%s)",
		                     l->list->n_disabled ? "all its tests are disabled"
		                     : l->choice         ? "it lists no such tests"
		                                         : "it lists no tests",
		                     f->name);
	if (r < 0 && !(err && err->text[0]))
		vtb_error_set(err, r, path, 0, "--per-test: cannot list the tests (%s): %s", f->name, vtb_strerror(r));
	return r;
}

int vtb_test_list_of(char *const *argv, const char *cwd, const struct vtb_test_choice *choice,
                     struct vtb_test_list *ret, struct vtb_error *err)
{
	const struct vtb_framework *f = recognise(argv[0]);
	struct vtb_test_list list = { .framework = f ? f->name : NULL };
	const struct vtb_listing l = { .argv = argv, .cwd = cwd, .choice = choice, .list = &list, .err = err };
	int r = choice ? check_choice(choice, err) : 0;

	if (r < 0)
		return r;
	if (!f && access(argv[0], F_OK) < 0)
		return vtb_error_set(err, -errno, argv[0], 0, "%s", strerror(errno));
	if (!f)
		return vtb_error_set(err, -EINVAL, argv[0], 0,
		                     "--per-test: neither a test program of googletest, Catch2, doctest, Boost.Test, "
		                     "cmocka or Check nor a build directory of ctest or meson");
	r = list_tests(f, &l, err);
	if (r < 0)
		vtb_test_list_fini(&list);
	else
		*ret = list;
	return r;
}
