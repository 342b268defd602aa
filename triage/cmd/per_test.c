/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "per_test.h"

#include <stdio.h>

#include "lost_files.h"
#include "progress.h"
#include "test_cases.h"
#include "vtb/hunt_report.h"
#include "vtb/hunt_tests.h"
#include "vtb/json.h"

#define TESTS_VERSION 1u
#define LEAST_SECONDS 0.1

struct printing {
	const struct vtb_cli *cli;
	struct vtb_json_writer json;
	struct vtb_report_style style;
	struct vtb_test_cases cases;
};

static void print_json(struct printing *p, const struct vtb_hunt_tests *now)
{
	vtb_json_object(&p->json, NULL);
	vtb_json_string(&p->json, "name", now->test->name);
	vtb_json_u64(&p->json, "round", now->round);
	if (now->result)
		vtb_hunt_report_json_member(now->result, &p->json, "hunt");
	else
		vtb_json_null(&p->json, "hunt");
	vtb_json_string(&p->json, "trouble", now->result ? NULL : now->err->text);
	vtb_json_end(&p->json);
}

static void print_one(const struct vtb_hunt_tests *now, void *data)
{
	struct printing *p = data;
	FILE *text;

	if (p->cases.cases)
		vtb_test_cases_take(&p->cases, now);
	if (now->result && (p->cli->json || p->cli->quiet))
		lost_files_tell(now->result);
	if (p->cli->json) {
		print_json(p, now);
		return;
	}
	text = vtb_cli_text(stdout);
	fprintf(text, "%s%s[%zu/%zu] %s%s%s%s", now->number > 1 && !p->cli->quiet ? "\n" : "",
	        vtb_style(p->style.colored, VTB_STYLE_BOLD), now->number, now->total, now->test->name,
	        vtb_style(p->style.colored, VTB_STYLE_PLAIN), now->round > 1 ? " again" : "",
	        p->cli->quiet ? ": " : "\n");
	if (!now->result)
		fprintf(text, "%s\n", now->err->text);
	else if (p->cli->quiet)
		vtb_hunt_report_short(now->result, text);
	else
		vtb_hunt_report(now->result, &p->style, text);
	fclose(text);
}

static void begin_json(struct printing *p, const struct vtb_hunt_opts *opts, const struct vtb_test_list *list)
{
	vtb_json_begin(&p->json, stdout);
	vtb_json_object(&p->json, NULL);
	vtb_json_string(&p->json, "format", "vtb-hunt-tests");
	vtb_json_u64(&p->json, "version", TESTS_VERSION);
	vtb_json_string(&p->json, "program", opts->argv[0]);
	vtb_json_string(&p->json, "framework", list->framework);
	vtb_json_array(&p->json, "tests");
}

/* Its regular expression is ctest's own then. */
static int list_tests(const struct vtb_hunt_opts *opts, const struct vtb_per_test *suite, struct vtb_test_list *ret,
                      struct vtb_error *err)
{
	const struct vtb_test_choice choice = { .names = suite->ctest ? NULL : suite->names,
		                                .ctest_names = suite->ctest ? suite->names : NULL };
	const int r = vtb_test_list_of(opts->argv, opts->cwd, suite->names ? &choice : NULL, ret, err);

	if (r >= 0)
		vtb_test_list_shard(ret, suite->shard);
	return r;
}

static int hunt(const struct vtb_hunt_opts *opts, const struct vtb_per_test *suite, struct vtb_test_list *list,
                struct printing *p, struct vtb_error *err)
{
	struct vtb_suite sum = { 0 };
	int r = suite->junit ? vtb_test_cases_begin(&p->cases, list->n_tests) : 0, junit = 0;

	if (r >= 0)
		r = vtb_hunt_tests(opts, list, &sum, print_one, p);
	if (p->cli->json)
		vtb_json_finish(&p->json);
	if (r >= 0 && !p->cli->json) {
		FILE *text = vtb_cli_text(stdout);

		fputc('\n', text);
		vtb_suite_table(&sum, text);
		fclose(text);
	}
	if (r >= 0 && suite->junit)
		junit = vtb_test_cases_write(&p->cases, suite->junit, err);
	vtb_test_cases_fini(&p->cases);
	vtb_suite_fini(&sum);
	return junit < 0 ? junit : r;
}

/* What the tests' names took is of the same time. */
static double left_of(double seconds, double began)
{
	const double left = (seconds > 0 ? seconds : VTB_HUNT_TIME) - (vtb_stop_clock() - began);

	return left > LEAST_SECONDS ? left : LEAST_SECONDS;
}

int vtb_per_test(const struct vtb_cli *cli, const struct vtb_hunt_opts *all, const struct vtb_per_test *suite)
{
	struct printing p = { .cli = cli,
		              .style = { .colored = vtb_cli_colored(cli, stdout),
		                         .width = vtb_progress_width(stdout),
		                         .whole_tables = !vtb_cli_width(stdout),
		                         .verbose = cli->verbose } };
	char *const directory[] = { (char *)suite->ctest, NULL };
	struct vtb_hunt_opts opts = *all;
	struct vtb_test_list list;
	struct vtb_error err = { 0 };
	const double began = vtb_stop_clock();
	int r;

	if (suite->ctest)
		opts.argv = directory;
	r = list_tests(&opts, suite, &list, &err);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	opts.search.seconds = left_of(opts.search.seconds, began);
	if (cli->json)
		begin_json(&p, &opts, &list);
	r = hunt(&opts, suite, &list, &p, &err);
	vtb_test_list_fini(&list);
	return r < 0 ? vtb_cli_fail(r, &err) : r;
}
