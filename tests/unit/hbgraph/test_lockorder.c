/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make_trace.h"

#include <errno.h>

#include "vtb/error.h"
#include "vtb/graph.h"
#include "vtb/lockorder.h"

static void nest(struct vtb_trace *t, uint32_t thread, uint32_t outer, uint32_t inner, uint32_t line)
{
	t_event(t, thread, VTB_E_LOCK, outer, line);
	t_event(t, thread, VTB_E_LOCK, inner, line + 1);
	t_event(t, thread, VTB_E_UNLOCK, inner, line + 2);
	t_event(t, thread, VTB_E_UNLOCK, outer, line + 3);
}

/* Two locks in both orders, `gate` around both if it is not VTB_NONE, by these threads. */
static void two_orders(struct vtb_trace *t, struct vtb_lockorder *lo, uint32_t first, uint32_t second, bool gate)
{
	uint32_t a, b, g;

	t_begin(t, 3);
	a = t_lock(t, "a");
	b = t_lock(t, "b");
	g = t_lock(t, "g");
	if (gate)
		t_event(t, first, VTB_E_LOCK, g, 50);
	nest(t, first, a, b, 10);
	if (gate) {
		t_event(t, first, VTB_E_UNLOCK, g, 51);
		t_event(t, second, VTB_E_LOCK, g, 52);
	}
	nest(t, second, b, a, 20);
	if (gate)
		t_event(t, second, VTB_E_UNLOCK, g, 53);
	assert_int_equal(vtb_lockorder_of(t, lo), 0);
}

/* The cycle over a and b, whatever else there is. */
static const struct vtb_lock_cycle *only_cycle(const struct vtb_lockorder *lo)
{
	assert_int_equal(lo->n_cycles, 1);
	assert_int_equal(lo->cycles[0].n_edges, 2);
	return &lo->cycles[0];
}

static void opposite_orders_in_two_threads_can_deadlock(void **state)
{
	struct vtb_trace t;
	struct vtb_lockorder lo;
	const struct vtb_lock_cycle *cycle;

	(void)state;
	two_orders(&t, &lo, 1, 2, false);
	cycle = only_cycle(&lo);
	assert_int_equal(cycle->state, VTB_CYCLE_POSSIBLE);
	assert_int_equal(lo.edges[cycle->edges[0]].wanted, lo.edges[cycle->edges[1]].held);
	assert_int_equal(t.tab.sites[lo.edges[cycle->edges[0]].held_site].line, 10);
	assert_int_equal(t.tab.sites[lo.edges[cycle->edges[0]].wanted_site].line, 11);
	vtb_lockorder_fini(&lo);
	vtb_trace_fini(&t);
}

static void one_thread_or_a_gate_lock_make_it_impossible(void **state)
{
	struct vtb_trace t;
	struct vtb_lockorder lo;

	(void)state;
	two_orders(&t, &lo, 1, 1, false);
	assert_int_equal(only_cycle(&lo)->state, VTB_CYCLE_SAME_THREAD);
	vtb_lockorder_fini(&lo);
	vtb_trace_fini(&t);
	two_orders(&t, &lo, 1, 2, true);
	assert_int_equal(only_cycle(&lo)->state, VTB_CYCLE_GATE);
	assert_string_equal(vtb_variable_name(&t.tab, only_cycle(&lo)->gate), "g");
	vtb_lockorder_fini(&lo);
	vtb_trace_fini(&t);
}

static void a_join_in_between_makes_it_impossible(void **state)
{
	struct vtb_trace t;
	struct vtb_lockorder lo;
	uint32_t a, b, child;

	(void)state;
	t_begin(&t, 2);
	a = t_lock(&t, "a");
	b = t_lock(&t, "b");
	child = t_thread(&t, 1);
	t_event(&t, 0, VTB_E_THREAD_CREATE, child, 1);
	t_event(&t, 1, VTB_E_THREAD_BEGIN, child, 0);
	nest(&t, 1, a, b, 10);
	t_event(&t, 1, VTB_E_THREAD_END, child, 0);
	t_event(&t, 0, VTB_E_THREAD_JOIN, child, 2);
	nest(&t, 0, b, a, 20);
	assert_int_equal(vtb_lockorder_of(&t, &lo), 0);
	assert_int_equal(only_cycle(&lo)->state, VTB_CYCLE_ORDERED);
	vtb_lockorder_fini(&lo);
	vtb_trace_fini(&t);
}

static void readers_do_not_shut_each_other_out(void **state)
{
	struct vtb_trace t;
	struct vtb_lockorder lo;
	uint32_t locks[2];

	(void)state;
	t_begin(&t, 3);
	locks[0] = t_lock(&t, "a");
	locks[1] = t_lock(&t, "b");
	for (uint32_t i = 0; i < 2; i++) {
		t_event(&t, 1 + i, VTB_E_RDLOCK, locks[i], 1 + 10 * i);
		t_event(&t, 1 + i, VTB_E_RDLOCK, locks[1 - i], 2 + 10 * i);
		t_event(&t, 1 + i, VTB_E_RWUNLOCK, locks[1 - i], 3 + 10 * i);
		t_event(&t, 1 + i, VTB_E_RWUNLOCK, locks[i], 4 + 10 * i);
	}
	assert_int_equal(vtb_lockorder_of(&t, &lo), 0);
	assert_int_equal(only_cycle(&lo)->state, VTB_CYCLE_READERS);
	vtb_lockorder_fini(&lo);
	vtb_trace_fini(&t);
}

static void a_trylock_asks_for_nothing_but_what_it_got_is_held(void **state)
{
	struct vtb_trace t;
	struct vtb_lockorder lo;
	uint32_t a, b;

	(void)state;
	t_begin(&t, 2);
	a = t_lock(&t, "a");
	b = t_lock(&t, "b");
	t_event(&t, 0, VTB_E_LOCK, a, 1);
	t_event(&t, 0, VTB_E_TRYLOCK, b, 2);
	assert_int_equal(vtb_lockorder_of(&t, &lo), 0);
	assert_int_equal(lo.n_edges, 0);
	vtb_lockorder_fini(&lo);
	t_event(&t, 0, VTB_E_LOCK, t_lock(&t, "c"), 3);
	assert_int_equal(vtb_lockorder_of(&t, &lo), 0);
	assert_int_equal(lo.n_edges, 2); /* from a and from b */
	vtb_lockorder_fini(&lo);
	vtb_trace_fini(&t);
}

static void locks_never_got_count_and_a_thread_can_block_itself(void **state)
{
	struct vtb_trace t;
	struct vtb_lockorder lo;
	uint32_t a;

	(void)state;
	t_begin(&t, 1);
	a = t_lock(&t, "a");
	t_event(&t, 0, VTB_E_LOCK, a, 1);
	t_event(&t, 0, VTB_E_LOCK, a, 2); /* recursive: fine */
	assert_int_equal(vtb_lockorder_of(&t, &lo), 0);
	assert_int_equal(lo.n_edges, 0);
	vtb_lockorder_fini(&lo);
	t_event(&t, 0, VTB_E_PENDING, a, 3)->aux = VTB_E_LOCK; /* not recursive: stuck */
	assert_int_equal(vtb_lockorder_of(&t, &lo), 0);
	assert_int_equal(lo.n_cycles, 1);
	assert_int_equal(lo.cycles[0].n_edges, 1);
	assert_int_equal(lo.cycles[0].state, VTB_CYCLE_POSSIBLE);
	assert_true(lo.edges[0].blocked);
	vtb_lockorder_fini(&lo);
	vtb_trace_fini(&t);
}

static void three_philosophers_make_one_circle(void **state)
{
	struct vtb_trace t;
	struct vtb_lockorder lo;
	uint32_t forks[3];

	(void)state;
	t_begin(&t, 4);
	for (int i = 0; i < 3; i++)
		forks[i] = t_lock(&t, "fork");
	for (uint32_t i = 0; i < 3; i++)
		for (int again = 0; again < 2; again++)
			nest(&t, 1 + i, forks[i], forks[(i + 1) % 3], 10 * (i + 1));
	assert_int_equal(vtb_lockorder_of(&t, &lo), 0);
	assert_int_equal(lo.n_edges, 3);
	assert_int_equal(lo.edges[0].count, 2);
	assert_int_equal(lo.n_cycles, 1);
	assert_int_equal(lo.cycles[0].n_edges, 3);
	assert_int_equal(lo.cycles[0].state, VTB_CYCLE_POSSIBLE);
	vtb_lockorder_fini(&lo);
	vtb_trace_fini(&t);
}

/* ---- graph.h, on a graph drawn by hand:  0 -> 1 -> 2 -> 3,  0 -> 2,  2 <-> 4,  5 */

static const struct vtb_graph_edge cyclic_edges[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 0, 2 }, { 2, 4 }, { 4, 2 } };
static const struct vtb_graph cyclic = { .n_nodes = 6, .edges = cyclic_edges, .n_edges = 6 };
static const struct vtb_graph acyclic = { .n_nodes = 6, .edges = cyclic_edges, .n_edges = 5 };

static void graphs_have_components(void **state)
{
	uint32_t component[6], n;

	(void)state;
	assert_int_equal(vtb_graph_components(&cyclic, component, &n), 0);
	assert_int_equal(n, 5);
	assert_int_equal(component[2], component[4]);
	assert_int_not_equal(component[2], component[3]);
}

static void transitive_reduction_keeps_what_nothing_else_says(void **state)
{
	static const struct vtb_graph_edge twice[] = { { 0, 1 }, { 0, 1 } };
	bool keep[6];
	uint32_t order[6];

	(void)state;
	assert_int_equal(vtb_graph_reduce(&acyclic, keep), 0);
	assert_true(keep[0] && keep[1] && keep[2] && keep[4]);
	assert_false(keep[3]); /* 0 -> 2, as 0 -> 1 -> 2 */
	assert_int_equal(vtb_graph_reduce(&(struct vtb_graph){ .n_nodes = 2, .edges = twice, .n_edges = 2 }, keep), 0);
	assert_true(keep[0] && !keep[1]);
	assert_int_equal(vtb_graph_sort(&acyclic, order), 0);
}

static void bad_graphs_are_errors_and_never_abort(void **state)
{
	static const struct vtb_graph_edge outside[] = { { 0, 6 } };
	const struct vtb_graph bad = { .n_nodes = 6, .edges = outside, .n_edges = 1 }, none = { 0 };
	const struct vtb_graph large = { .n_nodes = VTB_GRAPH_REDUCE_MAX + 1 };
	uint32_t numbers[6], n;
	bool flags[6];

	(void)state;
	assert_int_equal(vtb_graph_components(&bad, numbers, &n), -EINVAL);
	assert_int_equal(vtb_graph_sort(&cyclic, numbers), -EINVAL);
	assert_int_equal(vtb_graph_reduce(&cyclic, flags), -EINVAL);
	assert_int_equal(vtb_graph_reduce(&large, flags), -VTB_E_LIMIT);
	assert_int_equal(vtb_graph_components(&none, numbers, &n), 0);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opposite_orders_in_two_threads_can_deadlock),
		cmocka_unit_test(one_thread_or_a_gate_lock_make_it_impossible),
		cmocka_unit_test(a_join_in_between_makes_it_impossible),
		cmocka_unit_test(readers_do_not_shut_each_other_out),
		cmocka_unit_test(a_trylock_asks_for_nothing_but_what_it_got_is_held),
		cmocka_unit_test(locks_never_got_count_and_a_thread_can_block_itself),
		cmocka_unit_test(three_philosophers_make_one_circle),
		cmocka_unit_test(graphs_have_components),
		cmocka_unit_test(transitive_reduction_keeps_what_nothing_else_says),
		cmocka_unit_test(bad_graphs_are_errors_and_never_abort),
	};

	return cmocka_run_group_tests_name("lock order and graphs", tests, NULL, NULL);
}
