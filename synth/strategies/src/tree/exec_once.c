/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choices of an execution tree that lead to a state that another choice has led to, at the same price. */
#include "exec_tree.h"

#include "vtb/predicate.h"
#include "vtb/rng.h"
#include "vtb/wire.h"

/* Outcomes of runs in which something was decided by more than what the operations before had done. */
#define MORE_DECIDED (VTB_OUT_ARRIVED | VTB_OUT_TIMED | VTB_OUT_SPUN | VTB_OUT_SPUN_OPEN | VTB_OUT_ASSUMED)

bool vtb_tree_tells_states(const struct vtb_tree *t, const struct vtb_exec *x)
{
	const struct vtb_search_opts *o = t->space->opts;

	return o->equivalence == VTB_EQUIVALENCE_ORDER && !vtb_predicate_awake(o->predicate) && !t->space->clocks &&
	       !(x && x->outcome.flags & MORE_DECIDED);
}

/* Each variable once. */
static uint64_t charged(const struct vtb_tree *t, uint32_t id)
{
	uint64_t sum = 0;

	for (uint32_t k = t->nodes[id].preempt; k != VTB_NO_NODE;) {
		const struct vtb_tree_node *n = &t->nodes[k];

		k = n->parent == VTB_NO_NODE ? VTB_NO_NODE : t->nodes[n->parent].preempt;
		if (n->parent == VTB_NO_NODE || !vtb_tree_charged_before(t, n->parent, n->var))
			sum += vtb_mix64(n->var + 1ull);
	}
	return sum;
}

int vtb_tree_meets(struct vtb_tree *t, uint32_t id, uint64_t state, bool *ret_met)
{
	const struct vtb_tree_node *n = &t->nodes[id];
	const uint64_t where = vtb_mix64(state + n->target), key = vtb_mix64(where + charged(t, id) + n->c);
	uint64_t *value = NULL;
	int r;

	*ret_met = n->c && vtb_bounded_map_has(&t->met, vtb_mix64(where));
	if (*ret_met)
		return 0;
	r = vtb_bounded_map_add(&t->met, key, 1, &value);

	*ret_met = value != NULL;
	return r;
}

void vtb_tree_put_aside(struct vtb_tree *t, uint32_t id)
{
	t->nodes[id].next = t->aside;
	t->aside = id;
	t->n_aside++;
}

static uint32_t take_aside(struct vtb_tree *t)
{
	const uint32_t id = t->aside;

	t->aside = t->nodes[id].next;
	return id;
}

int vtb_tree_bring_back(struct vtb_tree *t, vtb_tree_added *added, void *data)
{
	int r = 0;

	t->once = false;
	t->dropped += t->forgotten;
	t->forgotten = t->n_aside = 0;
	while (r >= 0 && t->aside != VTB_NO_NODE)
		r = added(data, take_aside(t), NULL, 0);
	vtb_bounded_map_fini(&t->met);
	return r;
}

void vtb_tree_forget_aside(struct vtb_tree *t)
{
	while (t->aside != VTB_NO_NODE) {
		const uint32_t id = take_aside(t);

		t->forgotten++;
		t->nodes[id].run = true;
		vtb_tree_free_node(t, id);
	}
}
