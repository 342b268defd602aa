/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

void run_tree_fini(struct run_tree *t)
{
	free(t->nodes);
	*t = (struct run_tree){ 0 };
}

/* A read tells what it read; that is no choice. */
static bool same_step(const struct vtb_event *a, const struct vtb_event *b)
{
	const bool data = a->kind == VTB_E_READ || a->kind == VTB_E_WRITE;

	return a->thread == b->thread && a->kind == b->kind && a->var == b->var && a->site == b->site &&
	       a->deviation == b->deviation && a->place == b->place && (data || a->value == b->value);
}

static int64_t add_node(struct run_tree *t, uint32_t parent, const struct vtb_event *e)
{
	const uint32_t id = (uint32_t)t->n_nodes;

	if (vtb_array_room(t, nodes) < 0)
		return -ENOMEM;
	t->nodes[t->n_nodes++] =
	    (struct run_node){ .parent = parent, .child = VTB_NONE, .last = VTB_NONE, .next = VTB_NONE };
	if (parent == VTB_NONE)
		return id;
	t->nodes[id].event = *e;
	if (t->nodes[parent].last == VTB_NONE)
		t->nodes[parent].child = id;
	else
		t->nodes[t->nodes[parent].last].next = id;
	t->nodes[parent].last = id;
	return id;
}

static int64_t step(struct run_tree *t, uint32_t node, const struct vtb_event *e)
{
	for (uint32_t i = t->nodes[node].child; i != VTB_NONE; i = t->nodes[i].next)
		if (same_step(&t->nodes[i].event, e))
			return i;
	return add_node(t, node, e);
}

static void end(struct run_tree *t, uint32_t node, const struct vtb_exec *x)
{
	struct run_node *n = &t->nodes[node];

	t->runs++;
	if (n->run)
		return;
	t->ends++;
	n->run = t->runs;
	n->verdict = x->outcome.verdict;
	n->signature = x->outcome.signature;
}

int run_tree_add(struct run_tree *t, const struct vtb_exec *x)
{
	int64_t at = t->n_nodes ? 0 : add_node(t, VTB_NONE, NULL);

	for (size_t i = 0; i < x->n_events && at >= 0; i++) {
		if (x->events[i].kind == VTB_E_FAIL) /* told at the end */
			continue;
		t->nodes[at].can |= x->enabled[i * x->stride];
		at = step(t, (uint32_t)at, &x->events[i]);
	}
	if (at < 0)
		return -ENOMEM;
	end(t, (uint32_t)at, x);
	return 0;
}

bool run_tree_passes(const struct run_tree *t, uint32_t node)
{
	const struct run_node *n = &t->nodes[node];

	return n->parent != VTB_NONE && !n->run && n->child != VTB_NONE && n->child == n->last &&
	       t->nodes[n->child].event.thread == n->event.thread;
}
