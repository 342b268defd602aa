/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which orders of a failing run say something. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "core_literals.h"

enum { S_FIRST = 1, S_AGAIN, S_EXIT };

static void add(struct core_runs *runs, struct vtb_event *events, size_t n, enum vtb_verdict verdict)
{
	const struct vtb_exec x = {
		.events = events, .n_events = n, .stride = 1, .outcome = { .verdict = verdict, .thread = 1 }
	};

	assert_int_equal(core_runs_add(runs, &x), 1);
}

static struct vtb_event does(uint32_t thread, unsigned kind, uint32_t site)
{
	return (struct vtb_event){ .thread = (uint16_t)thread,
		                   .kind = (uint8_t)kind,
		                   .addr = kind == VTB_E_WRITE ? 0x1000 : 0,
		                   .size = 4,
		                   .site = site,
		                   .var = VTB_NONE };
}

/* Thread 1 writes twice and fails. In a run that passes it writes once, and is over before the process is, or not. */
static size_t orders_with_the_end(bool awaited)
{
	static struct vtb_thread threads[2];
	const struct vtb_symtab tab = { .threads = threads, .n_threads = 2 };
	struct core_runs runs = { .tab = &tab, .verdict = VTB_V_ASSERTION };
	struct vtb_event passes[] = { does(1, VTB_E_WRITE, S_FIRST),
		                      does(1, awaited ? VTB_E_THREAD_END : VTB_E_YIELD, 0),
		                      does(0, VTB_E_PROCESS_EXIT, S_EXIT) },
	                 fails[] = { does(1, VTB_E_WRITE, S_FIRST), does(1, VTB_E_WRITE, S_AGAIN) };
	struct core_literals all;
	size_t n = 0;

	add(&runs, passes, 3, VTB_V_NONE);
	add(&runs, fails, 2, VTB_V_ASSERTION);
	assert_int_equal(core_literals_of(&runs, 1, &all), 0);
	for (size_t i = 0; i < all.n_literals; i++)
		n += runs.ops[all.literals[i].after].kind == VTB_E_PROCESS_EXIT;
	core_literals_fini(&all);
	core_runs_fini(&runs);
	return n;
}

static void that_a_thread_came_before_the_end_says_nothing_if_the_process_waits_for_it(void **state)
{
	(void)state;
	assert_int_equal(orders_with_the_end(false), 1);
	assert_int_equal(orders_with_the_end(true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(that_a_thread_came_before_the_end_says_nothing_if_the_process_waits_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
