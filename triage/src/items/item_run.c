/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One item is one hunt, bounded by what the item says, of which nothing is written and nothing made simpler. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "item_options.h"
#include "vtb/argv.h"
#include "vtb/array.h"
#include "vtb/items.h"
#include "vtb/map64.h"

struct running {
	const struct vtb_item *item;
	struct vtb_item_result *result;
	struct vtb_map64 classes;
	bool cut; /* not all classes have been kept */
};

/* ---- is it that program? */

static int say(struct vtb_item_result *result, enum vtb_item_state state, const char *text)
{
	free(result->why);
	result->state = state;
	result->why = strdup(text);
	return result->why ? 1 : -ENOMEM;
}

/* The module that is another one here: it was asked for by name, and has another build-id. */
static const char *other_module(const struct vtb_symtab *from, const struct vtb_symtab *now)
{
	for (size_t i = 0; i < from->n_modules; i++)
		for (size_t k = 0; k < now->n_modules; k++)
			if (strcmp(from->modules[i].path, now->modules[k].path) == 0 &&
			    (from->modules[i].build_id_size != now->modules[k].build_id_size ||
			     memcmp(from->modules[i].build_id, now->modules[k].build_id,
			            from->modules[i].build_id_size)))
				return from->modules[i].path;
	return "one of its modules";
}

static int note_class(const struct vtb_exec *x, const struct vtb_symtab *tab, void *data)
{
	struct running *run = data;
	uint64_t class;
	int r = vtb_item_class(x, tab, &class);

	run->cut |= run->classes.n >= VTB_ITEM_CLASSES_MAX;
	return r < 0 || run->cut ? r : vtb_map64_set(&run->classes, class, 1);
}

static int check_program(const struct vtb_exec *first, const struct vtb_symtab *tab, void *data)
{
	struct running *run = data;
	const struct vtb_symtab *wanted = &run->item->target.tab;
	char text[700];
	uint64_t class;
	int r = vtb_item_class(first, tab, &class);

	if (r < 0)
		return r;
	if (vtb_replay_build(wanted, tab) != VTB_BUILD_SAME && wanted->n_modules) {
		snprintf(text, sizeof(text), "the program is another build here: the build-id of %.400s is another",
		         other_module(wanted, tab));
		return say(run->result, VTB_ITEM_REFUSED, text);
	}
	if (class != run->item->first)
		return say(run->result, VTB_ITEM_REFUSED,
		           "the program does something else here: the run of the default schedule is of another class");
	return note_class(first, tab, data);
}

/* ---- what it shows */

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int take_classes(struct running *run)
{
	struct vtb_item_result *result = run->result;
	const struct vtb_map64 *map = &run->classes;
	int r = map->has_zero ? vtb_array_room(result, classes) : 0;

	if (r >= 0 && map->has_zero)
		result->classes[result->n_classes++] = 0;
	for (size_t i = 0; r >= 0 && map->cells && i <= map->mask; i++) {
		if (!map->cells[i].key)
			continue;
		r = vtb_array_room(result, classes);
		if (r >= 0)
			result->classes[result->n_classes++] = map->cells[i].key;
	}
	if (r >= 0 && result->n_classes)
		qsort(result->classes, result->n_classes, sizeof(*result->classes), by_number);
	return r;
}

static int take_failures(const struct vtb_hunt_result *hunt, struct vtb_item_result *result)
{
	size_t n = 0;
	int r = 0;

	result->signatures = calloc(hunt->n_findings + 1, sizeof(*result->signatures));
	result->failures.argv = vtb_argv_copy(hunt->argv);
	if (!result->signatures || !result->failures.argv)
		return -ENOMEM;
	for (size_t i = 0; r >= 0 && i < hunt->n_findings && n < VTB_ITEM_FAILURES_MAX; i++) {
		r = vtb_schedules_add(&result->failures, &hunt->findings[i].schedule, hunt->runner->tab);
		if (r >= 0 && !(result->signatures[n++] = strdup(hunt->findings[i].exec.outcome.signature)))
			r = -ENOMEM;
	}
	return r;
}

static bool is_own_end(const char *stopped)
{
	return stopped && strcmp(stopped, "time") && strcmp(stopped, "interrupt") && strcmp(stopped, "memory");
}

static int judge(const struct vtb_hunt_result *hunt, struct vtb_item_result *result)
{
	if (hunt->verdict == VTB_V_NOTHING_CONTROLLED || vtb_verdict_is_cut(hunt->verdict))
		return say(result, VTB_ITEM_TROUBLE, hunt->advice ? hunt->advice : "nothing could be controlled");
	if (!is_own_end(hunt->facts.stopped))
		return say(result, VTB_ITEM_CUT,
		           hunt->facts.stopped && strcmp(hunt->facts.stopped, "memory") == 0 ? "the memory was full"
		           : hunt->facts.stopped && strcmp(hunt->facts.stopped, "interrupt") == 0
		               ? "interrupted"
		               : "its seconds were over");
	return 0;
}

static int take(struct running *run, struct vtb_hunt_result *hunt)
{
	struct vtb_item_result *result = run->result;
	int r = judge(hunt, result);

	result->seconds = hunt->facts.seconds;
	result->facts = hunt->facts; /* of which only what item_facts.c has is ever looked at */
	result->facts.arguments = result->facts.stuck = NULL;
	if (r >= 0 && hunt->facts.arguments && !(result->facts.arguments = strdup(hunt->facts.arguments)))
		r = -ENOMEM;
	if (r >= 0 && hunt->facts.stuck && !(result->facts.stuck = strdup(hunt->facts.stuck)))
		r = -ENOMEM;
	if (r >= 0)
		r = take_classes(run);
	if (r >= 0 && run->cut && result->state == VTB_ITEM_COMPLETED)
		r = say(result, VTB_ITEM_CUT, "there were more classes of runs than a result can name");
	return r < 0 ? r : take_failures(hunt, result);
}

/* ---- all of it */

static int read_options(const struct vtb_item *item, struct vtb_hunt_opts *opts, struct vtb_error *err)
{
	int r = 0;

	vtb_hunt_opts_init(opts);
	opts->runner.jobs = 1;
	for (size_t i = 0; r >= 0 && item->options[i]; i++)
		r = vtb_item_option_take(item->options[i], opts, err);
	opts->argv = item->target.argv;
	opts->cwd = item->target.cwd;
	opts->input = item->input.known ? &item->input : NULL;
	opts->search.seconds = item->seconds;
	opts->no_canary = opts->no_files = true;
	opts->refine = 0;
	return r;
}

static int hunt(struct running *run, const struct vtb_hunt_opts *opts, struct vtb_error *err)
{
	struct vtb_hunt_result result;
	int r = vtb_hunt_run(opts, &result, err);

	if (r < 0)
		return r;
	r = run->result->state == VTB_ITEM_REFUSED ? 0 : take(run, &result);
	vtb_hunt_result_fini(&result);
	return r;
}

int vtb_item_run(const struct vtb_item *item, const volatile sig_atomic_t *interrupted, struct vtb_item_result *ret)
{
	struct vtb_item_result result = { .id = strdup(item->id) };
	struct running run = { .item = item, .result = &result };
	const struct vtb_hunt_part part = { .first = check_program, .new_class = note_class, .data = &run };
	struct vtb_hunt_opts opts;
	struct vtb_error err = { 0 };
	char text[600];
	int r = result.id ? 0 : -ENOMEM;

	if (r >= 0 && strcmp(item->vtb, VTB_VERSION)) {
		snprintf(text, sizeof(text), "this is vtb " VTB_VERSION ", and the item is for vtb %.60s", item->vtb);
		r = say(&result, VTB_ITEM_REFUSED, text);
	} else if (r >= 0) {
		r = read_options(item, &opts, &err);
		opts.part = &part;
		opts.interrupted = interrupted;
		if (r >= 0)
			r = hunt(&run, &opts, &err);
		if (r < 0 && r != -ENOMEM)
			r = say(&result, VTB_ITEM_TROUBLE,
			        *err.text ? vtb_error_print(&err, text, sizeof(text)) : vtb_strerror(r));
	}
	vtb_map64_fini(&run.classes);
	if (r < 0)
		vtb_item_result_fini(&result);
	else
		*ret = result;
	return r < 0 ? r : 0;
}
