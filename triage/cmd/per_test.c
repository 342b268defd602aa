/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "per_test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "progress.h"
#include "vtb/hunt_junit.h"
#include "vtb/hunt_report.h"
#include "vtb/hunt_tests.h"
#include "vtb/json.h"

#define TESTS_VERSION 1u

struct test_case;

struct printing {
	const struct vtb_cli *cli;
	struct vtb_json_writer json;
	struct vtb_report_style style;
	struct test_case *cases; /* for JUnit, one a test; NULL: none is asked for */
	int trouble;             /* of that */
	struct vtb_error err;
};

/* What JUnit says of one test: the best that any round has shown. */
struct test_case {
	struct vtb_junit junit;
	bool told;
	int exit_code;
};

static int tell_case(struct printing *p, const struct vtb_hunt_tests *now)
{
	struct test_case *c = &p->cases[now->number - 1];
	const int code = now->result ? vtb_hunt_exit_code(now->result) : 3;
	int r;

	if (c->told && code != 1 && (code != 0 || c->exit_code != 3))
		return 0;
	vtb_junit_fini(&c->junit);
	r = vtb_junit_begin(&c->junit);
	if (r >= 0)
		r = vtb_hunt_junit_add(&c->junit, now->test->name, now->result, now->err->text, &p->err);
	c->told = true;
	c->exit_code = code;
	return r;
}

/* All of them, in one suite. */
static int write_cases(struct printing *p, size_t n, const char *path)
{
	struct vtb_junit all;
	int r = p->trouble < 0 ? p->trouble : vtb_junit_begin(&all);

	if (r < 0)
		return r;
	for (size_t i = 0; r >= 0 && i < n; i++)
		if (p->cases[i].told)
			r = vtb_junit_join(&all, &p->cases[i].junit);
	if (r >= 0)
		r = vtb_junit_write(&all, path, &p->err);
	vtb_junit_fini(&all);
	return r;
}

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

	if (p->cases && p->trouble >= 0)
		p->trouble = tell_case(p, now);
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

	return vtb_test_list_of(opts->argv, opts->cwd, suite->names ? &choice : NULL, ret, err);
}

static int hunt(const struct vtb_hunt_opts *opts, const struct vtb_per_test *suite, struct vtb_test_list *list,
                struct printing *p, struct vtb_error *err)
{
	struct vtb_suite sum;
	int r, junit = 0;

	p->cases = suite->junit ? calloc(list->n_tests, sizeof(*p->cases)) : NULL;
	if (suite->junit && !p->cases)
		return -ENOMEM;
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
		junit = write_cases(p, list->n_tests, suite->junit);
	if (junit < 0)
		*err = p->err;
	for (size_t i = 0; p->cases && i < list->n_tests; i++)
		vtb_junit_fini(&p->cases[i].junit);
	free(p->cases);
	vtb_suite_fini(&sum);
	return junit < 0 ? junit : r;
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
	int r;

	if (suite->ctest)
		opts.argv = directory;
	r = list_tests(&opts, suite, &list, &err);
	if (r < 0)
		return vtb_cli_fail(r, &err);
	if (cli->json)
		begin_json(&p, &opts, &list);
	r = hunt(&opts, suite, &list, &p, &err);
	vtb_test_list_fini(&list);
	return r < 0 ? vtb_cli_fail(r, &err) : r;
}
