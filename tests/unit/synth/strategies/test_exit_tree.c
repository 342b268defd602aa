/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order in which orders of atomic blocks are tried: all of them whatever the order, few switches first, and no more
 * memory than the limit and a run. */
#include "agree.h"
#include "cases.h"
#include "exit_tree.h"
#include "vtb/rng.h"
#include "vtb/symtab.h"

/* Runs of `threads` threads with `blocks` blocks each. */
struct walk {
	struct exit_tree tree;
	unsigned threads, blocks;
	uint32_t path[64]; /* point by depth */
	uint32_t ran[64];
	uint64_t runs;
	size_t most_points;
};

static uint32_t left_of(const struct walk *w, unsigned depth, uint32_t t)
{
	uint32_t done = 0;

	for (unsigned i = 0; i < depth; i++)
		done += w->ran[i] == t;
	return w->blocks - done;
}

static uint64_t can_run(const struct walk *w, unsigned depth)
{
	uint64_t set = 0;

	for (uint32_t t = 0; t < w->threads; t++)
		set |= (uint64_t)(left_of(w, depth, t) > 0) << t;
	return set;
}

/* Who ran goes on if it can, else the first who can. */
static uint32_t goes_on(const struct walk *w, unsigned depth)
{
	const uint64_t can = can_run(w, depth);

	return depth && can >> w->ran[depth - 1] & 1 ? w->ran[depth - 1] : (uint32_t)__builtin_ctzll(can);
}

/* A run from depth `from` on, at which `first` is tried; a point above that is new. */
static void run(struct walk *w, unsigned from, const struct exit_try *first)
{
	const unsigned end = w->threads * w->blocks;
	int64_t via = 0;

	for (unsigned depth = from; depth < end; depth++) {
		const bool given = first && depth == from;
		const struct exit_try next = given ? *first : (struct exit_try){ .thread = goes_on(w, depth) };
		const uint64_t open = can_run(w, depth) & ~(1ull << next.thread);

		if (!given)
			w->path[depth] = (uint32_t)exit_tree_point(&w->tree, depth ? w->path[depth - 1] : VTB_NONE,
			                                           (uint32_t)via, &open, 1);
		w->ran[depth] = next.thread;
		via = exit_tree_try(&w->tree, w->path[depth], &next);
		assert_true(via >= 0);
	}
	exit_tree_settle(&w->tree, w->path[end - 1]);
	w->runs++;
	if (w->tree.n_points - w->tree.n_unused > w->most_points)
		w->most_points = w->tree.n_points - w->tree.n_unused;
}

static unsigned go_to(struct walk *w, uint32_t point)
{
	uint32_t up[64];
	unsigned n = 0;

	for (uint32_t p = point; p != VTB_NONE; p = w->tree.points[p].parent)
		up[n++] = p;
	for (unsigned i = 0; i < n; i++) {
		w->path[i] = up[n - 1 - i];
		if (i)
			w->ran[i - 1] = w->tree.points[w->path[i - 1]].tries[w->tree.points[w->path[i]].via].thread;
	}
	return n - 1;
}

static unsigned switches(const struct walk *w)
{
	unsigned n = 0;

	for (unsigned i = 1; i < w->threads * w->blocks; i++)
		n += w->ran[i] != w->ran[i - 1] && left_of(w, i, w->ran[i - 1]) > 0;
	return n;
}

static void try_all(struct walk *w, unsigned threads, unsigned blocks, size_t many, bool *ret_rising)
{
	unsigned before = 0;
	struct exit_try next;
	int64_t point;

	*w = (struct walk){ .threads = threads, .blocks = blocks, .tree.many = many };
	*ret_rising = true;
	run(w, 0, NULL);
	while ((point = exit_tree_next(&w->tree, false, &next)) != VTB_NONE) {
		assert_true(point >= 0);
		run(w, go_to(w, (uint32_t)point), &next);
		*ret_rising &= switches(w) >= before;
		before = switches(w);
	}
	assert_int_equal(w->tree.n_points, w->tree.n_unused); /* nothing is left of it */
	exit_tree_fini(&w->tree);
}

static uint64_t orders(unsigned threads, unsigned blocks)
{
	uint64_t n = 1;

	for (unsigned i = 1; i < threads; i++) /* multinomial: choose places for each thread's blocks */
		for (unsigned k = 1; k <= blocks; k++)
			n = n * (i * blocks + k) / k;
	return n;
}

static void all_orders_are_tried_whatever_comes_first(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 4; threads++)
		for (unsigned blocks = 1; blocks <= (threads < 4 ? 4u : 2u); blocks++)
			for (size_t many = 0; many <= 1; many++) {
				struct walk w;
				bool rising;

				try_all(&w, threads, blocks, many, &rising);
				assert_int_equal(w.runs, orders(threads, blocks));
				assert_true(rising || many);
				if (many) /* newest first: what is open hangs on one path */
					assert_true(w.most_points <= threads * blocks + 1);
			}
}

static void a_limit_in_between_holds_with_one_run_more(void **state)
{
	struct walk free_of_it, w;
	bool rising;

	(void)state;
	try_all(&free_of_it, 3, 4, 0, &rising);
	assert_true(free_of_it.most_points > 1000);
	try_all(&w, 3, 4, 200, &rising);
	assert_int_equal(w.runs, free_of_it.runs);
	assert_in_range(w.most_points, 200, 200 + 2 * 12);
}

/* ---- four threads with fifteen regions each */

#define REGIONS 15

static void region(struct prog *p, int t, enum prog_code code, int lock, int var)
{
	prog_add(p, t, (struct prog_instr){ .code = P_LOCK, .obj = lock, .reg = 1, .k = 1 });
	prog_add(p, t, (struct prog_instr){ .code = code, .obj = var, .reg = 1, .k = 1 });
	prog_add(p, t, (struct prog_instr){ .code = P_UNLOCK, .obj = lock, .reg = 1, .k = 1 });
}

/* Threads `a` and `b` increment a counter in two regions of one lock, the `at`-th on; all else is theirs alone or
 * locked. */
static void make_split(struct prog *p, int a, int b, int at)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = 5;
	p->n_vars = 2;
	p->n_locks = 2;
	p->n_conds = 1;
	prog_create_all(p);
	for (int t = 1; t <= 4; t++)
		for (int i = 0; i < REGIONS; i++) {
			const bool counts = (t == a || t == b) && (i == at || i == at + 1);

			region(p, t, counts && i == at ? P_READ : P_STORE, counts, counts);
		}
	prog_join_all(p);
	prog_add(p, 0, (struct prog_instr){ .code = P_READ, .obj = 1, .reg = 1 });
	prog_add(p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 1, .k = 2 });
}

static enum vtb_search_reply stop(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                                  struct vtb_tuple t, void *data)
{
	(void)search;
	(void)s;
	(void)x;
	(void)t;
	(void)data;
	return VTB_SEARCH_STOP;
}

static uint64_t runs_until_failure(const struct prog *p, bool rw)
{
	const struct vtb_search_calls calls = { .failing = stop };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;
	uint64_t runs;

	vtb_search_opts_init(&opts);
	opts.strategy = "exitblock";
	opts.rw = rw;
	opts.budget = 3000;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	runs = vtb_search_run(search, &calls, NULL) == VTB_SEARCH_FOUND ? vtb_search_stats(search)->schedules : 0;
	vtb_search_free(search);
	vtb_runner_free(runner);
	return runs;
}

/* One switch is enough for it: at most the 24 orders of whole threads come before, and the switches away from one of 4
 * threads, at one of its 15 regions, beginning or end, to one of 3. */
static void a_split_among_many_regions_is_found_by_its_one_switch(void **state)
{
	const int pairs[][2] = { { 1, 2 }, { 1, 4 }, { 3, 4 } }, places[] = { 0, 7, REGIONS - 2 };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++)
			for (int rw = 0; rw < 2; rw++) {
				struct prog p;
				uint64_t runs;

				make_split(&p, pairs[i][0], pairs[i][1], places[k]);
				runs = runs_until_failure(&p, rw);
				printf("threads %d and %d, region %d%s: %llu runs\n", pairs[i][0], pairs[i][1],
				       places[k], rw ? ", --rw" : "", (unsigned long long)runs);
				assert_in_range(runs, 2, 24 + 4 * (REGIONS + 2) * 3);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_orders_are_tried_whatever_comes_first),
		cmocka_unit_test(a_limit_in_between_holds_with_one_run_more),
		cmocka_unit_test(a_split_among_many_regions_is_found_by_its_one_switch),
	};

	return cmocka_run_group_tests_name("exit_tree", tests, NULL, NULL);
}
