/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file graph.h
 * Questions about directed graphs. Nodes are 0 .. n-1, edges an array that the caller keeps.
 *
 * Errors: -ENOMEM; -EINVAL: a node that does not exist, or a cycle where none may be; -VTB_E_LIMIT: more than
 *         VTB_GRAPH_NODES_MAX nodes, or more than VTB_GRAPH_REDUCE_MAX where a table of all pairs is needed.
 * Source: igraph (https://igraph.org), through graph_igraph.c, which alone knows it.
 * Threads: one call at a time, as igraph's error handler belongs to the process.
 */
#ifndef VTB_GRAPH_H
#define VTB_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTB_GRAPH_NODES_MAX (1u << 26)
#define VTB_GRAPH_REDUCE_MAX 32768u /* a bit for each pair: 128 MiB */

struct vtb_graph {
	uint32_t n_nodes;
	const struct vtb_graph_edge {
		uint32_t from, to;
	} * edges;
	size_t n_edges;
};

/** Strongly connected components: component[node] in 0 .. *ret_n - 1. O(nodes + edges). */
int vtb_graph_components(const struct vtb_graph *g, uint32_t *component, uint32_t *ret_n);

/** An order of all nodes in which every edge leads forward: order[i] is the i-th node. -EINVAL if there is a cycle. */
int vtb_graph_sort(const struct vtb_graph *g, uint32_t *order);

/** Immediate dominators: idom[i] is the last node that is on every way from `root` to i, but i itself; of the root, and
 * of what cannot be reached, the node itself. O(edges * log nodes). */
int vtb_graph_dominators(const struct vtb_graph *g, uint32_t root, uint32_t *idom);

/** Transitive reduction: keep[i] says whether edge i says something that no other way says. -EINVAL if there is a
 * cycle. Of several equal edges the first is kept. O(nodes * edges / 64). */
int vtb_graph_reduce(const struct vtb_graph *g, bool *keep);

#endif /* VTB_GRAPH_H */
