/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "finding_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hunt_options.h"
#include "order_picture.h"
#include "out_dir.h"
#include "report_parts.h"
#include "vtb/argv.h"
#include "vtb/hunt_report.h"
#include "vtb/replay.h"

/* "DIR/name.ext", "DIR/name-2.ext" for the second finding. */
static char *file_name(const struct vtb_hunt_opts *opts, const char *name, const char *extension, size_t nth)
{
	const char *dir = opts->out_dir && strcmp(opts->out_dir, ".") ? opts->out_dir : "";
	char number[24] = "";
	char *path = NULL;

	if (nth)
		snprintf(number, sizeof(number), "-%zu", nth + 1);
	return asprintf(&path, "%s%s%s%s%s", dir, *dir && dir[strlen(dir) - 1] != '/' ? "/" : "", name, number,
	                extension) < 0
	           ? NULL
	           : path;
}

static char *replay_command(const char *failure_path)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs("vtb replay --run ", to);
	vtb_argv_put_word(to, failure_path);
	return fclose(to) == 0 ? text : NULL;
}

/* ---- failure.json */

static char *copy_text(const char *text, int *r)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		*r = -ENOMEM;
	return copy;
}

static int add_hunt(const struct vtb_hunt_result *result, const struct vtb_finding *f, struct vtb_failure *ret)
{
	char statement[8192];
	int r = 0;

	if (f->regardless)
		ret->verdict = VTB_V_REGARDLESS;
	ret->tuple = f->tuple;
	ret->tuple_known = !f->regardless;
	ret->confirmed = f->confirmed;
	ret->replay_command = copy_text(result->replay_command, &r);
	ret->statement = copy_text(vtb_hunt_statement(result, statement, sizeof(statement)), &r);
	ret->options = (struct vtb_tool_options){ .tier = copy_text(result->facts.tier, &r),
		                                  .engine = copy_text(result->facts.engine, &r),
		                                  .carrier = copy_text(result->facts.carrier, &r),
		                                  .strategy = copy_text(result->facts.strategy, &r),
		                                  .seed = result->facts.seed,
		                                  .real_time = result->facts.real_time,
		                                  .follow = result->facts.follow };
	if (f->variants)
		ret->variants = vtb_argv_copy(f->variants);
	if (f->variants && !ret->variants)
		r = -ENOMEM;
	ret->found = vtb_report_found(result, f);
	ret->found.test = copy_text(f->test, &r);
	if (r == 0 && result->facts.input)
		r = vtb_kept_input_copy(result->facts.input, &ret->input);
	if (r == 0)
		r = vtb_causes_copy(&f->causes, &ret->causes);
	for (size_t i = 0; r == 0 && i < result->suspects.n_suspicions; i++)
		r = vtb_suspicions_add(&ret->suspicions, &result->suspects.suspicions[i]);
	for (size_t i = 0; r == 0 && i < result->warnings.n_suspicions; i++)
		r = vtb_suspicions_add(&ret->warnings, &result->warnings.suspicions[i]);
	return r;
}

/* 0: from a run made for it; 1: from the one that was seen, since there was no time for another. */
static int fill(const struct vtb_hunt_result *result, const struct vtb_finding *f, struct vtb_failure *ret,
                struct vtb_error *err)
{
	const bool past = vtb_process_runner_past_misuse(result->runner, f->exec.outcome.verdict != VTB_V_MISUSE);
	int r = vtb_replay_failure(result->runner, &f->schedule, result->argv, ret, err);

	vtb_process_runner_past_misuse(result->runner, past);
	if (r != -ECANCELED || f->failure_path)
		return r;
	if (err)
		*err = (struct vtb_error){ 0 };
	r = vtb_replay_failure_seen(result->runner, &f->schedule, &f->exec, result->argv, ret, err);
	return r < 0 ? r : 1;
}

int vtb_finding_failure(const struct vtb_hunt_result *result, const struct vtb_finding *f, struct vtb_failure *ret,
                        struct vtb_error *err)
{
	int from, r;

	vtb_failure_init(ret);
	from = r = fill(result, f, ret, err);
	if (r >= 0) {
		r = add_hunt(result, f, ret);
		if (r < 0)
			vtb_error_set(err, r, NULL, 0, "cannot put the failure together");
	}
	if (r < 0)
		vtb_failure_fini(ret);
	return r < 0 ? r : from;
}

/* The files beside it, as far as they are there. */
/* What was a failure, for whoever replays it, from wherever. */
static int add_rule(const struct vtb_runner_opts *opts, struct vtb_tool_options *to)
{
	int r = 0;

	to->fail_if = copy_text(opts->fail_if, &r);
	if (opts->expect_output)
		to->expect_output = realpath(opts->expect_output, NULL);
	if (opts->expect_output && !to->expect_output) /* it is gone: a replay says so */
		to->expect_output = copy_text(opts->expect_output, &r);
	return r;
}

static int name_files(struct vtb_failure *failure, const char *dot, const char *svg)
{
	const char *const names[] = { svg, dot };
	size_t n = 0;

	for (size_t i = 0; failure->files && failure->files[i]; i++)
		free(failure->files[i]);
	free(failure->files);
	failure->files = calloc(3, sizeof(*failure->files));
	for (size_t i = 0; failure->files && i < 2; i++) {
		if (!names[i])
			continue;
		failure->files[n] = strdup(names[i]);
		if (!failure->files[n++])
			return -ENOMEM;
	}
	return failure->files ? 0 : -ENOMEM;
}

/* Reports show its stacks. Takes *failure over, which is empty then, or leaves it. */
static void keep_heap(struct vtb_finding *f, struct vtb_failure *failure)
{
	if (f->heap)
		vtb_failure_fini(f->heap);
	else
		f->heap = vtb_failure_has_heap(failure) ? malloc(sizeof(*f->heap)) : NULL;
	if (!f->heap || !vtb_failure_has_heap(failure))
		return;
	*f->heap = *failure;
	vtb_failure_init(failure);
}

/* failure.json, which names the pictures: it is written again if one is missing. Without pictures it names none. */
static int write_all(struct vtb_hunt *hunt, struct vtb_finding *f, const char *json, const char *dot, const char *svg,
                     bool pictures)
{
	struct vtb_failure failure;
	int r = vtb_finding_failure(hunt->result, f, &failure, hunt->err);

	if (r < 0)
		return r;
	if (r > 0 && asprintf(&f->trouble, "call stacks and output in %s: the time was over", json) < 0)
		f->trouble = NULL;
	r = add_rule(&hunt->opts->runner, &failure.options);
	if (r == 0)
		r = name_files(&failure, pictures ? dot : NULL, pictures ? svg : NULL);
	if (r == 0)
		r = vtb_failure_write(&failure, json, hunt->err);
	if (r == 0) {
		vtb_out_dir_drop(dot);
		vtb_out_dir_drop(svg);
	}
	if (r == 0 && pictures && !vtb_picture_write(&failure, json, dot, svg, f)) {
		r = name_files(&failure, f->dot_path, f->svg_path);
		if (r == 0)
			r = vtb_failure_write(&failure, json, hunt->err);
	}
	if (r == 0)
		keep_heap(f, &failure);
	vtb_failure_fini(&failure);
	return r;
}

/* The find is proved all the same, and is told; what an earlier call has written stays. */
static int note_trouble(struct vtb_hunt *hunt, struct vtb_finding *f, const char *path, int r)
{
	const char *why = hunt->err && hunt->err->text[0] ? hunt->err->text : vtb_strerror(r);

	if (r == -VTB_E_DIVERGED)
		why = "it did not fail again when it was to be written down";
	if (r == -ECANCELED)
		why = f->failure_path ? "the time was over, so there are no pictures, and the file is from before the "
		                        "search for a simpler order"
		                      : "the time was over";
	free(f->trouble);
	if (asprintf(&f->trouble, "%s: %s", path, why) < 0)
		f->trouble = NULL;
	if (hunt->err)
		*hunt->err = (struct vtb_error){ 0 };
	return f->trouble ? 0 : -ENOMEM;
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* All findings' files so far, with these. */
static uint64_t size_of_files(const struct vtb_hunt_result *result, const struct vtb_finding *f, const char *json)
{
	uint64_t all = size_of(json) + size_of(f->svg_path) + size_of(f->dot_path);

	for (const struct vtb_finding *other = result->findings; other < f; other++)
		all += size_of(other->failure_path) + size_of(other->svg_path) + size_of(other->dot_path);
	return all;
}

/* --max-disk: what does not fit does not stay. */
static int fit_disk(struct vtb_hunt *hunt, struct vtb_finding *f, const char *json)
{
	const uint64_t most = vtb_hunt_disk_shares(hunt->opts).findings;
	char **pictures[] = { &f->svg_path, &f->dot_path };

	if (!most || size_of_files(hunt->result, f, json) <= most)
		return 0;
	unlink(json);
	for (size_t i = 0; i < 2; i++) {
		if (*pictures[i])
			unlink(*pictures[i]);
		free(*pictures[i]);
		*pictures[i] = NULL;
	}
	free(f->failure_path);
	f->failure_path = NULL;
	return vtb_error_set(hunt->err, -EFBIG, json, 0, "--max-disk leaves no room for it");
}

/* What somebody else has put there stays, by another name. */
static int spare(struct vtb_hunt *hunt, const char *path)
{
	char now[4096];
	const int r = vtb_out_dir_spare(path, now, sizeof(now));

	if (r < 0)
		return vtb_error_set(hunt->err, r, path, 0, "is not of vtb, and cannot be renamed: %s", strerror(-r));
	if (r > 0)
		snprintf(hunt->result->spared, sizeof(hunt->result->spared), "%s", now);
	return 0;
}

static int write_one(struct vtb_hunt *hunt, struct vtb_finding *f, size_t nth, bool pictures)
{
	char *dot = file_name(hunt->opts, "order", ".dot", nth), *svg = file_name(hunt->opts, "order", ".svg", nth),
	     *json = file_name(hunt->opts, "failure", ".json", nth);
	int r = dot && svg && json ? 0 : -ENOMEM;

	if (r == 0 && nth == 0) {
		free(hunt->result->replay_command);
		hunt->result->replay_command = replay_command(json);
	}
	free(f->trouble);
	f->trouble = NULL;
	r = r < 0 ? r : spare(hunt, json);
	r = r < 0 || !pictures ? r : spare(hunt, dot);
	r = r < 0 || !pictures ? r : spare(hunt, svg);
	if (r == 0)
		r = write_all(hunt, f, json, dot, svg, pictures);
	if (r == 0)
		r = fit_disk(hunt, f, json);
	if (r < 0 && r != -ENOMEM && r != -EINTR) {
		r = note_trouble(hunt, f, json, r);
	} else if (r == 0) {
		free(f->failure_path);
		f->failure_path = json;
		json = NULL;
	}
	free(dot);
	free(svg);
	free(json);
	return r;
}

static int write_in_time(struct vtb_hunt *hunt, struct vtb_finding *f, bool pictures)
{
	struct vtb_keeper *const keeper = vtb_runner_only_make(hunt->runner);
	int r;

	hunt->stop.proving = true;
	r = write_one(hunt, f, (size_t)(f - hunt->result->findings), pictures);
	hunt->stop.proving = false;
	hunt->runner->keeper = keeper;
	return r;
}

int vtb_finding_file(struct vtb_hunt *hunt, struct vtb_finding *f)
{
	return write_in_time(hunt, f, false);
}

/* Numbers go by the tuple: with several, a file of an earlier number may be another finding's. */
static void forget_files(struct vtb_hunt_result *result)
{
	for (size_t i = 0; i < result->n_findings && result->n_findings > 1; i++) {
		free(result->findings[i].failure_path);
		result->findings[i].failure_path = NULL;
	}
}

int vtb_finding_files(struct vtb_hunt *hunt)
{
	struct vtb_hunt_result *result = hunt->result;
	int r = 0;

	forget_files(result);
	for (size_t i = 0; i < result->n_findings && r == 0; i++)
		r = write_in_time(hunt, &result->findings[i], true);
	if (result->n_findings && !result->findings[0].failure_path) {
		free(result->replay_command);
		result->replay_command = NULL;
	}
	return r;
}
