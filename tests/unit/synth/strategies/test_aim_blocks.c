/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strategy aim, in runs that are written down here: blocks that others have not been told of, threads of one routine
 * that take from one queue, a compare-exchange that came too late, and an update that is torn apart already.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "aim/aim.h"

enum { HANDLE, BLOCK, POINTER, QUEUE, ITEM, VARIABLES };
enum { MAKER = 0, TAKER = 1, THREADS = 2 };

/* What the strategy is told of the program: a thread's handle, a part of a block, and what all share. */
struct world {
	struct vtb_object objects[2];
	struct vtb_variable variables[VARIABLES];
	struct vtb_coverage_var vars[VARIABLES];
	struct vtb_symtab tab;
	struct vtb_coverage coverage;
	struct vtb_space space;
	struct aim s;
};

static void begin(struct world *w)
{
	*w = (struct world){ 0 };
	w->objects[0] = (struct vtb_object){ .kind = VTB_OBJ_THREAD, .thread = TAKER };
	w->objects[1] = (struct vtb_object){ .kind = VTB_OBJ_HEAP };
	for (uint32_t i = 0; i < VARIABLES; i++) {
		w->variables[i].object = i == HANDLE ? 0 : i == BLOCK ? 1 : VTB_NONE;
		w->vars[i] = (struct vtb_coverage_var){ .shared = i != HANDLE, .most = 2, .bare = true };
	}
	w->tab = (struct vtb_symtab){
		.objects = w->objects, .n_objects = 2, .variables = w->variables, .n_variables = VARIABLES
	};
	w->coverage = (struct vtb_coverage){ .vars = w->vars, .n_vars = VARIABLES, .n_threads = THREADS };
	w->space = (struct vtb_space){ .tab = &w->tab, .coverage = &w->coverage };
	w->s.space = &w->space;
}

static void end(struct world *w)
{
	vtb_symmetry_fini(&w->s.symmetry);
	vtb_heap_fini(&w->s.queue);
	vtb_bounded_map_fini(&w->s.known);
	free(w->s.shots);
	aim_patterns_fini(&w->s);
}

static struct vtb_event event(uint16_t thread, enum vtb_event_kind kind, uint32_t var, uint32_t site)
{
	return (struct vtb_event){ .kind = (uint8_t)kind, .var = var, .site = site, .thread = thread };
}

/* All that a look at a run needs to know of it. */
static void read_run(struct world *w, const struct vtb_exec *x, struct aim_look *l)
{
	uint32_t second[THREADS + 1] = { VTB_NONE, VTB_NONE, VTB_NONE };
	struct aim *s = &w->s;

	assert_int_equal(vtb_array_extend(s, held, THREADS + 1, VTB_NONE), 0);
	assert_int_equal(vtb_array_extend(s, done, THREADS + 1, 0), 0);
	assert_int_equal(vtb_array_extend(s, lives, THREADS + 1, aim_unknown_life), 0);
	assert_int_equal(aim_read_lasts(s, x, second), 0);
	assert_int_equal(aim_read_depends(s, x, l->thread), 0);
	for (uint32_t i = 0; i < x->n_events; i++) {
		if (x->events[i].thread != l->thread)
			continue;
		assert_int_equal(vtb_array_room(s, ops), 0);
		assert_int_equal(vtb_array_extend(s, locks, s->n_ops + 1, VTB_NONE), 0);
		s->ops[s->n_ops++] = i;
	}
}

/* ---- blocks */

/* The maker writes into the block, tells of it, and the taker reads it. What is a stop behind the write worth? */
static uint32_t doubt(bool born_before, bool told)
{
	struct vtb_event run[5];
	size_t n = 0;
	uint32_t place = born_before;
	struct world w;

	if (born_before)
		run[n++] = event(MAKER, VTB_E_THREAD_CREATE, HANDLE, 1);
	run[n++] = event(MAKER, VTB_E_WRITE, BLOCK, 2);
	if (!born_before)
		run[n++] = event(MAKER, VTB_E_THREAD_CREATE, HANDLE, 1);
	run[n] = event(MAKER, VTB_E_ATOMIC_STORE, POINTER, 3);
	run[n].flags = VTB_EVF_VALUE;
	run[n++].value = 1;
	if (told) {
		run[n] = event(TAKER, VTB_E_ATOMIC_LOAD, POINTER, 4);
		run[n].flags = VTB_EVF_VALUE;
		run[n++].value = 1;
	}
	run[n++] = event(TAKER, VTB_E_READ, BLOCK, 5);
	begin(&w);
	const struct vtb_exec x = { .events = run, .n_events = n };
	const struct aim_last last = { .thread = TAKER, .lock = VTB_NONE, .next = VTB_NONE };
	struct aim_look l = { .s = &w.s, .x = &x, .thread = MAKER, .to = VTB_NONE };
	uint32_t cost;

	read_run(&w, &x, &l);
	cost = aim_cost_of_doubt(&l, place, BLOCK, &last);
	end(&w);
	return cost;
}

static void nobody_comes_to_a_block_of_which_he_was_not_told(void **state)
{
	(void)state;
	assert_int_equal(doubt(true, false), 0); /* it comes without having read anything */
	assert_true(doubt(false, true) > 0);     /* it could have known of it from its birth on */
	assert_true(doubt(true, true) > doubt(false, true));
}

/* ---- queues */

/* The thread takes two things, each under the lock; both at one place, or not. */
static void take_twice(struct world *w, bool loop, bool writes)
{
	const enum vtb_event_kind takes = writes ? VTB_E_WRITE : VTB_E_READ;
	struct vtb_event run[] = {
		event(1, VTB_E_LOCK, QUEUE, 1),   event(1, takes, ITEM, 2),
		event(1, VTB_E_UNLOCK, QUEUE, 3), event(1, VTB_E_LOCK, QUEUE, loop ? 1 : 4),
		event(1, takes, ITEM, 2),         event(1, VTB_E_UNLOCK, QUEUE, 3),
	};
	const struct vtb_exec x = { .events = run, .n_events = sizeof(run) / sizeof(run[0]) };
	const struct aim_shot shot = { .first = VTB_NONE, .second = VTB_NONE, .third = VTB_NONE };
	struct aim_look l = { .s = &w->s, .shot = &shot, .x = &x, .thread = 1, .partner = VTB_NONE, .twin = 2 };

	begin(w);
	read_run(w, &x, &l);
	assert_int_equal(aim_share_work(&l), 0);
}

static void who_comes_back_for_more_is_stopped_for_another_one_of_its_routine(void **state)
{
	struct world w;

	(void)state;
	take_twice(&w, true, true);
	assert_int_equal(w.s.n_shots, 1);
	assert_int_equal(w.s.shots[0].first, 1);
	assert_int_equal(w.s.shots[0].second, 2);
	assert_int_equal(w.s.shots[0].stops[0].index, 3); /* behind the first release; behind the last it has all */
	end(&w);
	take_twice(&w, false, true);
	assert_int_equal(w.s.n_shots, 0);
	end(&w);
	take_twice(&w, true, false);
	assert_int_equal(w.s.n_shots, 0);
	end(&w);
}

/* ---- what would have been written */

/* Of the taker: the event at which it writes the pointer, as far as stops are concerned. */
static uint32_t writes_at(enum vtb_event_kind kind)
{
	struct vtb_event run[] = {
		event(MAKER, VTB_E_THREAD_CREATE, HANDLE, 1),
		event(TAKER, VTB_E_ATOMIC_LOAD, POINTER, 2),
		event(MAKER, VTB_E_ATOMIC_STORE, POINTER, 3),
		event(TAKER, kind, POINTER, 4),
	};
	const struct vtb_exec x = { .events = run, .n_events = sizeof(run) / sizeof(run[0]) };
	uint32_t at = VTB_NONE;
	struct world w;
	struct aim_look l = { .s = &w.s, .x = &x, .thread = MAKER, .to = VTB_NONE };

	begin(&w);
	read_run(&w, &x, &l);
	for (size_t i = 0; i < w.s.n_lasts; i++)
		if (w.s.lasts[i].thread == TAKER)
			at = aim_last_of(&w.s, &w.s.lasts[i], MAKER, true);
	end(&w);
	return at;
}

static void who_failed_to_exchange_would_have_written(void **state)
{
	(void)state;
	assert_int_equal(writes_at(VTB_E_ATOMIC_CAS_FAIL), 3);
	assert_int_equal(writes_at(VTB_E_ATOMIC_RMW), 3);
	assert_int_equal(writes_at(VTB_E_ATOMIC_LOAD), VTB_NONE);
}

/* ---- updates */

/* The thread reads what it writes next; another one may stand at that variable. */
static uint32_t cost_of_update(uint32_t stopped_at)
{
	struct vtb_event run[] = { event(MAKER, VTB_E_READ, ITEM, 1), event(MAKER, VTB_E_WRITE, ITEM, 2) };
	const struct vtb_exec x = { .events = run, .n_events = sizeof(run) / sizeof(run[0]) };
	struct aim_shot shot = { .first = TAKER, .second = MAKER, .third = VTB_NONE, .n_stops = 1 };
	struct world w;
	struct aim_look l = { .s = &w.s, .shot = &shot, .x = &x, .thread = MAKER, .to = VTB_NONE };
	uint32_t cost;

	shot.stops[0] = (struct aim_stop){ .thread = TAKER, .index = 1, .var = stopped_at };
	begin(&w);
	read_run(&w, &x, &l);
	assert_int_equal(aim_read_rounds(&l), 0);
	cost = aim_cost_between(&l, 0, ITEM, 1);
	end(&w);
	return cost;
}

static void an_update_at_which_somebody_stands_is_no_gain_for_another_one(void **state)
{
	(void)state;
	assert_true(cost_of_update(ITEM) > cost_of_update(POINTER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_comes_to_a_block_of_which_he_was_not_told),
		cmocka_unit_test(who_comes_back_for_more_is_stopped_for_another_one_of_its_routine),
		cmocka_unit_test(who_failed_to_exchange_would_have_written),
		cmocka_unit_test(an_update_at_which_somebody_stands_is_no_gain_for_another_one),
	};

	return cmocka_run_group_tests_name("aim_blocks", tests, NULL, NULL);
}
