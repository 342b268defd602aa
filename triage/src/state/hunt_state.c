/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt_state.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hunt_options.h"
#include "out_dir.h"
#include "state_file.h"
#include "vtb/argv.h"

#define LEAST_LEFT 0.2 /* seconds that a hunt has after all that it has run before */

/* ---- the clock */

static void now(void *data, struct vtb_kept_facts *ret)
{
	const struct vtb_hunt_state *state = data;
	struct vtb_process_info info;

	vtb_process_runner_info(state->hunt->runner, &info);
	*ret = (struct vtb_kept_facts){ .seconds = vtb_hunt_now() - state->hunt->start,
		                        .uncontrolled = info.uncontrolled | state->before.uncontrolled,
		                        .cross_checked = info.cross_checked + state->before.cross_checked };
}

/* Set the clock to the moment at which the run was made. */
static void then(void *data, const struct vtb_kept_facts *facts)
{
	struct vtb_hunt_state *state = data;
	struct vtb_hunt *hunt = state->hunt;
	const double most = vtb_hunt_seconds(hunt->opts) - LEAST_LEFT;
	const double at = facts->seconds < most ? facts->seconds : most > 0 ? most : 0;
	const double shift = vtb_hunt_now() - at - hunt->start;

	state->before = *facts;
	hunt->before = *facts;
	hunt->start += shift;
	hunt->deadline += shift;
	hunt->stop.deadline += shift;
	hunt->shift += shift;
}

/* ---- the directory */

static char *path_in(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

/* What the hunt is: in an order in which the first difference says most. */
static int describe(const struct vtb_hunt *hunt, struct vtb_state_file *s)
{
	const struct vtb_hunt_opts *opts = hunt->opts;
	char cwd[PATH_MAX] = "", *line = NULL;
	struct vtb_process_info info;
	size_t size;
	FILE *to = open_memstream(&line, &size);
	int r = to ? 0 : -ENOMEM;

	for (size_t i = 0; to && hunt->result->argv[i]; i++) {
		fputs(i ? " " : "", to);
		vtb_argv_put_word(to, hunt->result->argv[i]);
	}
	if (to && fclose(to) != 0)
		r = -ENOMEM;
	vtb_process_runner_info(hunt->runner, &info);
	if (r >= 0)
		r = vtb_state_fact(s, "the command", line);
	free(line);
	if (r >= 0 && getcwd(cwd, sizeof(cwd)))
		r = vtb_state_fact(s, "the directory", cwd);
	s->cwd = strdup(cwd);
	s->writer = vtb_state_writer();
	s->options = vtb_argv_copy(opts->state_options);
	s->argv = vtb_argv_copy(opts->state_argv);
	if (r >= 0 && (!s->cwd || !s->writer || !s->options || !s->argv))
		r = -ENOMEM;
	if (r >= 0)
		r = vtb_state_add_builds(s, info.target->image, hunt->err);
	return r < 0 ? r : vtb_state_add_runner(s, &opts->runner, hunt->err);
}

static int check_old(const struct vtb_state_file *s, const char *path, struct vtb_error *err)
{
	struct vtb_state_file old = { 0 };
	int r;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	r = vtb_state_read(path, &old, err);
	if (r >= 0)
		r = vtb_state_compare(s, &old, path, err);
	vtb_state_fini(&old);
	return r;
}

static int make_directory(const char *dir, struct vtb_error *err)
{
	int r = vtb_out_dir_make(dir, err);

	return r < 0 || access(dir, W_OK | X_OK) == 0
	           ? r
	           : vtb_error_set(err, -errno, dir, 0, "--state: not a directory that can be written to: %s",
	                           strerror(errno));
}

/* state.json is written when runs.vtb is ours. */
static int open_files(struct vtb_hunt_state *state, const char *json, const char *runs)
{
	struct vtb_hunt *hunt = state->hunt;
	struct vtb_state_file s = { 0 };
	struct vtb_kept_opts opts = { .path = runs,
		                      .max_bytes = vtb_hunt_disk_shares(hunt->opts).state,
		                      .now = now,
		                      .then = then,
		                      .data = state };
	int r = describe(hunt, &s);

	if (r >= 0)
		r = check_old(&s, json, hunt->err);
	opts.identity = vtb_state_identity(&s);
	if (r >= 0)
		r = vtb_kept_open(&opts, &state->kept, hunt->err);
	if (r >= 0)
		r = vtb_state_write(&s, json, hunt->err);
	vtb_state_fini(&s);
	return r;
}

int vtb_hunt_state_begin(struct vtb_hunt_state *state, struct vtb_hunt *hunt)
{
	const char *dir = hunt->opts->state_dir;
	char *json, *runs;
	int r;

	*state = (struct vtb_hunt_state){ .hunt = hunt };
	if (!dir)
		return 0;
	json = path_in(dir, "state.json");
	runs = path_in(dir, "runs.vtb");
	r = json && runs ? make_directory(dir, hunt->err) : -ENOMEM;
	if (r >= 0)
		r = open_files(state, json, runs);
	if (r == -ENOMEM)
		vtb_error_set(hunt->err, r, dir, 0, "%s", vtb_strerror(r));
	free(json);
	free(runs);
	if (r >= 0)
		vtb_kept_begin(state->kept, hunt->runner);
	return r;
}

/* ---- the end */

/* Would a hunt that goes on come to something else? */
static bool is_open(const struct vtb_hunt_facts *facts)
{
	static const char *const open[] = { "interrupt", "time", "memory", "budget" };

	for (size_t i = 0; facts->stopped && i < sizeof(open) / sizeof(*open); i++)
		if (!strcmp(facts->stopped, open[i]))
			return true;
	return false;
}

static int remove_file(const char *dir, const char *name, struct vtb_error *err)
{
	char *path = path_in(dir, name);
	int r = path ? 0 : -ENOMEM;

	if (path && unlink(path) < 0 && errno != ENOENT)
		r = vtb_error_set(err, -errno, path, 0, "cannot be removed: %s", strerror(errno));
	free(path);
	return r;
}

/* What else lies there is not ours. */
static int remove_state(const char *dir, struct vtb_error *err)
{
	int r = remove_file(dir, "runs.vtb", err);

	if (r >= 0)
		r = remove_file(dir, "state.json", err);
	if (r >= 0)
		rmdir(dir);
	return r;
}

int vtb_hunt_state_end(struct vtb_hunt_state *state)
{
	struct vtb_hunt_facts *facts = &state->hunt->result->facts;
	struct vtb_kept_stats stats;

	if (!state->kept)
		return 0;
	vtb_kept_end(state->kept);
	vtb_kept_stats(state->kept, &stats);
	facts->state = (struct vtb_hunt_state_facts){ .dir = state->hunt->opts->state_dir,
		                                      .answered = stats.answered,
		                                      .made_again = stats.made_again,
		                                      .added = stats.added,
		                                      .bytes = stats.bytes,
		                                      .full = stats.full,
		                                      .open = is_open(facts) };
	snprintf(facts->state.trouble, sizeof(facts->state.trouble), "%s", stats.trouble ? stats.trouble : "");
	if (!state->hunt->opts->keep_failures || facts->state.open)
		return 0;
	facts->state.removed = true;
	return remove_state(state->hunt->opts->state_dir, state->hunt->err);
}

void vtb_hunt_state_fini(struct vtb_hunt_state *state)
{
	if (state->hunt && state->hunt->runner)
		state->hunt->runner->keeper = NULL;
	vtb_kept_free(state->kept);
	*state = (struct vtb_hunt_state){ 0 };
}
