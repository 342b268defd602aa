/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn it is in the portfolio where runs are told whole or in part: by what that costs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "vtb/array.h"
#include "vtb/strategies.h"

#define THREADS 3u

struct large {
	struct vtb_runner runner;
	struct vtb_symtab tab;
	uint32_t handle[THREADS], own, shared;
	uint32_t accesses;             /* of thread 1, to what it alone touches */
	uint32_t walks, others, whole; /* walks that are told whole */
	uint32_t told_walks, told;     /* operations told: of walks, of all */
};

static void add(struct vtb_exec *x, struct vtb_event e)
{
	e.site = VTB_NONE;
	vtb_event_classify(&e);
	assert_int_equal(vtb_array_room(x, events), 0);
	x->events[x->n_events++] = e;
	assert_int_equal(vtb_array_room(x, enabled), 0);
	x->enabled[x->n_enabled++] = (1u << THREADS) - 1;
}

static void access_to(struct vtb_exec *x, uint16_t thread, uint8_t kind, uint32_t var)
{
	add(x, (struct vtb_event){ .thread = thread, .kind = kind, .var = var, .addr = 64ull * (var + 1), .size = 4 });
}

static void live(const struct large *l, struct vtb_exec *x, uint16_t thread, uint8_t kind, uint32_t whose)
{
	add(x, (struct vtb_event){ .thread = thread, .kind = kind, .var = l->handle[whose] });
}

/* Each run is of a class of its own: all strategies are worth the same. */
static void fill(const struct large *l, bool owned, struct vtb_exec *x)
{
	const uint32_t accesses = l->accesses + l->walks + l->others;

	*x = (struct vtb_exec){ .stride = 1, .owned = owned };
	x->outcome = (struct vtb_outcome){
		.thread = VTB_NONE, .site = VTB_NONE, .var = VTB_NONE, .message = "", .signature = ""
	};
	live(l, x, 0, VTB_E_THREAD_BEGIN, 0);
	for (uint16_t t = 1; t < THREADS; t++)
		live(l, x, 0, VTB_E_THREAD_CREATE, t);
	for (uint16_t t = 1; t < THREADS; t++)
		live(l, x, t, VTB_E_THREAD_BEGIN, t);
	access_to(x, 2, VTB_E_WRITE, l->shared);
	if (owned)
		add(x, (struct vtb_event){ .thread = 1, .kind = VTB_E_OWNED, .var = VTB_NONE, .value = accesses });
	for (uint32_t i = 0; !owned && i < accesses; i++)
		access_to(x, 1, VTB_E_READ, l->own);
	access_to(x, 1, VTB_E_WRITE, l->shared);
	for (uint16_t t = 1; t < THREADS; t++)
		live(l, x, t, VTB_E_THREAD_END, t);
	live(l, x, 0, VTB_E_PROCESS_EXIT, 0);
}

static bool walks(const struct vtb_schedule *s)
{
	return s->policy == VTB_SCHEDULE_RANDOM || s->policy == VTB_SCHEDULE_POS || s->policy == VTB_SCHEDULE_SURW;
}

/* As replay's runner does where runs do much (decision 51). */
static bool passes_over(const struct vtb_schedule *s)
{
	return s->policy != VTB_SCHEDULE_SURW && ((walks(s) && s->brief) || s->sparse);
}

static int run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs,
               struct vtb_error *err)
{
	struct large *l = (struct large *)runner;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		l->walks += walks(schedules[i]);
		l->others += !walks(schedules[i]);
		l->whole += walks(schedules[i]) && !passes_over(schedules[i]);
		fill(l, passes_over(schedules[i]), &execs[i]);
		l->told += (uint32_t)execs[i].n_events;
	}
	runner->schedules += n;
	return 0;
}

static size_t batch(const struct vtb_runner *runner)
{
	(void)runner;
	return 1;
}

static const struct vtb_runner_ops ops = { .name = "large", .run = run, .batch = batch, .free = NULL };

static uint32_t variable(struct large *l, enum vtb_object_kind kind, uint32_t thread, const char *name)
{
	const int64_t object = vtb_symtab_add_object(
	    &l->tab, &(struct vtb_object){ .kind = kind, .name = name, .thread = thread, .site = VTB_NONE });

	return (uint32_t)vtb_symtab_add_variable(&l->tab,
	                                         &(struct vtb_variable){ .object = (uint32_t)object, .name = name });
}

static struct large search_with(uint32_t accesses, uint64_t budget)
{
	const struct vtb_search_calls calls = { 0 };
	struct large l = { .runner = { .ops = &ops, .tab = &l.tab }, .accesses = accesses };
	struct vtb_search_opts opts;
	struct vtb_search *search;

	for (uint32_t t = 0; t < THREADS; t++) {
		vtb_symtab_thread(&l.tab, t ? 0 : VTB_NONE, t ? t - 1 : 0);
		l.handle[t] = variable(&l, VTB_OBJ_THREAD, t, vtb_thread_path(&l.tab, t));
	}
	l.own = variable(&l, VTB_OBJ_GLOBAL, VTB_NONE, "own");
	l.shared = variable(&l, VTB_OBJ_GLOBAL, VTB_NONE, "shared");
	vtb_search_opts_init(&opts);
	opts.symmetry = false;
	opts.exhaust = true;
	opts.budget = budget;
	assert_int_equal(vtb_strategies_begin(&l.runner, &opts, &search, NULL), 0);
	assert_true(vtb_search_run(search, &calls, NULL) >= 0);
	vtb_search_free(search);
	vtb_symtab_fini(&l.tab);
	print_message("%u walks, %u of them told whole; %u operations told\n", l.walks, l.whole, l.told);
	return l;
}

static void surw_waits_until_the_others_have_cost_as_much(void **state)
{
	const struct large l = search_with(400000, 40);

	(void)state;
	assert_true(l.walks >= 32);
	assert_true(l.whole == 0);
}

/* Of some thousand operations, too: whoever tells all of them has fewer turns. By turns alone it is more than half. */
static void turns_go_by_what_is_told(void **state)
{
	const uint32_t accesses = 10000, budget = 400;
	const struct large l = search_with(accesses, budget);

	(void)state;
	assert_true(l.told < accesses * budget / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(surw_waits_until_the_others_have_cost_as_much),
		cmocka_unit_test(turns_go_by_what_is_told),
	};

	return cmocka_run_group_tests_name("turns among long runs", tests, NULL, NULL);
}
