/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hunt_junit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/hunt_report.h"

/* Those that were written down. A finding without a file has its trouble told by the hunt. */
static int read_failures(const struct vtb_hunt_result *result, struct vtb_failure *failures, size_t *n,
                         struct vtb_error *err)
{
	int r = 0;

	for (size_t i = 0; i < result->n_findings && r >= 0; i++) {
		if (!result->findings[i].failure_path)
			continue;
		r = vtb_failure_read(result->findings[i].failure_path, &failures[*n], err);
		*n += r >= 0;
	}
	return r;
}

static int add_findings(struct vtb_junit *j, const char *name, const struct vtb_hunt_result *result,
                        struct vtb_error *err)
{
	struct vtb_failure *failures = calloc(result->n_findings, sizeof(*failures));
	size_t n = 0;
	int r = failures ? read_failures(result, failures, &n, err) : -ENOMEM;

	if (r >= 0 && n)
		r = vtb_junit_failed(j, name, result->facts.seconds, failures, n);
	else if (r >= 0)
		vtb_junit_ended(j, name, result->facts.seconds, VTB_JUNIT_TROUBLE,
		                "a failure was found, and its file could not be written");
	for (size_t i = 0; i < n; i++)
		vtb_failure_fini(&failures[i]);
	free(failures);
	return r;
}

/* The program behind `env NAME=VALUE ...`. */
static const char *program_of(char *const *argv)
{
	char *const *word = argv;

	if (strcmp(*word, "env") == 0)
		for (word++; *word && strchr(*word, '=');)
			word++;
	return *word ? *word : *argv;
}

/* The statement, and what nobody is to overlook although it is no failure. */
static void add_ended(struct vtb_junit *j, const char *name, const struct vtb_hunt_result *result)
{
	const bool passed = vtb_hunt_exit_code(result) == 0;
	char words[12288];
	size_t n;

	vtb_hunt_statement(result, words, sizeof(words));
	for (size_t i = 0; i < result->warnings.n_suspicions && (n = strlen(words)) < sizeof(words); i++)
		snprintf(words + n, sizeof(words) - n, "%swarning: %s", passed ? "\n" : " ",
		         result->warnings.suspicions[i].text);
	vtb_junit_ended(j, name, result->facts.seconds, passed ? VTB_JUNIT_PASSED : VTB_JUNIT_NOTHING, words);
}

int vtb_hunt_junit_add(struct vtb_junit *j, const char *name, const struct vtb_hunt_result *result, const char *why,
                       struct vtb_error *err)
{
	if (!name)
		name = result && result->argv && result->argv[0] ? program_of(result->argv) : "program";
	if (result && result->n_findings)
		return add_findings(j, name, result, err);
	if (!result)
		vtb_junit_ended(j, name, 0, VTB_JUNIT_TROUBLE, why);
	else
		add_ended(j, name, result);
	return 0;
}

int vtb_hunt_junit_write(const char *path, const struct vtb_hunt_result *result, struct vtb_error *err)
{
	struct vtb_junit junit;
	int r = vtb_junit_begin(&junit);

	if (r >= 0)
		r = vtb_hunt_junit_add(&junit, NULL, result, NULL, err);
	if (r >= 0)
		r = vtb_junit_write(&junit, path, err);
	vtb_junit_fini(&junit);
	return r;
}
