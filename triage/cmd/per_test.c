/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "per_test.h"

#include <stdio.h>

#include "progress.h"
#include "vtb/hunt_junit.h"
#include "vtb/hunt_report.h"
#include "vtb/hunt_tests.h"
#include "vtb/json.h"

#define TESTS_VERSION 1u

struct printing {
	const struct vtb_cli *cli;
	struct vtb_json_writer json;
	struct vtb_report_style style;
	bool junit;
	struct vtb_junit suite;
	int trouble; /* of the suite */
	struct vtb_error err;
};

static void print_json(struct printing *p, const struct vtb_hunt_tests *now)
{
	vtb_json_object(&p->json, NULL);
	vtb_json_string(&p->json, "name", now->test->name);
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

	if (p->junit && p->trouble >= 0)
		p->trouble = vtb_hunt_junit_add(&p->suite, now->test->name, now->result, now->err->text, &p->err);
	if (p->cli->json) {
		print_json(p, now);
		return;
	}
	text = vtb_cli_text(stdout);
	fprintf(text, "%s%s[%zu/%zu] %s%s%s", now->number > 1 && !p->cli->quiet ? "\n" : "",
	        vtb_style(p->style.colored, VTB_STYLE_BOLD), now->number, now->total, now->test->name,
	        vtb_style(p->style.colored, VTB_STYLE_PLAIN), p->cli->quiet ? ": " : "\n");
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

/* All tests were hunted. */
static int end_suite(struct printing *p, const char *path)
{
	if (p->trouble >= 0)
		p->trouble = vtb_junit_write(&p->suite, path, &p->err);
	vtb_junit_fini(&p->suite);
	return p->trouble;
}

int vtb_per_test(const struct vtb_cli *cli, const struct vtb_hunt_opts *opts, const char *junit)
{
	struct printing p = { .cli = cli,
		              .junit = junit,
		              .style = { .colored = vtb_cli_colored(cli, stdout),
		                         .width = vtb_progress_width(stdout),
		                         .whole_tables = !vtb_cli_width(stdout),
		                         .verbose = cli->verbose } };
	struct vtb_test_list list;
	struct vtb_error err = { 0 };
	int r = vtb_test_list_of(opts->argv, opts->cwd, &list, &err);

	if (r < 0)
		return vtb_cli_fail(r, &err);
	if (cli->json)
		begin_json(&p, opts, &list);
	if (junit)
		p.trouble = vtb_junit_begin(&p.suite);
	r = vtb_hunt_tests(opts, &list, print_one, &p);
	if (cli->json)
		vtb_json_finish(&p.json);
	vtb_test_list_fini(&list);
	if (junit && end_suite(&p, junit) < 0)
		return vtb_cli_fail(p.trouble, &p.err);
	return r < 0 ? vtb_cli_fail(r, NULL) : r;
}
