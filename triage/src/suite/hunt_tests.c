/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hunt_tests.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hunt_priv.h"

/* "Suite.Name/0" as a name of a directory below `base`. */
static char *directory_for(const char *base, const char *name)
{
	const size_t n = strlen(base ? base : ".") + 1;
	char *path = NULL;

	if (asprintf(&path, "%s/%s", base ? base : ".", name) < 0)
		return NULL;
	for (char *c = path + n; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	if (strcmp(path + n, ".") == 0 || strcmp(path + n, "..") == 0)
		path[n] = '_';
	return path;
}

struct sum {
	bool bug, nothing;
};

static int hunt_one(const struct vtb_hunt_opts *all, const struct vtb_test_list *list, size_t i, double seconds,
                    struct sum *sum, void (*done)(const struct vtb_hunt_tests *now, void *data), void *data)
{
	const struct vtb_test *test = &list->tests[i];
	struct vtb_hunt_tests now = { .number = i + 1, .total = list->n_tests, .test = test };
	struct vtb_hunt_opts opts = *all;
	struct vtb_hunt_result result;
	struct vtb_error err = { 0 };
	char *dir = directory_for(all->out_dir, test->name);
	int r;

	if (!dir)
		return -ENOMEM;
	opts.argv = test->argv;
	opts.cwd = test->cwd ? test->cwd : all->cwd;
	opts.search.seconds = seconds;
	opts.no_canary = all->no_canary || i; /* the machinery is the same for all of them */
	opts.out_dir = dir;
	opts.no_files = all->no_files || (mkdir(dir, 0777) < 0 && errno != EEXIST);
	r = vtb_hunt_run(&opts, &result, &err);
	if (!opts.no_files)
		rmdir(dir); /* stays if something was written to it */
	now.err = &err;
	if (r >= 0)
		now.result = &result;
	done(&now, data);
	sum->bug |= r >= 0 && vtb_hunt_exit_code(&result) == 1;
	sum->nothing |= r < 0 || vtb_hunt_exit_code(&result) == 3;
	if (r >= 0)
		vtb_hunt_result_fini(&result);
	free(dir);
	return r == -EINTR || r == -ENOMEM ? r : 0;
}

int vtb_hunt_tests(const struct vtb_hunt_opts *opts, const struct vtb_test_list *list,
                   void (*done)(const struct vtb_hunt_tests *now, void *data), void *data)
{
	const double end = vtb_hunt_now() + (opts->search.seconds > 0 ? opts->search.seconds : VTB_HUNT_TIME);
	struct sum sum = { 0 };

	for (size_t i = 0; i < list->n_tests; i++) {
		const double share = (end - vtb_hunt_now()) / (double)(list->n_tests - i);
		const int r =
		    hunt_one(opts, list, i, share > VTB_HUNT_TEST_TIME ? share : VTB_HUNT_TEST_TIME, &sum, done, data);

		if (r < 0)
			return r;
		if (opts->interrupted && *opts->interrupted) {
			sum.nothing |= i + 1 < list->n_tests;
			break;
		}
	}
	return sum.bug ? 1 : sum.nothing ? 3 : 0;
}
