/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work items: what is written is read again, what makes no sense is refused, results add up, and which item is next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_program.h"
#include "item_facts.h"
#include "item_options.h"
#include "item_plan.h"
#include "vtb/argv.h"

/* ---- items */

static struct vtb_json *parse(const char *text, struct vtb_error *err)
{
	struct vtb_json *doc;

	assert_int_equal(vtb_json_parse("item", text, strlen(text), &doc, err), 0);
	return doc;
}

static int read_item(const char *text, struct vtb_item *ret)
{
	struct vtb_error err = { 0 };
	struct vtb_json *doc = parse(text, &err);
	const int r = vtb_item_read(doc, ret);

	vtb_json_free(doc);
	return r;
}

#define ITEM(id, options, seconds)                                                                             \
	"{\"format\": \"vtb-item\", \"version\": 1, \"id\": \"" id "\", \"vtb\": \"x\", \"first\": \"0xff\", " \
	"\"options\": {" options "}, \"seconds\": " seconds ", \"target\": {\"format\": \"vtb-schedules\", "   \
	"\"version\": 1, \"program\": {\"argv\": [\"./a\", \"b\"], \"cwd\": \"/\"}, \"schedules\": []}}"

static void an_item_is_read_as_it_was_written(void **state)
{
	struct vtb_item a, b;
	char *text = NULL;
	size_t size;
	FILE *to;

	(void)state;
	assert_int_equal(read_item(ITEM("a-1", "\"seed\": \"3\", \"focus-var\": \"x = y\"", "1.5"), &a), 0);
	to = open_memstream(&text, &size);
	vtb_item_write(&a, to);
	fclose(to);
	assert_int_equal(strchr(text, '\n') - text, size - 1); /* one line */
	assert_int_equal(read_item(text, &b), 0);
	assert_string_equal(b.id, "a-1");
	assert_string_equal(b.options[0], "seed=3");
	assert_string_equal(b.options[1], "focus-var=x = y");
	assert_null(b.options[2]);
	assert_string_equal(b.target.argv[1], "b");
	assert_true(b.first == 0xff && b.seconds == 1.5);
	vtb_item_fini(&a);
	vtb_item_fini(&b);
	free(text);
}

static void what_is_no_item_is_refused(void **state)
{
	static const char *const bad[] = { ITEM("", "", "1"),
		                           ITEM("a/b", "", "1"),
		                           ITEM("a", "", "0"),
		                           ITEM("a", "", "\"x\""),
		                           ITEM("a", "\"seed\": 3", "1"),
		                           ITEM("a", "\"a=b\": \"3\"", "1"),
		                           "{\"format\": \"vtb-item\", \"version\": 2}",
		                           "{}",
		                           "[]" };
	struct vtb_item item;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_true(read_item(bad[i], &item) < 0);
}

static void options_go_with_items_but_for_what_is_each_ones_own(void **state)
{
	struct vtb_hunt_opts opts, again;
	char **options, **more;

	(void)state;
	vtb_hunt_opts_init(&opts);
	vtb_hunt_opts_init(&again);
	opts.search.c = 3;
	opts.search.symmetry = false;
	opts.search.seed = 9;
	opts.search.budget = 8;
	opts.runner.fail_if = "exit=2";
	opts.runner.jobs = 4;
	opts.keep_going = true;
	options = vtb_item_options_of(&opts);
	assert_int_equal(vtb_argv_count(options), 4);
	for (size_t i = 0; options[i]; i++)
		assert_int_equal(vtb_item_option_take(options[i], &again, NULL), 0);
	assert_true(again.search.c == 3 && !again.search.symmetry && again.keep_going);
	assert_string_equal(again.runner.fail_if, "exit=2");
	more = vtb_item_options_with(options, "c=1");
	assert_int_equal(vtb_argv_count(more), 4);
	assert_string_equal(more[3], "c=1");
	assert_int_equal(vtb_item_option_take("output=x", &again, NULL), -EINVAL);
	assert_int_equal(vtb_item_option_take("time=1", &again, NULL), -EINVAL);
	assert_int_equal(vtb_item_option_take("c=many", &again, NULL), -EINVAL);
	assert_int_equal(vtb_item_option_take("c", &again, NULL), -EINVAL);
	vtb_argv_free(options);
	vtb_argv_free(more);
}

/* ---- classes */

/* The same run as a process would tell it that has met the threads in another order. */
static void a_class_has_one_name_whatever_numbers_threads_have(void **state)
{
	struct fake_runner fake;
	struct vtb_schedule lost = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	struct vtb_symtab other = { 0 };
	struct vtb_exec x, y;
	uint64_t a, b, c;

	(void)state;
	fake_runner_init(&fake, &fake_account);
	x = fake_run(&fake, NULL);
	assert_int_equal(vtb_item_class(&x, fake.base.tab, &a), 0);
	assert_int_equal(vtb_symtab_thread_by_path(&other, "0"), 0);
	assert_int_equal(vtb_symtab_thread_by_path(&other, "0.1"), 1);
	assert_int_equal(vtb_symtab_thread_by_path(&other, "0.0"), 2);
	for (size_t i = 0; i < x.n_events; i++)
		x.events[i].thread = x.events[i].thread ? 3 - x.events[i].thread : 0;
	assert_int_equal(vtb_item_class(&x, &other, &b), 0);
	assert_true(a == b);
	assert_int_equal(vtb_schedule_deviate(&lost, 1, 2, VTB_DEV_SWITCH, 2, 0, 1), 0);
	y = fake_run(&fake, &lost);
	assert_int_equal(vtb_item_class(&y, fake.base.tab, &c), 0);
	assert_true(a != c);
	vtb_exec_fini(&x);
	vtb_exec_fini(&y);
	vtb_schedule_fini(&lost);
	vtb_symtab_fini(&other);
	vtb_runner_free(&fake.base);
}

/* ---- results */

static void results_add_up_and_the_largest_claim_stays(void **state)
{
	struct vtb_hunt_facts all = { 0 };
	const struct vtb_hunt_facts walk = { .search_schedules = 10,
		                             .points = 7,
		                             .zero_done = true,
		                             .uncontrolled = 1,
		                             .done = { .c = 2, .v = 2 },
		                             .weak = VTB_WEAK_MANY,
		                             .weak_at = "a.c:1 and a.c:2",
		                             .torn = "pair",
		                             .arguments = (char *)"a walk" },
	                            level = { .search_schedules = 5,
		                              .points = 9,
		                              .zero_done = true,
		                              .enumerated = true,
		                              .uncontrolled = 2,
		                              .done = { .c = 1, .v = 1 },
		                              .arguments = (char *)"levels" },
	                            cut = { .search_schedules = 100,
		                            .zero_done = true,
		                            .complete = true,
		                            .assumed = true,
		                            .weak = VTB_WEAK_UNSEEN,
		                            .torn_unseen = true,
		                            .arguments = (char *)"not to be claimed" };

	(void)state;
	assert_int_equal(vtb_item_facts_merge(&all, &level, true), 0);
	assert_int_equal(vtb_item_facts_merge(&all, &walk, true), 0);
	assert_int_equal(vtb_item_facts_merge(&all, &cut, false), 0);
	assert_int_equal(all.search_schedules, 115);
	assert_int_equal(all.points, 9);
	assert_int_equal(all.uncontrolled, 3);
	assert_true(all.enumerated && all.done.c == 1 && !all.complete && all.assumed);
	assert_string_equal(all.arguments, "levels");
	assert_int_equal(all.weak, VTB_WEAK_MANY);
	assert_string_equal(all.weak_at, "a.c:1 and a.c:2");
	assert_string_equal(all.torn, "pair");
	assert_true(all.torn_unseen);
	free(all.arguments);
}

static void a_result_is_read_as_it_was_written(void **state)
{
	uint64_t classes[] = { 3, UINT64_MAX };
	struct vtb_item_result a = { .id = (char *)"r",
		                     .state = VTB_ITEM_CUT,
		                     .why = (char *)"its seconds were over",
		                     .seconds = 2.5,
		                     .classes = classes,
		                     .n_classes = 2,
		                     .facts = { .search_schedules = 12,
		                                .enumerated = true,
		                                .stopped = "time",
		                                .weak = VTB_WEAK_TWO,
		                                .weak_at = "a.c:1",
		                                .torn = "pair",
		                                .arguments = (char *)"levels",
		                                .done = { .c = 3 } } },
	                       b;
	struct vtb_error err = { 0 };
	struct vtb_json *doc;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	vtb_item_result_write(&a, to);
	fclose(to);
	doc = parse(text, &err);
	assert_int_equal(vtb_item_result_read(doc, &b), 0);
	assert_true(b.state == VTB_ITEM_CUT && b.seconds == 2.5 && b.n_classes == 2 && b.classes[1] == UINT64_MAX);
	assert_true(b.facts.search_schedules == 12 && b.facts.enumerated && b.facts.done.c == 3);
	assert_string_equal(b.facts.stopped, "time");
	assert_int_equal(b.facts.weak, VTB_WEAK_TWO);
	assert_string_equal(b.facts.weak_at, "a.c:1");
	assert_string_equal(b.facts.torn, "pair");
	assert_string_equal(b.facts.arguments, "levels");
	vtb_json_free(doc);
	vtb_item_result_fini(&b);
	free(text);
}

/* ---- the plan */

static struct vtb_item_result done(uint64_t n, double seconds, const char *stopped)
{
	return (struct vtb_item_result){ .state = VTB_ITEM_COMPLETED,
		                         .seconds = seconds,
		                         .facts = { .search_schedules = n, .stopped = stopped } };
}

static void a_systematic_search_goes_on_with_twice_the_budget_until_it_is_done(void **state)
{
	struct vtb_item_wish first, second, third;
	struct vtb_item_result result = done(1000, 1, "budget");
	struct vtb_item_plan *plan;
	struct vtb_hunt_opts opts;

	(void)state;
	vtb_hunt_opts_init(&opts);
	opts.search.strategy = "dpor";
	assert_int_equal(vtb_item_plan_new(&opts, NULL, &plan, NULL), 0);
	assert_int_equal(vtb_item_plan_next(plan, 60, &first), 1);
	assert_string_equal(first.id, "dpor-1");
	assert_int_equal(vtb_item_plan_next(plan, 60, &second), 0); /* one at a time */
	vtb_item_plan_took(plan, &first, &result, 10);
	assert_int_equal(vtb_item_plan_next(plan, 60, &second), 1);
	assert_int_equal(second.budget, 2 * first.budget);
	result = done(1500, 1, "bound");
	vtb_item_plan_took(plan, &second, &result, 0);
	assert_true(vtb_item_plan_over(plan));
	assert_int_equal(vtb_item_plan_next(plan, 60, &third), 0);
	vtb_item_wish_fini(&first);
	vtb_item_wish_fini(&second);
	vtb_item_plan_free(plan);
}

static void walks_get_seeds_of_their_own_and_the_time_of_an_item(void **state)
{
	struct vtb_item_wish wish[3];
	struct vtb_item_result result = done(1000, 0.5, "budget");
	struct vtb_item_plan *plan;
	struct vtb_hunt_opts opts;

	(void)state;
	vtb_hunt_opts_init(&opts);
	opts.search.strategy = "random";
	opts.search.seed = 7;
	assert_int_equal(vtb_item_plan_new(&opts, NULL, &plan, NULL), 0);
	assert_int_equal(vtb_item_plan_next(plan, 60, &wish[0]), 1);
	assert_int_equal(vtb_item_plan_next(plan, 60, &wish[1]), 1);
	assert_string_equal(wish[0].options[1], "seed=7");
	assert_string_equal(wish[1].options[1], "seed=8");
	assert_string_equal(wish[0].options[3], "no-hand-over=on");
	vtb_item_plan_took(plan, &wish[0], &result, 1);
	assert_int_equal(vtb_item_plan_next(plan, 60, &wish[2]), 1);
	assert_int_equal(wish[2].budget, 6000); /* 2000 a second, 3 seconds */
	for (size_t i = 0; i < 3; i++)
		vtb_item_wish_fini(&wish[i]);
	vtb_item_plan_free(plan);
}

static void what_is_complete_ends_the_hunt(void **state)
{
	struct vtb_item_wish wish;
	struct vtb_item_result result = done(100, 1, "bound");
	struct vtb_item_plan *plan;
	struct vtb_hunt_opts opts;

	(void)state;
	vtb_hunt_opts_init(&opts);
	assert_int_equal(vtb_item_plan_new(&opts, NULL, &plan, NULL), 0);
	assert_int_equal(vtb_item_plan_next(plan, 60, &wish), 1);
	result.facts.complete = true;
	result.state = VTB_ITEM_CUT;
	vtb_item_plan_took(plan, &wish, &result, 1);
	assert_false(vtb_item_plan_over(plan));
	result.state = VTB_ITEM_COMPLETED;
	vtb_item_plan_took(plan, &wish, &result, 1);
	assert_true(vtb_item_plan_over(plan));
	vtb_item_wish_fini(&wish);
	vtb_item_plan_free(plan);
}

static int read_list(const char *text)
{
	char path[] = "/tmp/vtb-items-XXXXXX";
	const int fd = mkstemp(path);
	struct vtb_item_plan *plan;
	struct vtb_error err = { 0 };
	struct vtb_hunt_opts opts;
	int r, n = 0;

	vtb_hunt_opts_init(&opts);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	r = vtb_item_plan_new(&opts, path, &plan, &err);
	unlink(path);
	if (r < 0) {
		assert_true(err.text[0]);
		return r;
	}
	for (struct vtb_item_wish wish; vtb_item_plan_next(plan, 0, &wish) == 1; n++)
		vtb_item_wish_fini(&wish);
	vtb_item_plan_free(plan);
	return n;
}

static void a_list_is_worked_off_and_a_wrong_one_refused(void **state)
{
	(void)state;
	assert_int_equal(
	    read_list("{\"id\": \"a\", \"options\": {\"seed\": \"1\"}}\n\n{\"id\": \"b\", \"options\": {}}"), 2);
	assert_true(read_list("{\"id\": \"a\", \"options\": {}}\n{\"id\": \"a\", \"options\": {}}\n") < 0);
	assert_true(read_list("{\"id\": \"a\", \"options\": {\"output\": \"x\"}}\n") < 0);
	assert_true(read_list("{\"id\": \"a\"}\n") < 0);
	assert_true(read_list("garbage\n") < 0);
	assert_true(read_list("\n") < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_item_is_read_as_it_was_written),
		cmocka_unit_test(what_is_no_item_is_refused),
		cmocka_unit_test(options_go_with_items_but_for_what_is_each_ones_own),
		cmocka_unit_test(a_class_has_one_name_whatever_numbers_threads_have),
		cmocka_unit_test(results_add_up_and_the_largest_claim_stays),
		cmocka_unit_test(a_result_is_read_as_it_was_written),
		cmocka_unit_test(a_systematic_search_goes_on_with_twice_the_budget_until_it_is_done),
		cmocka_unit_test(walks_get_seeds_of_their_own_and_the_time_of_an_item),
		cmocka_unit_test(what_is_complete_ends_the_hunt),
		cmocka_unit_test(a_list_is_worked_off_and_a_wrong_one_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
