/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far what threads do in another order is known from what they did when they were recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "foresight.h"
#include "trace_build.h"

#define SURE UINT32_MAX

struct world {
	struct vtb_trace trace; /* threads 1 and 2 do things to x and y; main is 0 */
	uint32_t x, y;
};

static void begin(struct world *w)
{
	build_trace(&w->trace, 3);
	w->x = build_var(&w->trace, VTB_OBJ_GLOBAL, VTB_NONE, "x");
	w->y = build_var(&w->trace, VTB_OBJ_GLOBAL, VTB_NONE, "y");
	for (int i = 0; i < 8; i++)
		vtb_symtab_add_site(&w->trace.tab, &(struct vtb_site){ .function = "f" });
}

static void add(struct world *w, uint32_t thread, enum vtb_event_kind kind, uint32_t var, uint64_t value, uint32_t site)
{
	build_value(&w->trace, thread, kind, var, value)->site = site;
}

/* Another order: `threads` says whose next operation comes; results of synchronisation are `value` there. */
static void foreseen_in(struct world *w, const char *threads, uint32_t of_1, uint32_t of_2)
{
	struct vtb_event events[32];
	struct vtb_exec x = { .events = events };
	size_t next[3] = { 0 };
	struct vtb_foresight *f;
	const uint32_t *foreseen;

	for (const char *t = threads; *t; t++) {
		size_t *i = &next[*t - '0'];

		while (w->trace.events[*i].thread != (uint32_t)(*t - '0'))
			++*i;
		assert_true(*i < w->trace.n_events && x.n_events < 32);
		events[x.n_events++] = w->trace.events[(*i)++];
	}
	assert_int_equal(vtb_foresight_new(w->trace.events, w->trace.n_events, &w->trace.tab, &f), 0);
	foreseen = vtb_foresight_of(f, &x);
	assert_int_equal(foreseen[1], of_1);
	assert_int_equal(foreseen[2], of_2);
	vtb_foresight_free(f);
}

static void the_recorded_order_is_foreseen(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add(&w, 1, VTB_E_READ, w.x, 0, 0);
	add(&w, 1, VTB_E_WRITE, w.x, 1, 1);
	add(&w, 2, VTB_E_READ, w.x, 1, 2);
	add(&w, 2, VTB_E_WRITE, w.y, 1, 3);
	foreseen_in(&w, "1122", SURE, SURE);
	vtb_trace_fini(&w.trace);
}

static void a_changed_read_at_a_place_seen_once_may_lead_anywhere(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add(&w, 1, VTB_E_READ, w.x, 0, 0);
	add(&w, 1, VTB_E_WRITE, w.x, 1, 1);
	add(&w, 2, VTB_E_WRITE, w.y, 1, 3);
	add(&w, 2, VTB_E_READ, w.x, 1, 2);
	add(&w, 2, VTB_E_WRITE, w.y, 2, 3);
	foreseen_in(&w, "2221", 1,
	            2); /* the read itself takes place; then thread 2 may do anything to what it touches */
	foreseen_in(&w, "2211", SURE, 2);
	foreseen_in(&w, "12122", SURE, SURE);
	vtb_trace_fini(&w.trace);
}

static void a_write_of_the_same_value_changes_nothing(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add(&w, 1, VTB_E_WRITE, w.x, 7, 0);
	add(&w, 2, VTB_E_WRITE, w.x, 7, 1);
	add(&w, 2, VTB_E_READ, w.x, 7, 2);
	add(&w, 2, VTB_E_WRITE, w.y, 1, 3);
	foreseen_in(&w, "2122", SURE, SURE);
	vtb_trace_fini(&w.trace);
}

/* account: two threads read, and write what they have read and something more. */
static void account(struct world *w)
{
	begin(w);
	add(w, 1, VTB_E_READ, w->x, 0, 0);
	add(w, 1, VTB_E_WRITE, w->x, 100, 1);
	add(w, 2, VTB_E_READ, w->x, 100, 0);
	add(w, 2, VTB_E_WRITE, w->x, 105, 1);
}

static void a_place_that_went_on_alike_with_different_values_does_so_again(void **state)
{
	struct world w;

	(void)state;
	account(&w);
	foreseen_in(&w, "1221", SURE, SURE);
	foreseen_in(&w, "2211", SURE, SURE);
	vtb_trace_fini(&w.trace);
}

static void what_follows_from_a_changed_read_is_unknown_to_others(void **state)
{
	struct world w;

	(void)state;
	account(&w);
	add(&w, 1, VTB_E_READ, w.x, 105, 4);
	add(&w, 1, VTB_E_WRITE, w.y, 1, 5);
	foreseen_in(&w, "112211", SURE, SURE);
	foreseen_in(&w, "122111", 3, 2);    /* its own write, not that of thread 2 */
	foreseen_in(&w, "112121", 3, SURE); /* thread 2 has not written yet */
	foreseen_in(&w, "221111", 2,
	            2); /* what it took from another value than recorded; its write went on in two ways */
	vtb_trace_fini(&w.trace);
}

static void a_place_that_went_on_in_two_ways_is_a_branch(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add(&w, 1, VTB_E_READ, w.x, 0, 0); /* if (!x) ... */
	add(&w, 1, VTB_E_WRITE, w.x, 1, 1);
	add(&w, 2, VTB_E_READ, w.x, 1, 0);
	add(&w, 2, VTB_E_WRITE, w.y, 1, 2);
	foreseen_in(&w, "2211", 1, 1);
	foreseen_in(&w, "2112", SURE, 1);
	vtb_trace_fini(&w.trace);
}

static void another_result_of_trylock_is_a_change(void **state)
{
	struct world w;
	struct vtb_event *e;

	(void)state;
	begin(&w);
	add(&w, 1, VTB_E_TRYLOCK, w.y, 0, 0);
	add(&w, 1, VTB_E_WRITE, w.x, 1, 1);
	e = &w.trace.events[0];
	foreseen_in(&w, "11", SURE, SURE);
	{
		struct vtb_event failed[2] = { *e, w.trace.events[1] };
		struct vtb_exec x = { .events = failed, .n_events = 2 };
		struct vtb_foresight *f;

		failed[0].value = 16;
		assert_int_equal(vtb_foresight_new(w.trace.events, 2, &w.trace.tab, &f), 0);
		assert_int_equal(vtb_foresight_of(f, &x)[1], 1);
		vtb_foresight_free(f);
	}
	vtb_trace_fini(&w.trace);
}

static void rounds_of_a_loop_that_waits_are_not_counted(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	for (int i = 0; i < 3; i++) {
		add(&w, 1, VTB_E_ATOMIC_LOAD, w.x, 0, 0);
		add(&w, 1, VTB_E_READ, w.y, 5, 1);
	}
	add(&w, 2, VTB_E_ATOMIC_STORE, w.x, 1, 2);
	add(&w, 1, VTB_E_ATOMIC_LOAD, w.x, 1, 0);
	foreseen_in(&w, "11111121", 3, SURE); /* operations 1 and 2 are the first round, 4 ends the second */
	vtb_trace_fini(&w.trace);
}

static void a_loop_that_writes_does_not_only_wait(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	for (int i = 0; i < 3; i++) {
		add(&w, 1, VTB_E_READ, w.y, 5, 1);
		add(&w, 1, VTB_E_WRITE, w.x, 1, 0);
	}
	foreseen_in(&w, "111111", SURE, SURE);
	vtb_trace_fini(&w.trace);
}

static void deviations_count_up_to_the_first_that_is_not_foreseen(void **state)
{
	const uint32_t foreseen[] = { SURE, 3, SURE };
	struct vtb_schedule s = { 0 };

	(void)state;
	assert_int_equal(vtb_foresight_deviations(foreseen, &s), 0);
	vtb_schedule_deviate(&s, 1, 3, VTB_DEV_SWITCH, 2, VTB_NONE, 1);
	vtb_schedule_deviate(&s, 2, 9, VTB_DEV_SWITCH, 1, VTB_NONE, 1);
	assert_int_equal(vtb_foresight_deviations(foreseen, &s), 2);
	vtb_schedule_deviate(&s, 1, 4, VTB_DEV_SWITCH, 2, VTB_NONE, 1);
	vtb_schedule_deviate(&s, 2, 10, VTB_DEV_SWITCH, 1, VTB_NONE, 1);
	assert_int_equal(vtb_foresight_deviations(foreseen, &s), 2);
	vtb_schedule_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recorded_order_is_foreseen),
		cmocka_unit_test(a_changed_read_at_a_place_seen_once_may_lead_anywhere),
		cmocka_unit_test(a_write_of_the_same_value_changes_nothing),
		cmocka_unit_test(a_place_that_went_on_alike_with_different_values_does_so_again),
		cmocka_unit_test(what_follows_from_a_changed_read_is_unknown_to_others),
		cmocka_unit_test(a_place_that_went_on_in_two_ways_is_a_branch),
		cmocka_unit_test(another_result_of_trylock_is_a_change),
		cmocka_unit_test(rounds_of_a_loop_that_waits_are_not_counted),
		cmocka_unit_test(a_loop_that_writes_does_not_only_wait),
		cmocka_unit_test(deviations_count_up_to_the_first_that_is_not_foreseen),
	};

	return cmocka_run_group_tests_name("foresight", tests, NULL, NULL);
}
