/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "finding_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "picture.h"
#include "stacks.h"
#include "vtb/hunt_report.h"
#include "vtb/ingest.h"

/* "DIR/name.ext", "DIR/name-2.ext" for the second finding. */
static char *file_name(const struct vtb_hunt_opts *opts, const char *name, const char *extension, size_t nth)
{
	const char *dir = opts->out_dir && strcmp(opts->out_dir, ".") ? opts->out_dir : "";
	char number[24] = "";
	char *path = NULL;

	if (nth)
		snprintf(number, sizeof(number), "-%zu", nth + 1);
	return asprintf(&path, "%s%s%s%s%s", dir, *dir && dir[strlen(dir) - 1] != '/' ? "/" : "", name, number, extension) < 0 ? NULL : path;
}

static bool plain(const char *word)
{
	return *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%") == strlen(word);
}

/* For a POSIX shell: in single quotes, a quote as '\''. */
static void quote(FILE *to, const char *word)
{
	if (plain(word)) {
		fputs(word, to);
		return;
	}
	fputc('\'', to);
	for (; *word; word++)
		*word == '\'' ? fputs("'\\''", to) : fputc(*word, to);
	fputc('\'', to);
}

static char *replay_command(const char *failure_path)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs("vtb replay ", to);
	quote(to, failure_path);
	return fclose(to) == 0 ? text : NULL;
}

/* ---- failure.json */

static int copy_words(char *const *argv, char ***ret)
{
	size_t n = 0;

	while (argv[n])
		n++;
	*ret = calloc(n + 1, sizeof(**ret));
	for (size_t i = 0; *ret && i < n; i++) {
		(*ret)[i] = strdup(argv[i]);
		if (!(*ret)[i])
			return -ENOMEM;
	}
	return *ret ? 0 : -ENOMEM;
}

static char *copy_text(const char *text, int *r)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		*r = -ENOMEM;
	return copy;
}

static char *directory(const char *cwd)
{
	char here[PATH_MAX];

	if (cwd && *cwd == '/')
		return strdup(cwd);
	if (cwd)
		return realpath(cwd, NULL);
	return getcwd(here, sizeof(here)) ? strdup(here) : NULL;
}

static int fill_failure(const struct vtb_hunt_result *result, const struct vtb_finding *f, const char *cwd, struct vtb_failure *ret)
{
	char statement[8192];
	int r = vtb_schedules_add(&ret->schedule, &f->schedule, result->runner->tab);

	if (r == 0)
		r = copy_words(result->argv, &ret->schedule.argv);
	if (r == 0)
		r = vtb_trace_from_exec(&f->exec, result->runner->tab, &ret->trace);
	if (r == 0)
		r = copy_words(result->argv, &ret->trace.argv);
	if (r < 0)
		return r;
	ret->schedule.cwd = directory(cwd);
	ret->trace.cwd = copy_text(ret->schedule.cwd, &r);
	ret->verdict = result->verdict == VTB_V_REGARDLESS ? VTB_V_REGARDLESS : f->exec.outcome.verdict;
	ret->signature = copy_text(f->exec.outcome.signature, &r);
	ret->tuple = f->tuple;
	ret->tuple_known = result->verdict != VTB_V_REGARDLESS;
	ret->confirmed = f->confirmed;
	ret->replay_command = copy_text(result->replay_command, &r);
	ret->statement = copy_text(vtb_hunt_statement(result, statement, sizeof(statement)), &r);
	ret->options = (struct vtb_tool_options){
		.tier = copy_text(result->facts.tier, &r), .engine = copy_text(result->facts.engine, &r), .carrier = copy_text(result->facts.carrier, &r),
		.strategy = copy_text(result->facts.strategy, &r), .seed = result->facts.seed};
	return r;
}

int vtb_finding_failure(const struct vtb_hunt_result *result, const struct vtb_finding *f, const char *cwd, struct vtb_failure *ret, struct vtb_error *err)
{
	int r;

	vtb_failure_init(ret);
	r = fill_failure(result, f, cwd, ret);
	if (r < 0) {
		vtb_failure_fini(ret);
		return vtb_error_set(err, r, NULL, 0, "cannot put the failure together: %s", vtb_strerror(r));
	}
	return 0;
}

static void name_files(struct vtb_failure *failure, const struct vtb_finding *f)
{
	char **files = calloc(3, sizeof(*files));
	size_t n = 0;

	if (!files)
		return; /* a convenience only */
	if (f->dot_path)
		files[n++] = strdup(f->dot_path);
	if (f->svg_path && n < 2 && (n == 0 || files[0]))
		files[n] = strdup(f->svg_path);
	failure->files = files;
}

static int write_one(struct vtb_hunt *hunt, struct vtb_finding *f, size_t nth)
{
	struct vtb_failure failure;
	char *dot = file_name(hunt->opts, "order", ".dot", nth), *svg = file_name(hunt->opts, "order", ".svg", nth);
	int r = vtb_finding_failure(hunt->result, f, hunt->opts->cwd, &failure, hunt->err);

	if (r < 0)
		goto out;
	vtb_stacks_of_last_switch(hunt->runner, f, &failure);
	if (dot && svg)
		vtb_picture_write(&failure, dot, svg, f);
	name_files(&failure, f);
	r = vtb_failure_write(&failure, f->failure_path, hunt->err);
	vtb_failure_fini(&failure);
out:
	free(dot);
	free(svg);
	return r;
}

int vtb_finding_files(struct vtb_hunt *hunt)
{
	struct vtb_hunt_result *result = hunt->result;
	int r = 0;

	for (size_t i = 0; i < result->n_findings && r == 0; i++) {
		result->findings[i].failure_path = file_name(hunt->opts, "failure", ".json", i);
		if (!result->findings[i].failure_path)
			return -ENOMEM;
		if (i == 0)
			result->replay_command = replay_command(result->findings[i].failure_path);
		r = write_one(hunt, &result->findings[i], i);
	}
	return r;
}
