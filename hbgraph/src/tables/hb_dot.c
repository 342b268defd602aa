/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order graph as DOT: synchronisation and racing accesses as nodes, one column a thread; edges are the sync order,
 * transitively reduced; races are dotted and red.
 */
#include <errno.h>
#include <stdlib.h>

#include "location.h"
#include "vtb/array.h"
#include "vtb/dot_text.h"
#include "vtb/graph.h"
#include "vtb/hb.h"
#include "vtb/syncorder.h"

struct drawing {
	const struct vtb_trace *trace;
	struct vtb_races races;
	struct vtb_orderindex *order;
	size_t *nodes; /* events */
	size_t n_nodes, cap_nodes;
	struct vtb_graph_edge *edges;
	size_t n_edges, cap_edges;
	bool *racing; /* by event */
};

static bool is_node(const struct drawing *d, size_t i)
{
	const struct vtb_event_info *info = vtb_event_info(d->trace->events[i].kind);

	if (!info)
		return false;
	return d->racing[i] || (d->trace->events[i].flags & (VTB_EVF_ACQUIRES | VTB_EVF_RELEASES)) ||
	       d->trace->events[i].kind == VTB_E_FAIL;
}

static int collect_nodes(struct drawing *d, struct vtb_error *err)
{
	d->racing = calloc(d->trace->n_events + 1, sizeof(*d->racing));
	if (!d->racing)
		return -ENOMEM;
	for (size_t i = 0; i < d->races.n_races; i++)
		d->racing[d->races.races[i].events[0]] = d->racing[d->races.races[i].events[1]] = true;
	for (size_t i = 0; i < d->trace->n_events; i++) {
		if (!is_node(d, i))
			continue;
		if (d->n_nodes >= VTB_HB_DOT_MAX)
			return vtb_error_set(err, -VTB_E_LIMIT, NULL, 0,
			                     "has more than %u synchronisation operations, too many for a graph; "
			                     "vtb-viz draws what matters",
			                     VTB_HB_DOT_MAX);
		if (vtb_array_room(d, nodes) < 0)
			return -ENOMEM;
		d->nodes[d->n_nodes++] = i;
	}
	return 0;
}

static int add_edge(struct drawing *d, size_t from, size_t to)
{
	if (vtb_array_room(d, edges) < 0)
		return -ENOMEM;
	d->edges[d->n_edges++] = (struct vtb_graph_edge){ (uint32_t)from, (uint32_t)to };
	return 0;
}

/* For each node the latest node of each thread that is before it: the rest follows. */
static int collect_edges(struct drawing *d)
{
	const size_t threads = d->trace->tab.n_threads;
	bool *done = calloc(threads + 1, sizeof(*done));
	int r = done ? 0 : -ENOMEM;

	for (size_t to = 0; r >= 0 && to < d->n_nodes; to++) {
		for (size_t t = 0; t < threads; t++)
			done[t] = false;
		for (size_t from = to; r >= 0 && from-- > 0;) {
			const uint32_t thread = d->trace->events[d->nodes[from]].thread;

			if (thread >= threads || done[thread] ||
			    vtb_orderindex_compare(d->order, d->nodes[from], d->nodes[to]) != VTB_BEFORE)
				continue;
			done[thread] = true;
			r = add_edge(d, from, to);
		}
	}
	free(done);
	return r;
}

static void print_node(const struct drawing *d, size_t node, FILE *f)
{
	const struct vtb_event *e = &d->trace->events[d->nodes[node]];
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	char place[256];

	fprintf(f, "  n%zu [group=\"t%u\" label=\"%s", node, e->thread, info->name);
	if (e->var != VTB_NONE) {
		fputc(' ', f);
		vtb_dot_text(f, vtb_variable_name(&d->trace->tab, e->var));
	}
	if (e->site != VTB_NONE) {
		fputs("\\n", f);
		vtb_dot_text(
		    f, vtb_site_place(&d->trace->tab, vtb_site_of_user(&d->trace->tab, e->site), place, sizeof(place)));
	}
	fprintf(f, "\"%s];\n", d->racing[d->nodes[node]] ? " color=red penwidth=2" : "");
}

static size_t node_of(const struct drawing *d, size_t event)
{
	size_t low = 0, high = d->n_nodes;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (d->nodes[middle] < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void print_threads(const struct drawing *d, FILE *f)
{
	bool *seen = calloc(d->trace->tab.n_threads + 1, sizeof(*seen));

	for (size_t i = 0; seen && i < d->n_nodes; i++) {
		const uint32_t thread = d->trace->events[d->nodes[i]].thread;

		if (thread >= d->trace->tab.n_threads || seen[thread])
			continue;
		seen[thread] = true;
		fprintf(f, "  t%u [group=\"t%u\" shape=plaintext label=\"thread %s\"];\n  t%u -> n%zu [style=invis];\n",
		        thread, thread, vtb_thread_path(&d->trace->tab, thread), thread, i);
	}
	free(seen);
}

static void print(const struct drawing *d, const bool *keep, FILE *f)
{
	fputs("digraph order {\n  graph [rankdir=TB nodesep=0.4 ranksep=0.25];\n  node [shape=box fontsize=10 "
	      "fontname=\"Helvetica,Arial,sans-serif\"];\n",
	      f);
	print_threads(d, f);
	for (size_t i = 0; i < d->n_nodes; i++)
		print_node(d, i, f);
	for (size_t i = 0; i < d->n_edges; i++) {
		const struct vtb_event *a = &d->trace->events[d->nodes[d->edges[i].from]],
		                       *b = &d->trace->events[d->nodes[d->edges[i].to]];

		if (keep[i])
			fprintf(f, "  n%u -> n%u%s;\n", d->edges[i].from, d->edges[i].to,
			        a->thread == b->thread ? " [weight=20 color=gray40]" : " [color=blue]");
	}
	for (size_t i = 0; i < d->races.n_races; i++)
		fprintf(f, "  n%zu -> n%zu [dir=none style=dotted color=red constraint=false];\n",
		        node_of(d, d->races.races[i].events[0]), node_of(d, d->races.races[i].events[1]));
	fputs("}\n", f);
}

static int draw(struct drawing *d, FILE *f, struct vtb_error *err)
{
	bool *keep = NULL;
	int r = vtb_races_of(d->trace, &d->races);

	if (r >= 0)
		r = collect_nodes(d, err);
	if (r >= 0)
		r = vtb_orderindex_new(d->trace, 0, &d->order);
	if (r >= 0)
		r = collect_edges(d);
	if (r >= 0) {
		const struct vtb_graph graph = { .n_nodes = (uint32_t)d->n_nodes,
			                         .edges = d->edges,
			                         .n_edges = d->n_edges };

		keep = calloc(d->n_edges + 1, sizeof(*keep));
		r = keep ? vtb_graph_reduce(&graph, keep) : -ENOMEM;
	}
	if (r >= 0)
		print(d, keep, f);
	free(keep);
	return r;
}

int vtb_hb_dot(const struct vtb_trace *trace, FILE *f, struct vtb_error *err)
{
	struct drawing d = { .trace = trace };
	const int r = draw(&d, f, err);

	vtb_races_fini(&d.races);
	vtb_orderindex_free(d.order);
	free(d.nodes);
	free(d.edges);
	free(d.racing);
	return r;
}
