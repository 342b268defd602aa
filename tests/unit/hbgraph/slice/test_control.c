/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What decides whether a block is executed, on random flow graphs, against the definition by brute force. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "compiled.h"
#include "nodes.h"
#include "vtb/graph.h"

#define BLOCKS 9
#define ROUNDS 3000

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* A function of n blocks of one instruction, with up to three ways from each; block n - 1 returns, and others may. */
struct made {
	struct insn insns[BLOCKS];
	struct block blocks[BLOCKS];
	uint32_t edges[BLOCKS * BLOCKS * 2];
	struct function function;
	struct program p;
	bool leads[BLOCKS][BLOCKS + 1]; /* BLOCKS: out */
};

static void add_way(struct made *m, uint32_t from, uint32_t to)
{
	struct block *b = &m->blocks[from];

	for (uint32_t k = 0; k < b->n_succ; k++)
		if (m->edges[b->succ + k] == to)
			return;
	m->edges[m->p.n_edges++] = to;
	b->n_succ++;
	m->leads[from][to] = true;
}

static void make(struct made *m, uint32_t n, uint32_t *random)
{
	memset(m, 0, sizeof(*m));
	m->p.edges = m->edges;
	for (uint32_t b = 0; b < n; b++) {
		m->blocks[b] = (struct block){ .first = b, .n = 1, .succ = (uint32_t)m->p.n_edges };
		m->insns[b] = (struct insn){ .block = b, .callee = NONE, .flow = FLOW_NEXT };
		for (uint32_t k = next_random(random) % 4; k > 0 && b + 1 < n; k--)
			add_way(m, b, next_random(random) % n);
		if (b + 1 < n && next_random(random) % 4)
			add_way(m, b, b + 1);
		m->blocks[b].exits = b + 1 == n || next_random(random) % 8 == 0;
	}
	for (uint32_t b = 0; b < n; b++) {
		m->blocks[b].pred = (uint32_t)m->p.n_edges;
		for (uint32_t a = 0; a < n; a++)
			if (m->leads[a][b]) {
				m->edges[m->p.n_edges++] = a;
				m->blocks[b].n_pred++;
			}
	}
	m->function = (struct function){ .name = "f", .n = n, .n_blocks = n };
	m->p.insns = m->insns;
	m->p.n_insns = n;
	m->p.blocks = m->blocks;
	m->p.n_blocks = n;
	m->p.functions = &m->function;
	m->p.n_functions = 1;
}

/* Is there a way out from `at` without block `but`? */
static bool gets_out(const struct made *m, uint32_t n, uint32_t at, uint32_t but, uint32_t seen)
{
	if (at == but || seen >> at & 1)
		return false;
	if (m->leads[at][BLOCKS])
		return true;
	for (uint32_t to = 0; to < n; to++)
		if (m->leads[at][to] && gets_out(m, n, to, but, seen | 1u << at))
			return true;
	return false;
}

/* b is on every way out from `at`. */
static bool is_sure(const struct made *m, uint32_t n, uint32_t b, uint32_t at)
{
	return b == at || !gets_out(m, n, at, b, 0);
}

static bool decides(const struct made *m, uint32_t n, uint32_t a, uint32_t b)
{
	if (a != b && is_sure(m, n, b, a))
		return false;
	for (uint32_t to = 0; to < n; to++)
		if (m->leads[a][to] && is_sure(m, n, b, to))
			return a != b || gets_out(m, n, a, BLOCKS + 1, 0);
	return false;
}

static bool is_decider(const struct made *m, uint32_t a, uint32_t b)
{
	for (uint32_t k = 0; k < m->blocks[b].n_decided; k++)
		if (m->p.deciders[m->blocks[b].decided + k] == a)
			return true;
	return false;
}

static void deciders_are_those_of_the_definition(void **state)
{
	uint32_t random = 7, found = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const uint32_t n = 2 + next_random(&random) % (BLOCKS - 1);
		struct made m;

		make(&m, n, &random);
		assert_int_equal(program_control(&m.p), 0);
		for (uint32_t b = 0; b < n; b++) /* loops without an end are left somewhere: ask where */
			m.leads[b][BLOCKS] = m.blocks[b].exits;
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				assert_int_equal(is_decider(&m, a, b), decides(&m, n, a, b));
		found += (uint32_t)m.p.n_deciders;
		free(m.p.deciders);
	}
	assert_true(found > ROUNDS);
}

static bool reaches(const struct vtb_graph *g, uint32_t from, uint32_t to, uint32_t but, uint32_t seen)
{
	if (from == but || seen >> from & 1)
		return false;
	if (from == to)
		return true;
	for (size_t e = 0; e < g->n_edges; e++)
		if (g->edges[e].from == from && reaches(g, g->edges[e].to, to, but, seen | 1u << from))
			return true;
	return false;
}

static bool dominates(const struct vtb_graph *g, uint32_t a, uint32_t b)
{
	return a == b || !reaches(g, 0, b, a, 0);
}

static void dominators_are_those_of_the_definition(void **state)
{
	uint32_t random = 3;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct vtb_graph_edge edges[24];
		const uint32_t n = 1 + next_random(&random) % BLOCKS;
		struct vtb_graph g = { .n_nodes = n, .edges = edges, .n_edges = next_random(&random) % 24 };
		uint32_t idom[BLOCKS];

		for (size_t e = 0; e < g.n_edges; e++)
			edges[e] = (struct vtb_graph_edge){ next_random(&random) % n, next_random(&random) % n };
		assert_int_equal(vtb_graph_dominators(&g, 0, idom), 0);
		for (uint32_t b = 0; b < n; b++) {
			if (b == 0 || !reaches(&g, 0, b, UINT32_MAX, 0)) {
				assert_int_equal(idom[b], b);
				continue;
			}
			assert_int_not_equal(idom[b], b);
			assert_true(dominates(&g, idom[b], b));
			for (uint32_t a = 0; a < n; a++) /* nothing stands between the two */
				if (a != b && reaches(&g, 0, a, UINT32_MAX, 0) && dominates(&g, a, b))
					assert_true(dominates(&g, a, idom[b]));
		}
	}
}

/* Each block has one before it, or none. */
static void a_way_back_ends_or_is_round(void **state)
{
	uint32_t random = 7;

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct way_back way = { .until = 1, .marked = NONE };
		uint32_t pred[BLOCKS], at = 0, steps = 0, ends = 0;

		for (uint32_t b = 0; b < BLOCKS; b++)
			pred[b] = next_random(&random) % 4 ? next_random(&random) % BLOCKS : NONE;
		for (uint32_t b = 0; b != NONE && ends <= BLOCKS; b = pred[b])
			ends++;
		while (at != NONE && steps < 5 * BLOCKS && !way_back_is_round(&way, at)) {
			at = pred[at];
			steps++;
		}
		assert_true(steps < 5 * BLOCKS);
		assert_int_equal(at == NONE, ends <= BLOCKS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deciders_are_those_of_the_definition),
		cmocka_unit_test(dominators_are_those_of_the_definition),
		cmocka_unit_test(a_way_back_ends_or_is_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
