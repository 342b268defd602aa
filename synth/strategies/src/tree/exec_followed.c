/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a run the choice of a node was made, and whether the run made it. Rows differ with what is told of a run:
 * operations count. */
#include "exec_tree.h"

bool vtb_tree_changes_operation(const struct vtb_tree_node *n)
{
	return n->kind == VTB_DEV_WAITER || n->kind == VTB_DEV_CAS_FAIL;
}

uint32_t vtb_tree_operations(const struct vtb_event *e)
{
	if (e->kind == VTB_E_OWNED)
		return (uint32_t)e->value;
	return e->kind != VTB_E_LOST && e->kind != VTB_E_FAIL;
}

/* Row `row` is the first with `ops` operations before it, n_events if there is none; `before` is the last operation's.
 */
struct place {
	size_t row, before;
};

static struct place place_of(const struct vtb_exec *x, uint32_t ops)
{
	struct place p = { 0, 0 };

	for (uint32_t n = 0; p.row < x->n_events; p.row++) {
		if (x->events[p.row].kind == VTB_E_LOST)
			continue;
		if (n >= ops)
			break;
		n += vtb_tree_operations(&x->events[p.row]);
		p.before = p.row;
	}
	return p;
}

bool vtb_tree_followed(const struct vtb_tree *t, uint32_t id, const struct vtb_exec *x)
{
	const struct vtb_tree_node *n = &t->nodes[id];
	const struct place at = place_of(x, n->point);

	if (n->parent == VTB_NO_NODE)
		return x->n_events > 0;
	if (at.row >= x->n_events || x->events[at.row].thread != (vtb_tree_changes_operation(n) ? n->after : n->target))
		return false;
	if (n->kind != VTB_DEV_SWITCH && x->events[at.row].deviation != n->kind)
		return false;
	return vtb_tree_changes_operation(n) || (n->point > 0 && x->events[at.before].thread == n->after);
}
