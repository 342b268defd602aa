/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/resume.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state_file.h"
#include "vtb/argv.h"
#include "vtb/self.h"

#define OWN_OPTIONS 12 /* words of ours, at most */

/* Variables that runs depend on, as they were. */
static int set_environment(const struct vtb_state_file *s)
{
	int r = 0;

	for (size_t i = 0; i < s->n_facts && r >= 0; i++) {
		const char *name = s->facts[i].name;

		if (*name != '$')
			continue;
		r = *s->facts[i].value ? setenv(name + 1, s->facts[i].value, 1) : unsetenv(name + 1);
	}
	return r < 0 ? -errno : 0;
}

static void add_own(char **words, size_t *n, const struct vtb_resume_opts *opts, char *state, char *seconds)
{
	static char *const colors[] = { NULL, "--color=always", "--color=never" };

	words[(*n)++] = state;
	if (opts->seconds > 0)
		words[(*n)++] = seconds;
	if (opts->quiet)
		words[(*n)++] = "--quiet";
	if (opts->json)
		words[(*n)++] = "--json";
	for (int i = 0; i < opts->verbose && i < 3; i++)
		words[(*n)++] = "--verbose";
	if (colors[opts->color])
		words[(*n)++] = colors[opts->color];
	words[(*n)++] = "--";
}

/* vtb-hunt OPTIONS OURS -- PROGRAM ARGS */
static int become_hunt(const struct vtb_state_file *s, const struct vtb_resume_opts *opts, const char *dir,
                       struct vtb_error *err)
{
	const size_t n_options = vtb_argv_count(s->options), n_argv = vtb_argv_count(s->argv);
	char **words = calloc(n_options + n_argv + OWN_OPTIONS + 2, sizeof(*words));
	char path[PATH_MAX], state[PATH_MAX + 16], seconds[64];
	size_t n = 0;

	snprintf(state, sizeof(state), "--state=%s", dir);
	snprintf(seconds, sizeof(seconds), "--time=%.17g", opts->seconds);
	if (!words || !vtb_self_beside("vtb-hunt", path)) {
		free(words);
		return vtb_error_set(err, words ? -VTB_E_TOOL : -ENOMEM, NULL, 0, "vtb-hunt cannot be found");
	}
	words[n++] = "vtb-hunt";
	for (size_t i = 0; i < n_options; i++)
		words[n++] = s->options[i];
	add_own(words, &n, opts, state, seconds);
	for (size_t i = 0; i < n_argv; i++)
		words[n++] = s->argv[i];
	execv(path, words);
	free(words);
	return vtb_error_set(err, -VTB_E_TOOL, path, 0, "cannot be started: %s", strerror(errno));
}

static int read_state(const char *dir, struct vtb_state_file *ret, struct vtb_error *err)
{
	char *path;
	int r;

	if (asprintf(&path, "%s/state.json", dir) < 0)
		return -ENOMEM;
	r = access(path, F_OK) < 0 ? vtb_error_set(err, -errno, path, 0,
	                                           "no hunt is kept there (vtb hunt --state=DIR): %s", strerror(errno))
	                           : vtb_state_read(path, ret, err);
	free(path);
	return r;
}

/* A state that lies where we left it names our own command. */
static int check_consent(const struct vtb_state_file *s, const struct vtb_resume_opts *opts, struct vtb_error *err)
{
	char *writer = vtb_state_writer();
	int r = writer ? 0 : -ENOMEM;

	if (writer && (!*writer || strcmp(writer, s->writer)))
		r = vtb_consent_check(&opts->consent, opts->dir, s->argv, s->cwd, err);
	free(writer);
	return r;
}

int vtb_resume(const struct vtb_resume_opts *opts, struct vtb_error *err)
{
	struct vtb_state_file s = { 0 };
	char dir[PATH_MAX];
	int r = read_state(opts->dir, &s, err);

	if (r < 0)
		return r;
	r = check_consent(&s, opts, err);
	if (r >= 0 && !realpath(opts->dir, dir))
		r = vtb_error_set(err, -errno, opts->dir, 0, "%s", strerror(errno));
	else if (r >= 0 && chdir(s.cwd) < 0)
		r = vtb_error_set(err, -errno, s.cwd, 0, "the hunt's directory: %s", strerror(errno));
	if (r >= 0)
		r = set_environment(&s);
	if (r >= 0)
		r = become_hunt(&s, opts, dir, err);
	vtb_state_fini(&s);
	return r;
}
