/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of runs against what it says: a node for each different beginning, an end for each different run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "run_tree.h"

#define LENGTH 5u
#define RUNS 30u

static uint32_t below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % n;
}

/* A run as letters: 'a' is an operation of thread 0 on variable 0, 'b' of thread 1, 'c' of thread 2. */
static void add(struct run_tree *t, const char *word)
{
	struct vtb_event events[LENGTH + 1];
	uint64_t enabled[LENGTH + 1];
	struct vtb_exec x = { .events = events, .enabled = enabled, .stride = 1 };

	for (; word[x.n_events]; x.n_events++) {
		events[x.n_events] = (struct vtb_event){ .kind = VTB_E_WRITE, .value = x.n_events * 7 };
		events[x.n_events].thread = (uint16_t)(word[x.n_events] - 'a');
		enabled[x.n_events] = 1ull << events[x.n_events].thread;
	}
	assert_int_equal(run_tree_add(t, &x), 0);
}

static bool met(char words[][LENGTH + 1], size_t n, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) >= length && strncmp(words[i], words[n], length) == 0)
			return true;
	return false;
}

static bool met_whole(char words[][LENGTH + 1], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(words[i], words[n]) == 0)
			return true;
	return false;
}

static void beginnings_and_runs_stand_once(void **state)
{
	uint32_t seed = 3;

	(void)state;
	for (int round = 0; round < 200; round++) {
		char words[RUNS][LENGTH + 1] = { "" };
		struct run_tree t = { 0 };
		size_t beginnings = 1, different = 0; /* the empty one is the root */

		for (size_t i = 0; i < RUNS; i++) {
			const size_t length = 1 + below(&seed, LENGTH);

			for (size_t k = 0; k < length; k++)
				words[i][k] = (char)('a' + below(&seed, 3));
			for (size_t k = 1; k <= length; k++)
				beginnings += !met(words, i, k);
			different += !met_whole(words, i);
			add(&t, words[i]);
		}
		assert_int_equal(t.n_nodes, beginnings);
		assert_int_equal(t.ends, different);
		assert_int_equal(t.runs, RUNS);
		run_tree_fini(&t);
	}
}

/* How many nodes would be drawn. */
static size_t drawn(const struct run_tree *t)
{
	size_t n = 0;

	for (uint32_t i = 0; i < t->n_nodes; i++)
		n += !run_tree_passes(t, i);
	return n;
}

static void what_one_thread_does_without_a_branch_is_one_edge(void **state)
{
	struct run_tree t = { 0 };

	(void)state;
	add(&t, "aaab");
	assert_int_equal(drawn(&t), 3); /* root, after aaa, the end */
	add(&t, "aaba");
	assert_int_equal(drawn(&t), 6); /* aa, too, where they part, then aab and its end */
	add(&t, "aa");
	assert_int_equal(drawn(&t), 6);
	assert_int_equal(t.nodes[0].can, 1);
	run_tree_fini(&t);
}

static void other_operations_of_one_thread_are_other_steps(void **state)
{
	struct vtb_event events[2] = { { .kind = VTB_E_TRYLOCK, .value = 0 }, { .kind = VTB_E_FAIL } };
	uint64_t enabled[2] = { 1, 0 };
	struct vtb_exec x = { .events = events, .n_events = 2, .enabled = enabled, .stride = 1 };
	struct run_tree t = { 0 };

	(void)state;
	assert_int_equal(run_tree_add(&t, &x), 0);
	assert_int_equal(run_tree_add(&t, &x), 0);
	events[0].value = 16; /* it did not get the lock */
	assert_int_equal(run_tree_add(&t, &x), 0);
	assert_int_equal(t.ends, 2);
	assert_int_equal(t.n_nodes, 3); /* failing is no step */
	run_tree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beginnings_and_runs_stand_once),
		cmocka_unit_test(what_one_thread_does_without_a_branch_is_one_edge),
		cmocka_unit_test(other_operations_of_one_thread_are_other_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
