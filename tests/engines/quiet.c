/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines quiet PROGRAM: with every second site of plain accesses quiet, the default schedule leads through the same
 * events but theirs, to the
 * same outcome; then all are back.
 */
#include "engines.h"

#include <stdio.h>
#include <string.h>

#include "vtb/trace.h"

static bool is_plain(const struct vtb_event *e)
{
	return (e->kind == VTB_E_READ || e->kind == VTB_E_WRITE) && e->site != VTB_NONE && e->size && e->size <= 16;
}

/* Every second site from which plain accesses and nothing else came. */
static size_t choose(const struct vtb_runner *runner, const struct vtb_exec *x, uint8_t *quiet)
{
	size_t n = 0;

	memset(quiet, 0, runner->tab->n_sites);
	for (size_t i = 0; i < x->n_events; i++)
		if (is_plain(&x->events[i]))
			quiet[x->events[i].site] = 1;
	for (size_t i = 0; i < x->n_events; i++)
		if (!is_plain(&x->events[i]) && x->events[i].site != VTB_NONE)
			quiet[x->events[i].site] = 0;
	for (size_t i = 0; i < runner->tab->n_sites; i++)
		if (quiet[i])
			quiet[i] = n++ % 2 == 0;
	return (n + 1) / 2;
}

/* The text without the lines of the events that nobody was to see; a return to nowhere keeps its own. */
static char *without(const struct vtb_exec *x, const char *text, const uint8_t *quiet)
{
	char *out = calloc(1, strlen(text) + 1), *to = out;
	size_t i = 0;

	if (!out)
		die("no memory");
	for (const char *line = text, *next; *line; line = next, i++) {
		next = strchr(line, '\n') + 1;
		if (i < x->n_events && is_plain(&x->events[i]) && quiet[x->events[i].site])
			continue;
		memcpy(to, line, (size_t)(next - line));
		to += next - line;
	}
	return out;
}

/* The number of points is in the last line, and is another one. */
static void cut_points(char *text)
{
	char *points = strstr(text, " points ");

	if (points)
		*points = 0;
}

static int try_on(const struct setting *setting, char *const *argv)
{
	struct vtb_runner *runner = open_runner(setting, argv, 0);
	const struct vtb_schedule s = { 0 };
	struct vtb_exec all, some, again;
	char *all_text, *some_text, *again_text, *expected;
	uint8_t *quiet;
	int64_t n;
	int bad = 0;

	run_one(runner, &s, &all);
	all_text = describe(runner, &all);
	quiet = calloc(runner->tab->n_sites + 1, 1);
	if (!quiet)
		die("no memory");
	if (!choose(runner, &all, quiet))
		die("%s makes no plain access", argv[0]);
	n = vtb_runner_quiet(runner, quiet, runner->tab->n_sites);
	if (n <= 0)
		die("%s: nothing could be made quiet", setting->name);
	run_one(runner, &s, &some);
	some_text = describe(runner, &some);
	expected = without(&all, all_text, quiet);
	cut_points(expected);
	cut_points(some_text);
	if (some.n_events >= all.n_events || strcmp(expected, some_text))
		bad = printf("%s, %zu events, quiet %zu, expected:\n%s\n--- got:\n%s\n", setting->name, all.n_events,
		             some.n_events, expected, some_text);
	vtb_runner_quiet(runner, NULL, 0);
	run_one(runner, &s, &again);
	again_text = describe(runner, &again);
	if (strcmp(all_text, again_text))
		bad = printf("%s: not as before:\n%s\n--- got:\n%s\n", setting->name, all_text, again_text);
	free(all_text);
	free(some_text);
	free(again_text);
	free(expected);
	free(quiet);
	vtb_exec_fini(&all);
	vtb_exec_fini(&some);
	vtb_exec_fini(&again);
	vtb_runner_free(runner);
	return bad != 0;
}

int command_quiet(int argc, char **argv)
{
	static const char *const names[] = { "snapshot-scan", "snapshot-copy", "forkserver-fibers", "exec-threads" };
	int bad = 0;

	if (argc < 1)
		die("usage: engines quiet PROGRAM");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		bad |= try_on(setting_by_name(names[i]), argv);
	return bad;
}
