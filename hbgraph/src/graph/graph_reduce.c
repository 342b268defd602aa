/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Transitive reduction [TRANSITIVE72], which igraph does not have: nodes from last to
 * first, the successors of each from near to far; an edge to a node that a nearer successor reaches says nothing new.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/error.h"
#include "vtb/graph.h"

struct reducing {
	const struct vtb_graph *g;
	uint32_t *order, *rank; /* topological order and each node's place in it */
	size_t *by_from;        /* edges, sorted by (from, rank of to, place in the array) */
	uint64_t *reach;        /* row of `words` for each node: nodes reached, by rank */
	size_t words;
};

static int compare(const void *x, const void *y, void *reducing)
{
	const struct reducing *c = reducing;
	const size_t i = *(const size_t *)x, j = *(const size_t *)y;
	const struct vtb_graph_edge *a = &c->g->edges[i], *b = &c->g->edges[j];

	if (a->from != b->from)
		return c->rank[a->from] > c->rank[b->from] ? -1 : 1; /* last nodes first */
	if (a->to != b->to)
		return c->rank[a->to] < c->rank[b->to] ? -1 : 1;
	return i < j ? -1 : i > j;
}

static uint64_t *row_of(const struct reducing *c, uint32_t node)
{
	return c->reach + node * c->words;
}

static void reduce(struct reducing *c, bool *keep)
{
	for (size_t i = 0; i < c->g->n_edges; i++) {
		const struct vtb_graph_edge *e = &c->g->edges[c->by_from[i]];
		uint64_t *from = row_of(c, e->from);
		const uint64_t *to = row_of(c, e->to);
		const uint32_t rank = c->rank[e->to];

		keep[c->by_from[i]] = !(from[rank / 64] >> rank % 64 & 1);
		if (!keep[c->by_from[i]])
			continue;
		from[rank / 64] |= UINT64_C(1) << rank % 64;
		for (size_t w = 0; w < c->words; w++)
			from[w] |= to[w];
	}
}

static int prepare(struct reducing *c)
{
	const struct vtb_graph *g = c->g;
	int r;

	c->words = g->n_nodes / 64 + 1;
	c->order = calloc(g->n_nodes + 1u, sizeof(*c->order));
	c->rank = calloc(g->n_nodes + 1u, sizeof(*c->rank));
	c->by_from = calloc(g->n_edges + 1, sizeof(*c->by_from));
	c->reach = calloc(g->n_nodes + 1u, c->words * sizeof(*c->reach));
	if (!c->order || !c->rank || !c->by_from || !c->reach)
		return -ENOMEM;
	r = vtb_graph_sort(g, c->order);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < g->n_nodes; i++)
		c->rank[c->order[i]] = i;
	for (size_t i = 0; i < g->n_edges; i++)
		c->by_from[i] = i;
	qsort_r(c->by_from, g->n_edges, sizeof(*c->by_from), compare, c);
	return 0;
}

int vtb_graph_reduce(const struct vtb_graph *g, bool *keep)
{
	struct reducing c = { .g = g };
	int r = g->n_nodes > VTB_GRAPH_REDUCE_MAX ? -VTB_E_LIMIT : prepare(&c);

	if (r >= 0)
		reduce(&c, keep);
	free(c.order);
	free(c.rank);
	free(c.by_from);
	free(c.reach);
	return r;
}
