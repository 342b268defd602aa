/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An execution tree of which most lies in a file: the same search, and no file that anybody sees. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cases.h"
#include "prog.h"
#include "tree_file.h"
#include "vtb/strategies.h"

static char dir[] = "/var/tmp/vtb-test-XXXXXX";

/* Where files without a name cannot be: nothing to test. */
static void need_a_disk(void)
{
	struct vtb_tree_file f;

	if (vtb_tree_file_open(&f, dir, 0) < 0)
		skip();
	vtb_tree_file_close(&f);
}

static unsigned names_in_dir(void)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* ---- the file */

static void what_was_let_go_comes_back(void **state)
{
	struct vtb_tree_file f;
	uint32_t *at;

	(void)state;
	need_a_disk();
	assert_int_equal(vtb_tree_file_open(&f, dir, 0), 0);
	for (size_t bytes = 1000; bytes < 4u << 20; bytes *= 3) {
		const size_t n = bytes / sizeof(*at);

		assert_int_equal(vtb_tree_file_grow(&f, bytes), 0);
		assert_true(f.bytes >= bytes);
		at = f.at;
		for (size_t i = 0; i < n; i++) {
			assert_true(bytes == 1000 || i >= n / 3 || at[i] == i * 7);
			at[i] = (uint32_t)i * 7;
		}
		vtb_tree_file_let_go(&f);
	}
	assert_int_equal(names_in_dir(), 0);
	vtb_tree_file_close(&f);
	assert_null(f.at);
}

static void a_bound_is_kept(void **state)
{
	struct vtb_tree_file f;

	(void)state;
	need_a_disk();
	assert_int_equal(vtb_tree_file_open(&f, dir, 100000), 0);
	assert_int_equal(vtb_tree_file_grow(&f, 100000), 0);
	assert_int_equal(f.bytes, 100000);
	assert_int_equal(vtb_tree_file_grow(&f, 100001), -ENOSPC);
	assert_int_equal(f.bytes, 100000);
	vtb_tree_file_close(&f);
}

static void a_limit_of_the_process_is_no_signal(void **state)
{
	const struct rlimit low = { .rlim_cur = 80000, .rlim_max = RLIM_INFINITY };
	struct vtb_tree_file f;
	struct rlimit before;

	(void)state;
	need_a_disk();
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	if (before.rlim_max != RLIM_INFINITY)
		skip();
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	assert_int_equal(vtb_tree_file_open(&f, dir, 0), 0);
	assert_int_equal(vtb_tree_file_grow(&f, 80001), -ENOSPC);
	assert_int_equal(vtb_tree_file_grow(&f, 80000), 0);
	vtb_tree_file_close(&f);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

static void memory_and_what_is_not_there_are_no_disk(void **state)
{
	struct vtb_tree_file f;

	(void)state;
	assert_int_equal(vtb_tree_file_open(&f, "/nowhere/at/all", 0), -ENOENT);
	if (access("/dev/shm", W_OK) == 0)
		assert_true(vtb_tree_file_open(&f, "/dev/shm", 0) < 0);
}

/* ---- the search */

struct course {
	uint64_t hash, runs;
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	int end;
};

/* Which runs in which order: schedule and class. */
static void look(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct course *c = data;

	(void)search;
	(void)x;
	c->runs++;
	c->hash = c->hash * 31 + class_id * 2 + new_class;
	for (size_t i = 0; i < s->n_deviations; i++)
		c->hash = c->hash * 31 + s->deviations[i].after.thread * 1000003ull + s->deviations[i].after.index +
		          s->deviations[i].target * 97ull;
}

/* With so much memory (0: all that is wanted), and so much disk (0: any). */
static struct course course_of(const struct prog *p, const char *strategy, const char *priority, uint64_t memory,
                               uint64_t disk)
{
	struct course c = { 0 };
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = look, .data = &c };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.priority = priority;
	opts.c = opts.v = 3;
	opts.budget = 6000;
	opts.memory = memory;
	opts.disk = memory ? dir : NULL;
	opts.disk_bytes = disk;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	c.end = vtb_search_run(search, &calls, NULL);
	c.stats = *vtb_search_stats(search);
	vtb_search_claim(search, &c.claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
	return c;
}

static const struct {
	const char *strategy, *priority;
} searches[] = { { "dfs", NULL }, { "bestfirst", NULL }, { "bestfirst", "mdpor,pb" }, { "bestfirst", "rand" } };
#define SEARCHES (sizeof(searches) / sizeof(*searches))

static void a_search_with_its_tree_in_a_file_is_the_same(void **state)
{
	unsigned in_file = 0;

	(void)state;
	need_a_disk();
	for (unsigned seed = 0; seed < SEARCHES * CASES(6); seed++) {
		const char *strategy = searches[seed % SEARCHES].strategy,
		           *priority = searches[seed % SEARCHES].priority;
		struct course all, little;
		struct prog p;

		prog_random(&p, seed, 3 + seed % 2, 4);
		all = course_of(&p, strategy, priority, 0, 0);
		little = course_of(&p, strategy, priority, 4000, 0); /* a hundred nodes */
		in_file += little.claim.on_disk > 0;
		assert_int_equal(all.claim.on_disk, 0);
		assert_int_equal(little.end, all.end);
		assert_true(little.hash == all.hash && little.runs == all.runs);
		assert_int_equal(little.stats.classes, all.stats.classes);
		assert_int_equal(little.claim.dropped, 0);
		assert_int_equal(little.claim.complete, all.claim.complete);
		assert_int_equal(little.claim.kept, all.claim.kept);
		assert_string_equal(little.claim.text, all.claim.text);
	}
	print_message("%u of %zu searches had most of their tree in a file\n", in_file, SEARCHES * CASES(6));
	assert_true(in_file > SEARCHES * CASES(6) / 2);
	assert_int_equal(names_in_dir(), 0);
}

/* Four threads that write what the others write: tens of thousands of schedules. */
static void many(struct prog *p)
{
	*p = (struct prog){ .n_threads = 5, .n_vars = 2, .n_locks = 1, .n_conds = 1 };
	prog_create_all(p);
	for (int t = 1; t < 5; t++)
		for (int i = 0; i < 6; i++)
			prog_add(p, t, (struct prog_instr){ .code = P_WRITE, .obj = i % 2, .k = t });
	prog_join_all(p);
}

static void a_file_that_is_full_is_said(void **state)
{
	struct course c;
	struct prog p;

	(void)state;
	need_a_disk();
	many(&p);
	c = course_of(&p, "bestfirst", "rand", 4000, 70000);
	assert_int_equal(c.claim.on_disk, 70000);
	assert_true(c.claim.dropped > 0);
	assert_false(c.claim.complete);
	assert_false(c.claim.least);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_let_go_comes_back),
		cmocka_unit_test(a_bound_is_kept),
		cmocka_unit_test(a_limit_of_the_process_is_no_signal),
		cmocka_unit_test(memory_and_what_is_not_there_are_no_disk),
		cmocka_unit_test(a_search_with_its_tree_in_a_file_is_the_same),
		cmocka_unit_test(a_file_that_is_full_is_said),
	};

	return cmocka_run_group_tests_name("tree_file", tests, begin, end);
}
