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
#include "out_dir.h"
#include "suite_row.h"
#include "vtb/array.h"

#define QUARTERS 4

/* ---- where files go */

/* "Suite.Name/0" as a name of a directory below `base`; the number tells names apart that come out the same. */
static char *directory_for(const char *base, const char *name, size_t number)
{
	const size_t n = strlen(base ? base : ".") + 1;
	char *path = NULL;

	if (asprintf(&path, number ? "%s/%s-%zu" : "%s/%s", base ? base : ".", name, number + 1) < 0)
		return NULL;
	for (char *c = path + n; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	if (strcmp(path + n, ".") == 0 || strcmp(path + n, "..") == 0)
		path[n] = '_';
	return path;
}

/* The program itself, as often as not: a test is called like it. */
static bool is_other_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Each test's, no two the same. */
static int name_directories(const char *base, const struct vtb_test_list *list, char **dirs)
{
	for (size_t i = 0; i < list->n_tests; i++) {
		bool taken = true;

		for (size_t number = 0; taken; number++) {
			free(dirs[i]);
			dirs[i] = directory_for(base, list->tests[i].name, number);
			if (!dirs[i])
				return -ENOMEM;
			taken = is_other_file(dirs[i]);
			for (size_t k = 0; k < i && !taken; k++)
				taken = strcmp(dirs[k], dirs[i]) == 0;
		}
	}
	return 0;
}

/* ---- how long one goes on */

struct suite_run {
	const struct vtb_hunt_opts *opts;
	const struct vtb_test_list *list;
	struct vtb_suite *suite;
	void (*done)(const struct vtb_hunt_tests *now, void *data);
	void *data;
	char **dirs;
	double end;
	unsigned round;
};

/* When new classes came: the search's last quarter is what the next share goes by. */
struct watching {
	double share;
	double start, newest; /* when the search began; of the newest class */
	uint64_t classes;
	double at[QUARTERS * 8]; /* a ring: classes so far, at even parts of the share */
	uint64_t count[QUARTERS * 8];
	size_t n;
};

static bool enough(const struct vtb_search_stats *stats, double seconds, void *data)
{
	struct watching *w = data;
	const size_t ring = sizeof(w->at) / sizeof(*w->at);
	double idle;

	w->start = w->n ? w->start : seconds;
	if (stats->classes > w->classes)
		w->newest = seconds;
	w->classes = stats->classes;
	if (!w->n || seconds - w->at[(w->n - 1) % ring] > w->share / (double)ring) {
		w->at[w->n % ring] = seconds;
		w->count[w->n++ % ring] = stats->classes;
	}
	idle = seconds - (w->newest > w->start ? w->newest : w->start);
	return idle > w->share / 2 || (seconds >= w->share && idle > w->share / QUARTERS);
}

static double recent_rate(const struct watching *w)
{
	const size_t ring = sizeof(w->at) / sizeof(*w->at), kept = w->n < ring ? w->n : ring;
	const size_t back = kept / QUARTERS ? kept / QUARTERS : 1;
	size_t first, last;

	if (kept < 2)
		return 0;
	last = (w->n - 1) % ring;
	first = (w->n - 1 - (back < kept ? back : kept - 1)) % ring;
	return w->at[last] > w->at[first] ? (double)(w->classes - w->count[first]) / (w->at[last] - w->at[first]) : 0;
}

/* ---- one hunt */

static int take_trouble(struct vtb_suite_row *row, const char *text)
{
	if (row->hunted)
		return 0;
	row->exit_code = 3;
	free(row->said);
	row->said = strdup(text);
	return row->said ? 0 : -ENOMEM;
}

static int hunt_one(struct suite_run *s, size_t i, double share, double most)
{
	const struct vtb_test *test = &s->list->tests[i];
	struct vtb_hunt_tests now = { .number = i + 1, .total = s->list->n_tests, .test = test, .round = s->round };
	struct watching watching = { .share = share };
	struct vtb_hunt_opts opts = *s->opts;
	struct vtb_hunt_result result;
	struct vtb_error err = { 0 };
	int r, kept;

	opts.argv = test->argv;
	opts.cwd = test->cwd ? test->cwd : s->opts->cwd;
	opts.search.seconds = most;
	opts.search.seed = s->opts->search.seed + s->round - 1;
	opts.no_canary = s->opts->no_canary || i || s->round > 1; /* the machinery is the same for all of them */
	opts.out_dir = s->dirs[i];
	opts.no_files = s->opts->no_files || vtb_out_dir_make(s->dirs[i], NULL) < 0;
	opts.enough = enough;
	opts.enough_data = &watching;
	r = vtb_hunt_run(&opts, &result, &err);
	s->suite->rows[i].rate = recent_rate(&watching);
	if (!opts.no_files)
		rmdir(s->dirs[i]); /* stays if something was written to it */
	now.err = &err;
	if (r >= 0)
		now.result = &result;
	else if (!err.text[0])
		vtb_error_set(&err, r, test->argv[0], 0, "%s", vtb_strerror(r));
	s->done(&now, s->data);
	kept = r >= 0 ? vtb_suite_row_take(&s->suite->rows[i], &result) : take_trouble(&s->suite->rows[i], err.text);
	if (r >= 0)
		vtb_hunt_result_fini(&result);
	return r == -EINTR || r == -ENOMEM ? r : kept;
}

/* ---- rounds */

static bool over(const struct suite_run *s)
{
	return (s->opts->interrupted && *s->opts->interrupted) || vtb_hunt_now() >= s->end;
}

/* There is no time for it. */
static int leave_out(struct suite_run *s, size_t i)
{
	const bool interrupted = s->opts->interrupted && *s->opts->interrupted;
	const struct vtb_test *test = &s->list->tests[i];
	struct vtb_error err = { 0 };

	vtb_error_set(&err, -ECANCELED, NULL, 0, "not hunted: %s", interrupted ? "interrupted" : "the time was over");
	s->done(&(struct vtb_hunt_tests){ i + 1, s->list->n_tests, s->round, test, NULL, &err }, s->data);
	return take_trouble(&s->suite->rows[i], err.text);
}

static int first_round(struct suite_run *s)
{
	const size_t n = s->list->n_tests;
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++) {
		const double left = s->end - vtb_hunt_now(), part = left / (double)(n - i),
		             share = part > VTB_HUNT_TEST_TIME   ? part
		                     : left > VTB_HUNT_TEST_TIME ? VTB_HUNT_TEST_TIME
		                                                 : left;
		const double others = (double)(n - i - 1) * VTB_HUNT_TEST_TIME,
		             most = left - others > 2 * share ? 2 * share
		                    : left - others > share   ? left - others
		                                              : share;

		r = over(s) ? leave_out(s, i) : hunt_one(s, i, share, most);
	}
	return r;
}

/* What a test may still show: new classes a second; and one of which nothing is proved is worth a class. */
static double weight_of(const struct vtb_suite_row *row)
{
	return !row->open ? 0 : row->rate + (row->exit_code == 3 ? 1 : 0);
}

/* To the tests that showed new classes last. 1: there are none, or there is no time for them. */
static int next_round(struct suite_run *s)
{
	const double left = s->end - vtb_hunt_now();
	double sum = 0;
	int r = 1;

	for (size_t i = 0; i < s->suite->n_rows; i++)
		sum += weight_of(&s->suite->rows[i]);
	if (sum <= 0 || left < VTB_HUNT_TEST_TIME)
		return 1;
	s->round++;
	for (size_t i = 0; i < s->suite->n_rows && (r == 1 || r == 0); i++) {
		const struct vtb_suite_row *row = &s->suite->rows[i];
		double share = left * weight_of(row) / sum;

		share = share < s->end - vtb_hunt_now() ? share : s->end - vtb_hunt_now();
		if (share >= VTB_HUNT_TEST_TIME && !over(s))
			r = hunt_one(s, i, share, share);
	}
	return r;
}

static int hunt_all(struct suite_run *s)
{
	int r = first_round(s);

	while (r == 0 && !over(s))
		r = next_round(s);
	return r < 0 ? r : 0;
}

static int exit_code(const struct vtb_suite *suite)
{
	bool bug = false, nothing = false;

	for (size_t i = 0; i < suite->n_rows; i++) {
		bug |= suite->rows[i].exit_code == 1;
		nothing |= suite->rows[i].exit_code == 3;
	}
	return bug ? 1 : nothing ? 3 : 0;
}

int vtb_hunt_tests(const struct vtb_hunt_opts *opts, const struct vtb_test_list *list, struct vtb_suite *suite,
                   void (*done)(const struct vtb_hunt_tests *now, void *data), void *data)
{
	struct suite_run s = { .opts = opts, .list = list, .suite = suite, .done = done, .data = data, .round = 1 };
	int r = 0;

	*suite = (struct vtb_suite){ .n_disabled = list->n_disabled };
	s.end = vtb_hunt_now() + (opts->search.seconds > 0 ? opts->search.seconds : VTB_HUNT_TIME);
	s.dirs = calloc(list->n_tests + 1, sizeof(*s.dirs));
	r = s.dirs ? name_directories(opts->out_dir, list, s.dirs) : -ENOMEM;
	if (r >= 0)
		r = vtb_array_extend(suite, rows, list->n_tests, (struct vtb_suite_row){ .exit_code = 3 });
	for (size_t i = 0; r >= 0 && i < list->n_tests; i++)
		suite->rows[i].test = &list->tests[i];
	if (r >= 0)
		r = hunt_all(&s);
	for (size_t i = 0; s.dirs && i < list->n_tests; i++)
		free(s.dirs[i]);
	free(s.dirs);
	return r < 0 ? r : exit_code(suite);
}
