/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines compare SEEDS PROGRAM: the default schedule, SEEDS random ones, and the replays of some of these by switches
 * alone, whole
 * and cut short, give the same trace by names, the same outcome and the same output on every setting.
 *
 * engines builds SEEDS PROGRAM PROGRAM: the default schedule and SEEDS random ones do the same operations, on the same
 * variables, with
 * the same values, in two builds of one source.
 */
#include "engines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/trace.h"

#define EXEC_RUNS 4u /* a process each: only some of the schedules */

/* A schedule and what it must come to. Thread ids are those of the reference's table. */
struct expectation {
	struct vtb_schedule schedule;
	char *text;
	char name[64];
};

struct list {
	struct expectation *items;
	size_t n;
};

static void expect(struct list *list, struct vtb_runner *reference, struct vtb_schedule s, struct vtb_exec *x)
{
	struct expectation *e;

	list->items = realloc(list->items, (list->n + 1) * sizeof(*e));
	if (!list->items)
		die("no memory");
	e = &list->items[list->n++];
	e->schedule = s;
	snprintf(e->name, sizeof(e->name), "%s %" PRIu64 ", %zu deviations",
	         s.policy == VTB_SCHEDULE_RANDOM ? "seed" : "switches", s.seed, s.n_deviations);
	run_one(reference, &s, x);
	e->text = describe(reference, x);
}

/* Every second random run is also replayed by its switches, which must lead through the same events. */
static void expect_replay(struct list *list, struct vtb_runner *reference, const struct vtb_exec *x, const char *text)
{
	struct vtb_schedule s;
	struct vtb_exec again;

	if (x->outcome.flags & (VTB_OUT_DIVERGED | VTB_OUT_TRUNCATED | VTB_OUT_HELD_BACK) ||
	    vtb_exec_schedule(x, &s) < 0)
		return;
	expect(list, reference, s, &again);
	if (!(again.outcome.flags & VTB_OUT_DIVERGED) && strcmp(list->items[list->n - 1].text, text))
		die("the replay of a random run differs from it:\n%s---\n%s", text, list->items[list->n - 1].text);
	vtb_exec_fini(&again);
}

/* The same again with its last switches left out: schedules one after the other that begin alike, as the strategies
 * post them. */
static void expect_shorter(struct list *list, struct vtb_runner *reference)
{
	const struct vtb_schedule *whole = &list->items[list->n - 1].schedule;
	size_t n = whole->n_deviations;

	for (int i = 0; i < 3 && n > 1; i++) {
		struct vtb_schedule s;
		struct vtb_exec x;

		if (vtb_schedule_copy(&list->items[list->n - 1].schedule, &s) < 0)
			die("no memory");
		n -= 1 + n / 4;
		s.n_deviations = n;
		expect(list, reference, s, &x);
		vtb_exec_fini(&x);
	}
}

static struct list make_list(struct vtb_runner *reference, uint64_t seeds)
{
	struct list list = { 0 };
	struct vtb_exec x;

	expect(&list, reference, (struct vtb_schedule){ 0 }, &x);
	vtb_exec_fini(&x);
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		char *text;

		expect(&list, reference, (struct vtb_schedule){ .policy = VTB_SCHEDULE_RANDOM, .seed = seed }, &x);
		text = list.items[list.n - 1].text;
		if (seed % 2) {
			expect_replay(&list, reference, &x, text);
			expect_shorter(&list, reference);
		}
		vtb_exec_fini(&x);
	}
	return list;
}

static uint32_t same_thread(const struct vtb_symtab *from, uint32_t thread, struct vtb_runner *runner)
{
	return (uint32_t)vtb_symtab_thread_by_path(runner->tab, vtb_thread_path(from, thread));
}

static struct vtb_schedule translate(const struct vtb_schedule *s, const struct vtb_symtab *from,
                                     struct vtb_runner *runner)
{
	struct vtb_schedule t;

	if (vtb_schedule_copy(s, &t) < 0)
		die("no memory");
	for (size_t i = 0; i < t.n_deviations; i++) {
		struct vtb_deviation *d = &t.deviations[i];

		d->after.thread = same_thread(from, d->after.thread, runner);
		d->var = VTB_NONE;
		if (d->kind == VTB_DEV_SWITCH || d->kind == VTB_DEV_SPURIOUS || d->kind == VTB_DEV_TIMEOUT)
			d->target = same_thread(from, d->target, runner);
	}
	return t;
}

static void show_difference(const char *a, const char *b)
{
	size_t line = 0, at = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '\n') {
			line++;
			at = i + 1;
		}
	printf("first difference in line %zu\n  - %.*s\n  + %.*s\n", line + 1, (int)strcspn(a + at, "\n"), a + at,
	       (int)strcspn(b + at, "\n"), b + at);
}

static int compare(const struct list *list, const struct vtb_runner *reference, const struct setting *setting,
                   char *const *argv)
{
	struct vtb_runner *runner = open_runner(setting, argv, 0);
	const size_t step = setting->engine == VTB_ENGINE_EXEC && list->n > EXEC_RUNS ? list->n / EXEC_RUNS : 1;
	int bad = 0;

	for (size_t i = 0; i < list->n; i += step) {
		struct vtb_schedule s = translate(&list->items[i].schedule, reference->tab, runner);
		struct vtb_exec x;
		char *text;

		run_one(runner, &s, &x);
		text = describe(runner, &x);
		if (strcmp(text, list->items[i].text) && !bad++) {
			printf("%s and %s differ (%s)\n", settings[0].name, setting->name, list->items[i].name);
			show_difference(list->items[i].text, text);
		}
		free(text);
		vtb_exec_fini(&x);
		vtb_schedule_fini(&s);
	}
	if (!still_on(runner, setting))
		printf("note: %s left its engine because of a system call\n", setting->name);
	vtb_runner_free(runner);
	return bad != 0;
}

int command_compare(int argc, char **argv)
{
	struct vtb_runner *reference;
	struct list list;
	int bad = 0;

	if (argc < 2)
		die("usage: engines compare SEEDS PROGRAM");
	reference = open_whole(&settings[0], argv + 1);
	list = make_list(reference, strtoull(argv[0], NULL, 10));
	for (size_t i = 1; i < n_settings; i++)
		bad |= can_be(&settings[i]) && compare(&list, reference, &settings[i], argv + 1);
	for (size_t i = 0; i < list.n; i++) {
		vtb_schedule_fini(&list.items[i].schedule);
		free(list.items[i].text);
	}
	free(list.items);
	vtb_runner_free(reference);
	return bad;
}

static char *operations(struct vtb_runner *runner, uint64_t seed)
{
	const struct vtb_schedule s =
	    seed ? (struct vtb_schedule){ .policy = VTB_SCHEDULE_RANDOM, .seed = seed } : (struct vtb_schedule){ 0 };
	struct vtb_exec x;
	char *text;

	run_one(runner, &s, &x);
	text = describe_operations(runner, &x);
	vtb_exec_fini(&x);
	return text;
}

int command_builds(int argc, char **argv)
{
	struct vtb_runner *a, *b;
	int bad = 0;

	if (argc != 3)
		die("usage: engines builds SEEDS PROGRAM PROGRAM");
	a = open_runner(&settings[0], (char *[]){ argv[1], NULL }, 0);
	b = open_runner(&settings[0], (char *[]){ argv[2], NULL }, 0);
	for (uint64_t seed = 0; seed <= strtoull(argv[0], NULL, 10) && !bad; seed++) {
		char *of_a = operations(a, seed), *of_b = operations(b, seed);

		if (strcmp(of_a, of_b)) {
			bad = 1;
			printf("%s and %s differ (seed %" PRIu64 ")\n", argv[1], argv[2], seed);
			show_difference(of_a, of_b);
		}
		free(of_a);
		free(of_b);
	}
	vtb_runner_free(a);
	vtb_runner_free(b);
	return bad;
}
