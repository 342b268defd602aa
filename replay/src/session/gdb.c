/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program under gdb: gdb starts it through us (exec-wrapper), so that each `run` gets a fresh block with the
 * schedule. */
#include "gdb_script.h"
#include "session.h"
#include "vtb/argv.h"
#include "vtb/replay.h"
#include "vtb/blind_code.h"
#include "vtb/call_sites.h"
#include "vtb/starter.h"
#include "vtb/self.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRAPPER_MAX (4 * PATH_MAX)

/* 'text' for a shell. -E2BIG. */
static int quote(char *out, size_t size, size_t *at, const char *text)
{
	int n = snprintf(out + *at, size - *at, " '");

	for (*at += (size_t)n; *text && *at + 8 < size; text++)
		*at += (size_t)snprintf(out + *at, size - *at, *text == '\'' ? "'\\''" : "%c", *text);
	if (*at + 8 >= size)
		return -E2BIG;
	*at += (size_t)snprintf(out + *at, size - *at, "'");
	return 0;
}

/* "set exec-wrapper '/bin/vtb-replay' '--under-debugger' ... FILE --": gdb puts the program and its arguments behind
 * it. */
static int wrapper_command(const struct vtb_replay_opts *opts, char *out, size_t size)
{
	char file[PATH_MAX], number[64], tier[64];
	const char *self = vtb_self();
	size_t at = (size_t)snprintf(out, size, "set exec-wrapper");
	int r;

	if (!self || !realpath(opts->path, file))
		return self ? -errno : -ENOENT;
	snprintf(tier, sizeof(tier), "--tier=%s", vtb_tier_name(opts->runner.tier));
	snprintf(number, sizeof(number), "--schedule=%u", opts->schedule ? opts->schedule : 1);
	r = quote(out, size, &at, self);
	if (r >= 0)
		r = quote(out, size, &at, "--under-debugger");
	if (r >= 0)
		r = quote(out, size, &at, tier);
	if (r >= 0)
		r = quote(out, size, &at, number);
	if (r >= 0 && opts->runner.follow) {
		snprintf(number, sizeof(number), "--follow-children=%u", opts->runner.follow);
		r = quote(out, size, &at, number);
	}
	if (r >= 0 && opts->runner.keep_files)
		r = quote(out, size, &at, "--keep-files");
	if (r >= 0 && opts->runner.real_time)
		r = quote(out, size, &at, "--real-time");
	if (r >= 0)
		r = quote(out, size, &at, file);
	return r >= 0 ? quote(out, size, &at, "--") : r;
}

#define PASS_FAULTS "gdb.execute('handle SIGSEGV nostop noprint pass', to_string=True); "

/* May the runtime answer faults, by which instructions get hooks (runtime/hooks/blind_sites.c)? */
static bool answers_faults(const struct vtb_target *t)
{
	struct vtb_call_sites sites = { 0 };
	struct vtb_blind_code code = { 0 };
	bool answers;

	if (vtb_target_hooks_are_calls(t->hooks) && vtb_call_sites_find(t->image, &sites, NULL) >= 0 &&
	    vtb_blind_code_gets_hooks(&sites))
		vtb_blind_code_find(t->image, t->blind_reads, NULL, &code, NULL);
	answers = code.n_sites > 0;
	vtb_blind_code_fini(&code);
	vtb_call_sites_fini(&sites);
	return answers;
}

static int exec_gdb(char *wrapper, int script, char *const *argv, const struct vtb_target *t, struct vtb_error *err)
{
	const size_t n = vtb_argv_count(argv);
	char read_script[200];
	char *const before[] = { (char *)"gdb",    (char *)"-q", (char *)"-ex", wrapper,
		                 (char *)"-ex",    read_script,  (char *)"-ex", (char *)"python vtb_run()",
		                 (char *)"--args", t->path };
	const size_t n_before = sizeof(before) / sizeof(before[0]);
	char **line = calloc(n_before + n + 1, sizeof(*line));

	if (!line)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "%s", vtb_strerror(-ENOMEM));
	snprintf(read_script, sizeof(read_script), "python import os; %sexec(os.fdopen(%d).read(), globals())",
	         answers_faults(t) ? PASS_FAULTS : "", script);
	memcpy(line, before, sizeof(before));
	for (size_t i = 1; i < n; i++)
		line[n_before + i - 1] = argv[i];
	execvp("gdb", line);
	free(line);
	return vtb_error_set(err, -VTB_E_TOOL, "gdb", 0, "cannot be started: %s; is it installed?",
	                     vtb_strerror(-errno));
}

/* What gdb is to know, from a failure.json or a schedules.json. */
static int make_script(const struct vtb_replay_opts *opts, const struct vtb_schedules *file, struct vtb_error *err)
{
	struct vtb_failure failure;
	const bool is_failure = strcmp(opts->path, "-") && vtb_session_is_failure(opts->path);
	int r = is_failure ? vtb_failure_read(opts->path, &failure, err) : 0;

	if (r < 0)
		return r;
	r = vtb_gdb_script(file, opts->schedule ? opts->schedule - 1 : 0, is_failure ? &failure : NULL);
	if (is_failure)
		vtb_failure_fini(&failure);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "cannot write gdb's script: %s", vtb_strerror(r)) : r;
}

int vtb_replay_gdb(const struct vtb_replay_opts *opts, struct vtb_error *err)
{
	struct vtb_schedules file = { 0 };
	struct vtb_target target = { 0 };
	char wrapper[WRAPPER_MAX];
	char *const *argv = opts->argv ? vtb_starter_environment(opts->argv) : NULL;
	int script = -1, r = vtb_schedules_read(opts->path, &file, err);

	if (r < 0)
		return r;
	if (!opts->schedule && file.n_schedules != 1)
		r = vtb_error_set(err, -EINVAL, opts->path, 0, "has %zu schedules; choose one with --schedule",
		                  file.n_schedules);
	else if (!argv && !(file.argv && file.argv[0]))
		r = vtb_error_set(err, -EINVAL, opts->path, 0, "names no program; give one after --");
	if (r >= 0) /* before we go elsewhere: the file's name may be relative */
		r = script = make_script(opts, &file, err);
	if (r >= 0) {
		r = wrapper_command(opts, wrapper, sizeof(wrapper));
		if (r < 0)
			vtb_error_set(err, r, opts->path, 0, "cannot tell gdb how to start the program: %s",
			              vtb_strerror(r));
	}
	if (r >= 0 && !argv)
		r = vtb_consent_check(&opts->consent, opts->path, file.argv, file.cwd, err);
	if (r >= 0 && !argv) {
		argv = vtb_starter_environment(file.argv);
		if (file.cwd && file.cwd[0] && chdir(file.cwd) < 0)
			r = vtb_error_set(err, -errno, file.cwd, 0, "cannot go there: %s", vtb_strerror(-errno));
	}
	if (r >= 0)
		r = vtb_target_find(argv[0], NULL, &target, err);
	if (r >= 0)
		r = exec_gdb(wrapper, script, argv, &target, err);
	vtb_target_fini(&target);
	vtb_schedules_fini(&file);
	return r;
}
