/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only file that knows igraph. Its default error handler aborts the process; each call here installs one that only
 * returns, and puts the old one back. igraph 0.10 calls its integer igraph_integer_t, 1.0 igraph_int_t.
 */
#include "vtb/graph.h"

#include <errno.h>
#include <igraph.h>
#include <stdlib.h>

#include "vtb/error.h"

#if IGRAPH_VERSION_MAJOR >= 1
typedef igraph_int_t number;
#else
typedef igraph_integer_t number;
#endif

/* A graph and one result vector inside igraph. */
struct inside {
	igraph_error_handler_t *old;
	igraph_t graph;
	igraph_vector_int_t result;
};

static int to_errno(igraph_error_t e)
{
	return e == IGRAPH_SUCCESS ? 0 : e == IGRAPH_ENOMEM ? -ENOMEM : -EINVAL;
}

static igraph_error_t fill_edges(const struct vtb_graph *g, igraph_vector_int_t *edges)
{
	const igraph_error_t e = igraph_vector_int_init(edges, (number)(2 * g->n_edges));

	if (e != IGRAPH_SUCCESS)
		return e;
	for (size_t i = 0; i < g->n_edges; i++) {
		VECTOR(*edges)[2 * i] = (number)g->edges[i].from;
		VECTOR(*edges)[2 * i + 1] = (number)g->edges[i].to;
	}
	return IGRAPH_SUCCESS;
}

static igraph_error_t create(struct inside *in, const struct vtb_graph *g)
{
	igraph_vector_int_t edges;
	igraph_error_t e = fill_edges(g, &edges);

	if (e != IGRAPH_SUCCESS)
		return e;
	e = igraph_create(&in->graph, &edges, (number)g->n_nodes, IGRAPH_DIRECTED);
	igraph_vector_int_destroy(&edges);
	if (e != IGRAPH_SUCCESS)
		return e;
	e = igraph_vector_int_init(&in->result, 0);
	if (e != IGRAPH_SUCCESS)
		igraph_destroy(&in->graph);
	return e;
}

static int check(const struct vtb_graph *g)
{
	if (g->n_nodes > VTB_GRAPH_NODES_MAX)
		return -VTB_E_LIMIT;
	for (size_t i = 0; i < g->n_edges; i++)
		if (g->edges[i].from >= g->n_nodes || g->edges[i].to >= g->n_nodes)
			return -EINVAL;
	return 0;
}

static int enter(struct inside *in, const struct vtb_graph *g)
{
	int r = check(g);

	if (r < 0)
		return r;
	in->old = igraph_set_error_handler(igraph_error_handler_ignore);
	r = to_errno(create(in, g));
	if (r < 0)
		igraph_set_error_handler(in->old);
	return r;
}

static int leave(struct inside *in, igraph_error_t e)
{
	igraph_vector_int_destroy(&in->result);
	igraph_destroy(&in->graph);
	igraph_set_error_handler(in->old);
	return to_errno(e);
}

int vtb_graph_components(const struct vtb_graph *g, uint32_t *component, uint32_t *ret_n)
{
	struct inside in;
	igraph_error_t e;
	number n = 0;
	int r = enter(&in, g);

	if (r < 0)
		return r;
	e = igraph_connected_components(&in.graph, &in.result, NULL, &n, IGRAPH_STRONG);
	for (uint32_t i = 0; e == IGRAPH_SUCCESS && i < g->n_nodes; i++)
		component[i] = (uint32_t)VECTOR(in.result)[i];
	r = leave(&in, e);
	if (r >= 0)
		*ret_n = (uint32_t)n;
	return r;
}

int vtb_graph_sort(const struct vtb_graph *g, uint32_t *order)
{
	struct inside in;
	igraph_error_t e;
	int r = enter(&in, g);

	if (r < 0)
		return r;
	e = igraph_topological_sorting(&in.graph, &in.result, IGRAPH_OUT);
	if (e == IGRAPH_SUCCESS && igraph_vector_int_size(&in.result) != (number)g->n_nodes)
		e = IGRAPH_EINVAL; /* stopped at a cycle */
	for (uint32_t i = 0; e == IGRAPH_SUCCESS && i < g->n_nodes; i++)
		order[i] = (uint32_t)VECTOR(in.result)[i];
	return leave(&in, e);
}

int vtb_graph_dominators(const struct vtb_graph *g, uint32_t root, uint32_t *idom)
{
	struct inside in;
	igraph_error_t e;
	int r = root < g->n_nodes ? enter(&in, g) : -EINVAL;

	if (r < 0)
		return r;
	e = igraph_dominator_tree(&in.graph, (number)root, &in.result, NULL, NULL, IGRAPH_OUT);
	for (uint32_t i = 0; e == IGRAPH_SUCCESS && i < g->n_nodes; i++) {
		const number dom = VECTOR(in.result)[i];

		idom[i] = dom < 0 ? i : (uint32_t)dom; /* -1: the root, -2: not reached */
	}
	return leave(&in, e);
}
