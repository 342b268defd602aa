/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program whose number of threads differs from run to run, and whose threads end: strategies must not count on what
 * they have seen. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/strategies.h"

#define MOST 96u

struct varying {
	struct vtb_runner runner;
	struct vtb_symtab tab;
	uint32_t handle[MOST];
	uint32_t x;
	uint64_t runs;
};

/* By turns few and many; the many grow in number. */
static uint32_t threads_of_run(uint64_t run)
{
	return run % 2 ? 2 : (uint32_t)(3 + 5 * run) % MOST;
}

static int add(struct vtb_exec *x, uint32_t thread, uint8_t kind, uint32_t var, uint64_t alive[2])
{
	if (vtb_array_room(x, events) < 0)
		return -1;
	x->events[x->n_events] =
	    (struct vtb_event){ .thread = (uint16_t)thread, .kind = kind, .var = var, .site = VTB_NONE };
	if (kind == VTB_E_READ || kind == VTB_E_WRITE) {
		x->events[x->n_events].addr = 0x1000;
		x->events[x->n_events].size = 4;
	}
	vtb_event_classify(&x->events[x->n_events]);
	x->n_events++;
	for (int i = 0; i < 2; i++) {
		if (vtb_array_room(x, enabled) < 0)
			return -1;
		x->enabled[x->n_enabled++] = alive[i];
	}
	return 0;
}

/* Every child writes and ends before the next one is born or, in every third run, after all are. */
static void fill(struct varying *v, struct vtb_exec *x, uint32_t n)
{
	const bool later = v->runs % 3 == 0;
	uint64_t alive[2] = { 1, 0 };

	memset(x, 0, sizeof(*x));
	x->stride = 2;
	x->outcome = (struct vtb_outcome){
		.thread = VTB_NONE, .site = VTB_NONE, .var = VTB_NONE, .message = "", .signature = ""
	};
	add(x, 0, VTB_E_THREAD_BEGIN, v->handle[0], alive);
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t t = 1; t < n; t++) {
			if (pass == 0) {
				add(x, 0, VTB_E_THREAD_CREATE, v->handle[t], alive);
				alive[t / 64] |= 1ull << t % 64;
			}
			if (pass != later)
				continue;
			add(x, t, VTB_E_THREAD_BEGIN, v->handle[t], alive);
			add(x, t, VTB_E_READ, v->x, alive);
			add(x, t, VTB_E_WRITE, v->x, alive);
			add(x, t, VTB_E_THREAD_END, v->handle[t], alive);
			alive[t / 64] &= ~(1ull << t % 64);
		}
	add(x, 0, VTB_E_PROCESS_EXIT, v->handle[0], alive);
}

static int run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs,
               struct vtb_error *err)
{
	struct varying *v = (struct varying *)runner;

	(void)schedules;
	(void)err;
	for (size_t i = 0; i < n; i++, v->runs++)
		fill(v, &execs[i], threads_of_run(v->runs));
	runner->schedules += n;
	return 0;
}

static size_t batch(const struct vtb_runner *runner)
{
	(void)runner;
	return 4;
}

static void release(struct vtb_runner *runner)
{
	struct varying *v = (struct varying *)runner;

	vtb_symtab_fini(&v->tab);
	free(v);
}

static const struct vtb_runner_ops ops = { .name = "varying", .run = run, .batch = batch, .free = release };

static uint32_t variable(struct varying *v, enum vtb_object_kind kind, uint32_t thread, const char *name)
{
	const int64_t object = vtb_symtab_add_object(
	    &v->tab, &(struct vtb_object){ .kind = kind, .name = name, .thread = thread, .site = VTB_NONE });

	return (uint32_t)vtb_symtab_add_variable(&v->tab,
	                                         &(struct vtb_variable){ .object = (uint32_t)object, .name = name });
}

static struct vtb_runner *varying_runner(void)
{
	struct varying *v = calloc(1, sizeof(*v));

	assert_non_null(v);
	v->runner = (struct vtb_runner){ .ops = &ops, .tab = &v->tab };
	for (uint32_t t = 0; t < MOST; t++) {
		vtb_symtab_thread(&v->tab, t ? 0 : VTB_NONE, t ? t - 1 : 0);
		v->handle[t] = variable(v, VTB_OBJ_THREAD, t, vtb_thread_path(&v->tab, t));
	}
	v->x = variable(v, VTB_OBJ_GLOBAL, VTB_NONE, "x");
	return &v->runner;
}

/* AddressSanitizer looks on: a list sized by the living, filled with all threads, was written past its end (cvt). */
static void no_strategy_writes_past_its_lists(void **state)
{
	const char *name, *help;

	(void)state;
	for (size_t i = 0; (name = vtb_strategy_name(i, &help)); i++) {
		for (uint32_t t = 2; t < 5; t++) {
			struct vtb_runner *runner = varying_runner();
			const struct vtb_search_calls calls = { 0 };
			struct vtb_search_opts opts;
			struct vtb_search *search;

			vtb_search_opts_init(&opts);
			opts.strategy = name;
			opts.t = t;
			opts.symmetry = t % 2;
			opts.budget = 48;
			opts.seed = t;
			assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
			assert_true(vtb_search_run(search, &calls, NULL) >= 0);
			assert_true(vtb_search_stats(search)->schedules > 0);
			vtb_search_free(search);
			vtb_runner_free(runner);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_strategy_writes_past_its_lists),
	};

	return cmocka_run_group_tests_name("varying", tests, NULL, NULL);
}
