/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of very many operations under partial-order reduction: a race costs by the length of its sequence, not by the
 * square of it, however deep that is; and a search that is to end does not turn round the races that are left. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vtb/array.h"
#include "vtb/stop.h"
#include "vtb/strategies.h"

#define THREADS 5u

struct lengthy {
	struct vtb_runner runner;
	struct vtb_symtab tab;
	struct vtb_stop stop;
	uint32_t handle[THREADS], x, y, z;
	uint32_t beside, conflicts; /* operations */
	double looked;              /* processor time, when the first run was looked at */
	bool ends;                  /* then the search is to end */
};

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add(struct vtb_exec *x, uint32_t thread, uint8_t kind, uint32_t var, uint64_t addr, uint32_t size)
{
	struct vtb_event e = {
		.thread = (uint16_t)thread, .kind = kind, .var = var, .site = VTB_NONE, .addr = addr, .size = size
	};

	vtb_event_classify(&e);
	assert_int_equal(vtb_array_room(x, events), 0);
	x->events[x->n_events++] = e;
	assert_int_equal(vtb_array_room(x, enabled), 0);
	x->enabled[x->n_enabled++] = (1u << THREADS) - 1;
}

static void live(const struct lengthy *l, struct vtb_exec *x, uint32_t thread, uint8_t kind, uint32_t whose)
{
	add(x, thread, kind, l->handle[whose], 0, 0);
}

/* Thread 1 reads x, whose halves threads 2 and 4 write late; what thread 3 does meanwhile goes beside that. Then 1 and
 * 2 change y by turns. */
static void fill(const struct lengthy *l, struct vtb_exec *x)
{
	*x = (struct vtb_exec){ .stride = 1 };
	x->outcome = (struct vtb_outcome){
		.thread = VTB_NONE, .site = VTB_NONE, .var = VTB_NONE, .message = "", .signature = ""
	};
	live(l, x, 0, VTB_E_THREAD_BEGIN, 0);
	for (uint32_t t = 1; t < THREADS; t++)
		live(l, x, 0, VTB_E_THREAD_CREATE, t);
	for (uint32_t t = 1; t < THREADS; t++)
		live(l, x, t, VTB_E_THREAD_BEGIN, t);
	add(x, 1, VTB_E_READ, l->x, 0x1000, 8);
	for (uint32_t i = 0; i < l->beside; i++)
		add(x, 3, VTB_E_ATOMIC_RMW, l->z, 0x3000, 4);
	add(x, 2, VTB_E_WRITE, l->x, 0x1000, 4);
	add(x, 4, VTB_E_WRITE, l->x, 0x1004, 4);
	for (uint32_t i = 0; i < l->conflicts; i++)
		add(x, 1 + i % 2, VTB_E_ATOMIC_RMW, l->y, 0x2000, 4);
	for (uint32_t t = 1; t < THREADS; t++)
		live(l, x, t, VTB_E_THREAD_END, t);
	live(l, x, 0, VTB_E_PROCESS_EXIT, 0);
}

static int run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs,
               struct vtb_error *err)
{
	(void)schedules;
	(void)err;
	for (size_t i = 0; i < n; i++)
		fill((struct lengthy *)runner, &execs[i]);
	runner->schedules += n;
	return 0;
}

static size_t batch(const struct vtb_runner *runner)
{
	(void)runner;
	return 1;
}

static const struct vtb_runner_ops ops = { .name = "lengthy", .run = run, .batch = batch, .free = NULL };

static uint32_t variable(struct lengthy *l, enum vtb_object_kind kind, uint32_t thread, const char *name)
{
	const int64_t object = vtb_symtab_add_object(
	    &l->tab, &(struct vtb_object){ .kind = kind, .name = name, .thread = thread, .site = VTB_NONE });

	return (uint32_t)vtb_symtab_add_variable(&l->tab,
	                                         &(struct vtb_variable){ .object = (uint32_t)object, .name = name });
}

static void look(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct lengthy *l = data;

	(void)search;
	(void)s;
	(void)x;
	(void)class_id;
	(void)new_class;
	if (l->looked == 0)
		l->looked = processor_seconds();
	if (l->ends)
		l->stop.deadline = 1e-9;
}

/* Processor time from the first run on, to the end of the search. */
static double search_of(struct lengthy *l, struct vtb_claim *ret)
{
	const struct vtb_search_calls calls = { .executed = look, .data = l };
	struct vtb_search_opts opts;
	struct vtb_search *search;

	l->runner = (struct vtb_runner){ .ops = &ops, .tab = &l->tab, .stop = &l->stop };
	for (uint32_t t = 0; t < THREADS; t++) {
		vtb_symtab_thread(&l->tab, t ? 0 : VTB_NONE, t ? t - 1 : 0);
		l->handle[t] = variable(l, VTB_OBJ_THREAD, t, vtb_thread_path(&l->tab, t));
	}
	l->x = variable(l, VTB_OBJ_GLOBAL, VTB_NONE, "x");
	l->y = variable(l, VTB_OBJ_GLOBAL, VTB_NONE, "y");
	l->z = variable(l, VTB_OBJ_GLOBAL, VTB_NONE, "z");
	vtb_search_opts_init(&opts);
	opts.strategy = "dpor";
	opts.symmetry = false;
	opts.budget = 3;
	assert_int_equal(vtb_strategies_begin(&l->runner, &opts, &search, NULL), 0);
	assert_true(vtb_search_run(search, &calls, NULL) >= 0);
	vtb_search_claim(search, ret);
	vtb_search_free(search);
	vtb_symtab_fini(&l->tab);
	return processor_seconds() - l->looked;
}

/* Four times as long: four times as much, by its square up to sixteen times. On whatever machine. */
static void a_sequence_costs_its_length(void **state)
{
	struct lengthy quarter = { .beside = 150000 }, whole = { .beside = 600000 };
	struct vtb_claim claim;
	double first, took;

	(void)state;
	first = search_of(&quarter, &claim);
	took = search_of(&whole, &claim);
	print_message("%.2f s and %.2f s\n", first, took);
	assert_true(took < 7 * first);
}

static void a_search_that_is_to_end_leaves_races(void **state)
{
	struct lengthy whole = { .conflicts = 20000 }, cut = { .conflicts = 20000, .ends = true };
	struct vtb_claim claim;
	double all, some;

	(void)state;
	all = search_of(&whole, &claim);
	some = search_of(&cut, &claim);
	print_message("%.3f s, and %.3f s where the search is to end\n", all, some);
	assert_false(claim.complete);
	assert_true(some < all / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sequence_costs_its_length),
		cmocka_unit_test(a_search_that_is_to_end_leaves_races),
	};

	return cmocka_run_group_tests_name("dpor, long runs", tests, NULL, NULL);
}
