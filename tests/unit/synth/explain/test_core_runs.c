/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which runs an order holds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "core_literals.h"
#include "core_missed.h"

#define WRITE 0u /* the first operation that is met */
#define READ 1u

/* Thread 1 writes at 0x1000, thread 2 reads there or elsewhere; `first`: the read comes first. */
static void add(struct core_runs *runs, bool fails, bool first, uint64_t reads_at)
{
	struct vtb_event events[] = {
		{ .thread = 1, .site = 1, .kind = VTB_E_WRITE, .addr = 0x1000, .size = 4 },
		{ .thread = 2, .site = 2, .kind = VTB_E_READ, .addr = reads_at, .size = 4 },
	};
	const struct vtb_event swapped = events[0];
	const struct vtb_exec x = { .events = events,
		                    .n_events = 2,
		                    .stride = 1,
		                    .outcome = { .verdict = fails ? VTB_V_ASSERTION : VTB_V_NONE } };

	if (first) {
		events[0] = events[1];
		events[1] = swapped;
	}
	assert_int_equal(core_runs_add(runs, &x), 1);
}

static void an_order_of_one_place_holds_as_it_was(void **state)
{
	static struct vtb_thread threads[3];
	const struct vtb_symtab tab = { .threads = threads, .n_threads = 3 };
	struct core_runs runs = { .tab = &tab, .verdict = VTB_V_ASSERTION };

	(void)state;
	add(&runs, false, false, 0x1000);
	add(&runs, true, true, 0x1000);
	assert_true(core_holds(&runs.runs[0], WRITE, READ));
	assert_false(core_holds(&runs.runs[0], READ, WRITE));
	assert_true(core_holds(&runs.runs[1], READ, WRITE));
	assert_false(core_holds(&runs.runs[1], WRITE, READ));
	core_runs_fini(&runs);
}

/* One run stands for both orders: what only fails in one of them would be told of both. */
static void an_order_of_different_places_may_hold_in_a_run_that_passes_and_makes_none_fail(void **state)
{
	static struct vtb_thread threads[3];
	const struct vtb_symtab tab = { .threads = threads, .n_threads = 3 };
	struct core_runs runs = { .tab = &tab, .verdict = VTB_V_ASSERTION };

	(void)state;
	add(&runs, false, false, 0x2000);
	add(&runs, true, false, 0x2000);
	assert_true(core_holds(&runs.runs[0], WRITE, READ));
	assert_true(core_holds(&runs.runs[0], READ, WRITE));
	assert_false(core_holds(&runs.runs[1], WRITE, READ));
	assert_false(core_holds(&runs.runs[1], READ, WRITE));
	core_runs_fini(&runs);
}

/* A block is freed as a whole: what lies outside of it is elsewhere. */
static void a_block_that_is_freed_is_apart_from_what_lies_outside(void **state)
{
	const struct core_place block = { 0x200, 0x203 }, inside = { 0x202, 0x202 }, behind = { 0x204, 0x204 },
	                        unknown = { 0, 0 };
	struct core_place where[] = { block, inside, behind, unknown };
	const struct core_run run = { .where = where, .n_at = 4 };

	(void)state;
	assert_false(core_apart(&run, 0, 1));
	assert_true(core_apart(&run, 0, 2));
	assert_true(core_apart(&run, 2, 1));
	assert_false(core_apart(&run, 0, 3));
}

#define OWN 3000u /* accesses: as pairs more than are looked at in a run */

/* What a test framework does before the threads begin is no pair, however often it is done. */
static void what_one_thread_alone_touches_hides_nothing(void **state)
{
	static struct vtb_thread threads[3];
	static struct vtb_event events[OWN + 2];
	const struct vtb_symtab tab = { .threads = threads, .n_threads = 3 };
	struct core_runs runs = { .tab = &tab, .verdict = VTB_V_ASSERTION };
	const struct vtb_exec x = { .events = events, .n_events = OWN + 2, .stride = 1 };

	(void)state;
	for (size_t i = 0; i < OWN; i++)
		events[i] = (struct vtb_event){ .thread = 0, .site = 3, .kind = VTB_E_WRITE, .addr = 0x500, .size = 8 };
	events[OWN] = (struct vtb_event){ .thread = 1, .site = 1, .kind = VTB_E_WRITE, .addr = 0x1000, .size = 4 };
	events[OWN + 1] = (struct vtb_event){ .thread = 2, .site = 2, .kind = VTB_E_READ, .addr = 0x1000, .size = 4 };
	assert_int_equal(core_runs_add(&runs, &x), 1);
	assert_int_equal(runs.n_pairs, 1);
	core_runs_fini(&runs);
}

/* ---- how a signal was missed */

enum { T_EARLY, T_LOCK, T_TEST, T_STORE, T_SIGNAL, T_WAIT, T_EVENTS };

/* Thread 1 reads, takes the mutex, tests and waits; in between thread 2 writes and signals. */
static void miss(enum vtb_verdict verdict, bool still, struct core_missed *ret, struct core_runs *runs)
{
	static struct vtb_thread threads[3];
	static const struct vtb_symtab tab = { .threads = threads, .n_threads = 3 };
	struct vtb_event events[] = {
		[T_EARLY] = { .thread = 1, .site = 2, .kind = VTB_E_READ, .addr = 0x3000, .size = 4 },
		[T_LOCK] = { .thread = 1, .site = 3, .kind = VTB_E_LOCK, .addr = 0x2000 },
		[T_TEST] = { .thread = 1, .site = 4, .kind = VTB_E_READ, .addr = 0x1000, .size = 4 },
		[T_STORE] = { .thread = 2, .site = 5, .kind = VTB_E_WRITE, .addr = 0x1000, .size = 4 },
		[T_SIGNAL] = { .thread = 2, .site = 6, .kind = VTB_E_COND_SIGNAL, .addr = 0x4000 },
		[T_WAIT] = { .thread = 1, .site = 7, .kind = VTB_E_COND_WAIT, .addr = 0x4000 },
	};
	struct vtb_event pending = { .thread = 1, .kind = VTB_E_COND_WAKE, .addr = 0x4000 };
	const struct vtb_exec x = { .events = events,
		                    .n_events = T_EVENTS,
		                    .stride = 1,
		                    .pending = &pending,
		                    .n_pending = still,
		                    .outcome = { .verdict = verdict } };

	*runs = (struct core_runs){ .tab = &tab, .verdict = verdict };
	assert_int_equal(core_runs_add(runs, &x), 1);
	assert_int_equal(core_missed_of(runs, &runs->runs[0], ret), 0);
}

static void a_signal_is_missed_between_the_test_and_the_wait(void **state)
{
	struct core_missed missed;
	struct core_runs runs;

	(void)state;
	miss(VTB_V_LOST_WAKEUP, true, &missed, &runs);
	for (uint32_t a = 0; a < T_EVENTS; a++)
		for (uint32_t b = 0; b < T_EVENTS; b++)
			assert_int_equal(core_missed_by(&missed, &runs, a, b),
			                 (a == T_TEST && b == T_STORE) || (a == T_SIGNAL && b == T_WAIT));
	core_missed_fini(&missed);
	core_runs_fini(&runs);
}

static void nobody_has_missed_a_signal_in_another_failure_or_who_was_woken(void **state)
{
	static const struct {
		enum vtb_verdict verdict;
		bool still;
	} other[] = { { VTB_V_DEADLOCK, true }, { VTB_V_LOST_WAKEUP, false } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct core_missed missed;
		struct core_runs runs;

		miss(other[i].verdict, other[i].still, &missed, &runs);
		assert_false(core_missed_by(&missed, &runs, T_TEST, T_STORE));
		assert_false(core_missed_by(&missed, &runs, T_SIGNAL, T_WAIT));
		core_missed_fini(&missed);
		core_runs_fini(&runs);
	}
}

enum { L_LOCK, L_TEST, L_STORE, L_SIGNAL, L_WAIT, L_OPERATIONS };

/* A run of the operations above in the order that `order` says, and whether its signal before the wait is to blame. The
 * first run that is met numbers them. */
static bool blames(const unsigned *order, size_t n)
{
	static struct vtb_thread threads[3];
	static const struct vtb_symtab tab = { .threads = threads, .n_threads = 3 };
	static const struct vtb_event operations[] = {
		[L_LOCK] = { .thread = 1, .site = 3, .kind = VTB_E_LOCK, .addr = 0x2000 },
		[L_TEST] = { .thread = 1, .site = 4, .kind = VTB_E_READ, .addr = 0x1000, .size = 4 },
		[L_STORE] = { .thread = 2, .site = 5, .kind = VTB_E_WRITE, .addr = 0x1000, .size = 4 },
		[L_SIGNAL] = { .thread = 2, .site = 6, .kind = VTB_E_COND_SIGNAL, .addr = 0x4000 },
		[L_WAIT] = { .thread = 1, .site = 7, .kind = VTB_E_COND_WAIT, .addr = 0x4000 },
	};
	struct vtb_event all[L_OPERATIONS], events[L_OPERATIONS],
	    pending = { .thread = 1, .kind = VTB_E_COND_WAKE, .addr = 0x4000 };
	const struct vtb_exec passes = { .events = all, .n_events = L_OPERATIONS, .stride = 1 },
	                      x = { .events = events,
		                    .n_events = n,
		                    .stride = 1,
		                    .pending = &pending,
		                    .n_pending = 1,
		                    .outcome = { .verdict = VTB_V_LOST_WAKEUP } };
	struct core_runs runs = { .tab = &tab, .verdict = VTB_V_LOST_WAKEUP };
	struct core_missed missed;
	bool ret;

	memcpy(all, operations, sizeof(all));
	for (size_t i = 0; i < n; i++)
		events[i] = operations[order[i]];
	assert_int_equal(core_runs_add(&runs, &passes), 1);
	assert_int_equal(core_runs_add(&runs, &x), 1);
	assert_int_equal(core_missed_of(&runs, &runs.runs[1], &missed), 0);
	ret = core_missed_by(&missed, &runs, L_SIGNAL, L_WAIT);
	core_missed_fini(&missed);
	core_runs_fini(&runs);
	return ret;
}

static void a_signal_before_the_test_or_of_no_change_is_not_to_blame(void **state)
{
	static const unsigned missed[] = { L_LOCK, L_TEST, L_STORE, L_SIGNAL, L_WAIT },
	                      before_it[] = { L_SIGNAL, L_LOCK, L_TEST, L_STORE, L_WAIT },
	                      still_to_come[] = { L_LOCK, L_TEST, L_SIGNAL, L_WAIT };

	(void)state;
	assert_true(blames(missed, 5));
	assert_false(blames(before_it, 5));
	assert_false(blames(still_to_come, 4));
}

/* ---- who used what is freed */

enum { F_MADE, F_GOT, F_FREED, F_OTHER, F_SEEN, F_USED, F_EVENTS };

/* Thread 1 reads a block and a flag, thread 2 frees the block and sets the flag, thread 1 reads the flag and the block
 * again: which orders are about the block? */
static void the_orders_about_a_block_that_is_used_after_it_is_freed_come_first(void **state)
{
	static struct vtb_thread threads[3];
	static const struct vtb_symtab tab = { .threads = threads, .n_threads = 3 };
	struct vtb_event events[] = {
		[F_MADE] = { .thread = 2, .site = 1, .kind = VTB_E_WRITE, .addr = 0x2000, .size = 4 },
		[F_GOT] = { .thread = 1, .site = 2, .kind = VTB_E_READ, .addr = 0x1008, .size = 4 },
		[F_FREED] = { .thread = 2, .site = 3, .kind = VTB_E_FREE, .addr = 0x1000, .size = 32 },
		[F_OTHER] = { .thread = 2, .site = 4, .kind = VTB_E_WRITE, .addr = 0x3000, .size = 4 },
		[F_SEEN] = { .thread = 1, .site = 5, .kind = VTB_E_READ, .addr = 0x3000, .size = 4 },
		[F_USED] = { .thread = 1, .site = 6, .kind = VTB_E_READ, .addr = 0x1010, .size = 4 },
	};
	static const enum vtb_verdict verdicts[] = { VTB_V_MEMORY, VTB_V_ASSERTION };

	(void)state;
	for (size_t v = 0; v < 2; v++) {
		const struct vtb_exec x = { .events = events,
			                    .n_events = F_EVENTS,
			                    .stride = 1,
			                    .outcome = { .verdict = verdicts[v], .thread = 1 } };
		const struct vtb_exec passes = { .events = events, .n_events = F_EVENTS, .stride = 1 };
		struct core_runs runs = { .tab = &tab, .verdict = verdicts[v] };
		struct core_literals all;
		size_t of_block = 0;

		assert_int_equal(core_runs_add(&runs, &x), 1);
		assert_int_equal(core_runs_add(&runs, &passes), 1);
		assert_int_equal(core_literals_of(&runs, 0, &all), 0);
		assert_int_equal(all.n_literals, 3);
		for (size_t i = 0; i < all.n_literals; i++) {
			const bool freed = all.literals[i].before == F_FREED || all.literals[i].after == F_FREED;

			assert_int_equal(all.literals[i].of_freed, freed && verdicts[v] == VTB_V_MEMORY);
			of_block += all.literals[i].of_freed;
		}
		assert_int_equal(all.n_first, of_block);
		for (size_t i = 0; i < of_block; i++)
			assert_true(all.literals[i].of_freed);
		core_literals_fini(&all);
		core_runs_fini(&runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_is_missed_between_the_test_and_the_wait),
		cmocka_unit_test(nobody_has_missed_a_signal_in_another_failure_or_who_was_woken),
		cmocka_unit_test(a_signal_before_the_test_or_of_no_change_is_not_to_blame),
		cmocka_unit_test(the_orders_about_a_block_that_is_used_after_it_is_freed_come_first),
		cmocka_unit_test(an_order_of_one_place_holds_as_it_was),
		cmocka_unit_test(an_order_of_different_places_may_hold_in_a_run_that_passes_and_makes_none_fail),
		cmocka_unit_test(a_block_that_is_freed_is_apart_from_what_lies_outside),
		cmocka_unit_test(what_one_thread_alone_touches_hides_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
