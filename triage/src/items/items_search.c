/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "items_search.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extent.h"
#include "item_driver.h"
#include "item_facts.h"
#include "item_options.h"
#include "item_plan.h"
#include "items_told.h"
#include "vtb/argv.h"
#include "vtb/array.h"
#include "vtb/map64.h"
#include "vtb/output.h"

#define WAIT 0.1  /* seconds; then the clock and Ctrl-C are looked at */
#define AHEAD 2u  /* items given out, for each that is run at a time */
#define TRIES 4u  /* of an item that a worker refuses: others may have the program */
#define SPARE 1.0 /* seconds that an item has beyond the hunt's end: what comes too late is not counted */

struct given {
	struct vtb_item_wish wish;
	unsigned tries;
};

struct items {
	struct vtb_hunt *hunt;
	struct vtb_item_plan *plan;
	struct vtb_item_driver *driver;
	struct vtb_item item; /* what all have in common */
	struct given *givens; /* under way */
	size_t n_givens, cap_givens;
	struct vtb_map64 classes;
	struct vtb_items_told told;
	struct vtb_output results;
	bool found;
};

/* ---- the items */

static int describe_target(struct vtb_hunt *hunt, struct vtb_item *item)
{
	const struct vtb_symtab *tab = hunt->runner->tab;
	char *here = hunt->opts->cwd ? strdup(hunt->opts->cwd) : getcwd(NULL, 0);
	int64_t r = 0;

	item->target.argv = vtb_argv_copy(hunt->result->argv);
	item->target.cwd = here;
	for (size_t i = 0; r >= 0 && i < tab->n_modules; i++)
		if (tab->modules[i].build_id_size &&
		    tab->modules[i].path[0] == '/') /* the kernel's page is of the machine */
			r = vtb_symtab_add_module(&item->target.tab, &tab->modules[i]);
	return !item->target.argv || !here ? -ENOMEM : r < 0 ? (int)r : 0;
}

static int take_input(struct vtb_hunt *hunt, struct vtb_item *item)
{
	const struct vtb_kept_input *input = hunt->result->facts.input;

	if (!input || !input->known || !input->size)
		return 0;
	if (!input->bytes)
		return vtb_error_set(hunt->err, -EINVAL, NULL, 0,
		                     "--cluster: standard input is longer than the %u bytes that an item can have",
		                     VTB_KEPT_INPUT_MAX);
	return vtb_kept_input_copy(input, &item->input);
}

static int describe(struct items *s)
{
	struct vtb_hunt *hunt = s->hunt;
	int r = describe_target(hunt, &s->item);

	s->item.vtb = strdup(VTB_VERSION);
	s->item.options = vtb_item_options_of(hunt->opts);
	if (r >= 0)
		r = take_input(hunt, &s->item);
	if (r >= 0)
		r = vtb_item_class(&hunt->result->first, hunt->runner->tab, &s->item.first);
	if (r >= 0)
		r = vtb_map64_set(&s->classes, s->item.first, 1);
	return r < 0 ? r : s->item.vtb && s->item.options ? 0 : -ENOMEM;
}

static int give(struct items *s, const struct vtb_item_wish *wish)
{
	struct vtb_item item = s->item;
	char **options = vtb_argv_copy(s->item.options);
	int r = options ? 0 : -ENOMEM;

	for (size_t i = 0; r >= 0 && wish->options[i]; i++) {
		char **more = vtb_item_options_with(options, wish->options[i]);

		vtb_argv_free(options);
		options = more;
		r = options ? 0 : -ENOMEM;
	}
	item.id = (char *)wish->id;
	item.options = options;
	item.seconds = s->hunt->deadline - vtb_hunt_now() + SPARE;
	if (r >= 0)
		r = vtb_item_driver_give(s->driver, &item);
	vtb_argv_free(options);
	return r;
}

static int give_next(struct items *s)
{
	struct given g = { .tries = 1 };
	int r = vtb_item_plan_next(s->plan, (s->hunt->deadline - vtb_hunt_now()) / AHEAD, &g.wish);

	if (r <= 0)
		return r;
	r = vtb_array_room(s, givens);
	if (r >= 0)
		r = give(s, &g.wish);
	if (r < 0)
		vtb_item_wish_fini(&g.wish);
	else
		s->givens[s->n_givens++] = g;
	return r < 0 ? r : 1;
}

/* ---- results */

static int count_classes(struct items *s, const struct vtb_item_result *result, uint64_t *ret_news)
{
	const size_t before = s->classes.n + s->classes.has_zero;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < result->n_classes; i++)
		r = vtb_map64_set(&s->classes, result->classes[i], 1);
	*ret_news = s->classes.n + s->classes.has_zero - before;
	return r;
}

static bool known(const struct vtb_hunt *hunt, const char *signature)
{
	for (size_t i = 0; i < hunt->result->n_findings; i++)
		if (strcmp(hunt->result->findings[i].exec.outcome.signature, signature) == 0)
			return true;
	return false;
}

/* Here it is run, shrunk and proved as if it had been found here. */
static int try_schedule(struct items *s, const struct vtb_schedule *schedule, const struct vtb_symtab *tab)
{
	struct vtb_hunt *hunt = s->hunt;
	struct vtb_resolution resolution;
	struct vtb_exec x = { 0 };
	const struct vtb_schedule *one;
	int r = vtb_replay_resolve(hunt->runner, schedule, tab, VTB_RESOLVE_AUTO, &resolution, hunt->err);

	if (r < 0)
		return r;
	one = &resolution.schedule;
	hunt->stop.proving = true; /* what was found is proved, for a moment past the end of the time, too */
	r = vtb_runner_run(hunt->runner, &one, 1, &x, hunt->err);
	hunt->stop.proving = false;
	if (r >= 0 && !vtb_exec_fails_as(&x, NULL))
		hunt->result->facts.not_again++;
	else if (r >= 0 && !vtb_hunt_is_known(hunt, &x))
		r = vtb_hunt_add_finding(hunt, &x, vtb_hunt_schedules(hunt), NULL);
	vtb_exec_fini(&x);
	vtb_resolution_fini(&resolution);
	return r;
}

static int try_failures(struct items *s, const struct vtb_item_result *result)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < result->failures.n_schedules; i++)
		if (!known(s->hunt, result->signatures[i]))
			r = try_schedule(s, &result->failures.schedules[i], &result->failures.tab);
	s->found |= s->hunt->result->n_findings && !s->hunt->opts->keep_going;
	return r < 0 ? r : 0;
}

static void forget(struct items *s, size_t i)
{
	vtb_item_wish_fini(&s->givens[i].wish);
	s->givens[i] = s->givens[--s->n_givens];
}

static void note_elsewhere(struct vtb_hunt_elsewhere *e, const struct vtb_hunt_facts *one)
{
	e->schedules += one->search_schedules;
	e->cross_checked += one->cross_checked;
	e->uncontrolled |= one->uncontrolled | (one->followed ? VTB_UNC_ASIDE : 0);
	if (vtb_extent_mixes_more(one->files, e->files))
		e->files = one->files;
}

/* It counts, and only once: it is not under way any more. */
static int take_result(struct items *s, size_t i, const struct vtb_item_result *result)
{
	struct vtb_hunt_facts *facts = &s->hunt->result->facts;
	uint64_t news = 0;
	int r;

	if (result->state == VTB_ITEM_REFUSED && s->givens[i].tries < TRIES && !vtb_hunt_due(s->hunt)) {
		s->givens[i].tries++;
		return give(s, &s->givens[i].wish);
	}
	r = vtb_items_told_add(&s->told, &s->givens[i].wish, result);
	if (r >= 0)
		r = count_classes(s, result, &news);
	if (r >= 0) {
		note_elsewhere(&s->hunt->elsewhere, &result->facts);
		r = vtb_item_facts_merge(facts, &result->facts, result->state == VTB_ITEM_COMPLETED);
	}
	if (s->results.file)
		vtb_item_result_write(result, s->results.file);
	vtb_item_plan_took(s->plan, &s->givens[i].wish, result, news);
	forget(s, i);
	return r < 0 ? r : try_failures(s, result);
}

static int take(struct items *s)
{
	struct vtb_item_result result = { 0 };
	int r = vtb_item_driver_take(s->driver, WAIT, &result, s->hunt->err);
	size_t i = 0;

	if (r <= 0)
		return r;
	while (i < s->n_givens && strcmp(s->givens[i].wish.id, result.id) != 0)
		i++;
	r = i < s->n_givens ? take_result(s, i, &result) : 0; /* else it has come before */
	vtb_item_result_fini(&result);
	return r;
}

/* ---- all of it */

static bool over(struct items *s)
{
	return s->found || vtb_hunt_due(s->hunt) || (s->plan && !s->n_givens && vtb_item_plan_over(s->plan)) ||
	       vtb_items_told_hopeless(&s->told);
}

static int work(struct items *s)
{
	int r = 0;

	while (r >= 0 && !over(s)) {
		const size_t most = AHEAD * (vtb_item_driver_slots(s->driver) ? vtb_item_driver_slots(s->driver) : 1);
		int given = 1;

		while (given == 1 && s->n_givens < most)
			given = give_next(s);
		r = given < 0 ? given : take(s);
		if (r < 0 && given >= 0 && s->told.completed && s->hunt->err->text[0]) { /* what came before counts */
			r = vtb_items_told_end(&s->told, s->hunt->err->text);
			*s->hunt->err = (struct vtb_error){ 0 };
			break;
		}
		vtb_items_told_workers(&s->told, vtb_item_driver_workers(s->driver));
		vtb_hunt_tell(s->hunt, VTB_HUNT_SEARCHING);
		if (r >= 0 && given == 0 && !s->n_givens && !vtb_item_plan_over(s->plan))
			break; /* too little time is left for another one */
	}
	return r < 0 ? r : 0;
}

static const char *stop_word(struct items *s)
{
	return s->found                                      ? "found"
	       : s->hunt->result->facts.complete             ? "bound"
	       : vtb_hunt_interrupted(s->hunt)               ? "interrupt"
	       : vtb_items_told_hopeless(&s->told)           ? "refused"
	       : !s->n_givens && vtb_item_plan_over(s->plan) ? "items"
	                                                     : vtb_hunt_stop_word(s->hunt);
}

static int conclude(struct items *s)
{
	struct vtb_hunt_facts *facts = &s->hunt->result->facts;

	facts->search_schedules++; /* the first run */
	facts->classes = s->classes.n + s->classes.has_zero;
	facts->stopped = stop_word(s);
	for (size_t i = 0; i < s->n_givens; i++)
		if (vtb_items_told_add(&s->told, &s->givens[i].wish, NULL) < 0)
			return -ENOMEM;
	free(facts->items);
	facts->items = vtb_items_told_text(&s->told);
	if (!facts->arguments)
		facts->arguments = strdup("");
	return facts->items && facts->arguments ? 0 : -ENOMEM;
}

static int begin(struct items *s)
{
	const struct vtb_hunt_items *items = s->hunt->opts->items;
	int r = vtb_item_plan_new(s->hunt->opts, items->list, &s->plan, s->hunt->err);

	if (r >= 0)
		r = describe(s);
	if (r >= 0 && items->results)
		r = vtb_output_open(&s->results, items->results, s->hunt->err);
	return r < 0 ? r : vtb_item_driver_new(items->cluster, &s->driver, s->hunt->err);
}

static void end(struct items *s)
{
	vtb_item_driver_free(s->driver);
	vtb_item_plan_free(s->plan);
	vtb_output_abort(&s->results);
	while (s->n_givens)
		forget(s, 0);
	free(s->givens);
	vtb_map64_fini(&s->classes);
	vtb_items_told_fini(&s->told);
	vtb_item_fini(&s->item);
}

int vtb_items_search(struct vtb_hunt *hunt)
{
	struct items s = { .hunt = hunt };
	int r = begin(&s);

	if (r >= 0)
		r = work(&s);
	if (r >= 0)
		r = conclude(&s);
	if (r >= 0 && s.results.file)
		r = vtb_output_commit(&s.results, hunt->err);
	end(&s);
	return r < 0 ? r : 0;
}
