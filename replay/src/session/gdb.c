/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program under gdb: gdb starts it through us (exec-wrapper), so that each `run` gets a fresh block with the
 * schedule. */
#include "vtb/argv.h"
#include "vtb/replay.h"
#include "vtb/starter.h"

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
	char self[PATH_MAX], file[PATH_MAX], number[64], tier[64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t at = (size_t)snprintf(out, size, "set exec-wrapper");
	int r;

	if (n < 0 || !realpath(opts->path, file))
		return -errno;
	self[n] = 0;
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

static int exec_gdb(char *wrapper, char *const *argv, const char *path, struct vtb_error *err)
{
	/* the runtime ends a failing run there: the stack is the failure's */
	static const char *const settings[] = { "set breakpoint pending on", "break vtb_failure_end",
		                                "set breakpoint pending auto" };
	size_t n = vtb_argv_count(argv), k = 0;
	char **line;

	line = calloc(n + 16, sizeof(*line));
	if (!line)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "%s", vtb_strerror(-ENOMEM));
	line[k++] = (char *)"gdb";
	line[k++] = (char *)"-q";
	line[k++] = (char *)"-ex";
	line[k++] = wrapper;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		line[k++] = (char *)"-ex";
		line[k++] = (char *)settings[i];
	}
	line[k++] = (char *)"--args";
	line[k++] = (char *)path;
	for (size_t i = 1; i < n; i++)
		line[k++] = argv[i];
	execvp("gdb", line);
	free(line);
	return vtb_error_set(err, -VTB_E_TOOL, "gdb", 0, "cannot be started: %s; is it installed?",
	                     vtb_strerror(-errno));
}

int vtb_replay_gdb(const struct vtb_replay_opts *opts, struct vtb_error *err)
{
	struct vtb_schedules file = { 0 };
	struct vtb_target target = { 0 };
	char wrapper[WRAPPER_MAX];
	char *const *argv = opts->argv ? vtb_starter_environment(opts->argv) : NULL;
	int r = vtb_schedules_read(opts->path, &file, err);

	if (r < 0)
		return r;
	if (!opts->schedule && file.n_schedules != 1)
		r = vtb_error_set(err, -EINVAL, opts->path, 0, "has %zu schedules; choose one with --schedule",
		                  file.n_schedules);
	else if (!argv && !(file.argv && file.argv[0]))
		r = vtb_error_set(err, -EINVAL, opts->path, 0, "names no program; give one after --");
	if (r >= 0) { /* before we go elsewhere: the file's name may be relative */
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
		r = exec_gdb(wrapper, argv, target.path, err);
	vtb_target_fini(&target);
	vtb_schedules_fini(&file);
	return r;
}
