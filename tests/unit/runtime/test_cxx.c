/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our list and tree of libstdc++ (runtime/hooks/cxx) against the library's own: same operations, same pointers and
 * colours. Both work on nodes in arrays of the same shape; nodes are compared by index. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NODES 24u /* the first is the head */
#define ROUNDS 400u
#define STEPS 120u

static uint64_t state = 1;

static uint32_t pick(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

static void *function(void *library, const char *name)
{
	void *f = dlsym(library, name);

	assert_non_null(f);
	return f;
}

/* ---- lists */

struct list_node {
	struct list_node *next, *prev;
};

struct lists {
	void (*hook)(struct list_node *, struct list_node *);
	void (*unhook)(struct list_node *);
	void (*transfer)(struct list_node *, struct list_node *, struct list_node *);
	void (*reverse)(struct list_node *);
	void (*swap)(struct list_node *, struct list_node *);
	struct list_node nodes[NODES + 1]; /* the first and the last are the heads of two lists */
	uint32_t in[NODES];                /* list of the node, 2: none */
};

static void lists_init(struct lists *l, void *library)
{
	l->hook = (void (*)(struct list_node *, struct list_node *))function(
	    library, "_ZNSt8__detail15_List_node_base7_M_hookEPS0_");
	l->unhook = (void (*)(struct list_node *))function(library, "_ZNSt8__detail15_List_node_base9_M_unhookEv");
	l->transfer = (void (*)(struct list_node *, struct list_node *, struct list_node *))function(
	    library, "_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_");
	l->reverse = (void (*)(struct list_node *))function(library, "_ZNSt8__detail15_List_node_base10_M_reverseEv");
	l->swap = (void (*)(struct list_node *, struct list_node *))function(
	    library, "_ZNSt8__detail15_List_node_base4swapERS0_S1_");
	memset(l->nodes, 0, sizeof(l->nodes));
	for (uint32_t i = 0; i < 2; i++)
		l->nodes[i * NODES] = (struct list_node){ &l->nodes[i * NODES], &l->nodes[i * NODES] };
	for (uint32_t i = 0; i < NODES; i++)
		l->in[i] = 2;
}

static struct list_node *member(struct lists *l, uint32_t list, uint32_t i)
{
	return i && l->in[i] == list ? &l->nodes[i] : &l->nodes[list * NODES];
}

/* Where the nodes of a list are after a swap: the numbers go round. */
static void swap_lists(struct lists *l)
{
	l->swap(&l->nodes[0], &l->nodes[NODES]);
	for (uint32_t i = 1; i < NODES; i++)
		l->in[i] = l->in[i] < 2 ? 1 - l->in[i] : 2;
}

static void list_step(struct lists *l, uint32_t what, uint32_t i, uint32_t j, uint32_t list)
{
	struct list_node *first = member(l, list, i);

	if (what < 4 && l->in[i] == 2) {
		l->hook(&l->nodes[i], member(l, list, j));
		l->in[i] = list;
	} else if (what < 5 && l->in[i] < 2) {
		l->unhook(&l->nodes[i]);
		l->in[i] = 2;
	} else if (what == 5 && first != &l->nodes[list * NODES]) { /* one node to before another, as splice() does */
		struct list_node *to = member(l, list, j);

		if (to != first && to != first->next)
			l->transfer(to, first, first->next);
	} else if (what == 6) {
		l->reverse(&l->nodes[list * NODES]);
	} else if (what == 7) {
		swap_lists(l);
	}
}

static ptrdiff_t list_index(const struct lists *l, const struct list_node *n)
{
	return n ? n - l->nodes : -1;
}

static void lists_change_as_the_librarys_do(void **unused)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	struct lists ours, theirs;

	(void)unused;
	assert_non_null(library);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		lists_init(&ours, RTLD_DEFAULT);
		lists_init(&theirs, library);
		assert_true(ours.hook != theirs.hook && ours.swap != theirs.swap);
		for (uint32_t step = 0; step < STEPS; step++) {
			const uint32_t what = pick(8), i = 1 + pick(NODES - 1), j = pick(NODES), list = pick(2);

			list_step(&ours, what, i, j, list);
			list_step(&theirs, what, i, j, list);
			for (uint32_t n = 0; n <= NODES; n++) {
				assert_int_equal(list_index(&ours, ours.nodes[n].next),
				                 list_index(&theirs, theirs.nodes[n].next));
				assert_int_equal(list_index(&ours, ours.nodes[n].prev),
				                 list_index(&theirs, theirs.nodes[n].prev));
			}
		}
	}
	dlclose(library);
}

/* ---- trees */

struct tree_node {
	int colour;
	struct tree_node *parent, *left, *right;
};

struct tree {
	void (*insert)(bool, struct tree_node *, struct tree_node *, struct tree_node *);
	struct tree_node *(*erase)(struct tree_node *, struct tree_node *);
	struct tree_node *(*next)(struct tree_node *);
	struct tree_node *(*before)(struct tree_node *);
	struct tree_node nodes[NODES]; /* a node's key is its index */
	bool in[NODES];
};

static void tree_init(struct tree *t, void *library)
{
	t->insert = (void (*)(bool, struct tree_node *, struct tree_node *, struct tree_node *))function(
	    library, "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
	t->erase = (struct tree_node * (*)(struct tree_node *, struct tree_node *))
	    function(library, "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");
	t->next = (struct tree_node * (*)(struct tree_node *))
	    function(library, "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base");
	t->before = (struct tree_node * (*)(struct tree_node *))
	    function(library, "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base");
	memset(t->nodes, 0, sizeof(t->nodes));
	memset(t->in, 0, sizeof(t->in));
	t->nodes[0].left = t->nodes[0].right = &t->nodes[0];
}

static void tree_change(struct tree *t, uint32_t i)
{
	struct tree_node *head = &t->nodes[0], *under = head, *x = head->parent;

	if (t->in[i]) {
		assert_ptr_equal(t->erase(&t->nodes[i], head), &t->nodes[i]);
	} else {
		while (x) {
			under = x;
			x = &t->nodes[i] < x ? x->left : x->right;
		}
		t->insert(under == head || &t->nodes[i] < under, &t->nodes[i], under, head);
	}
	t->in[i] = !t->in[i];
}

static ptrdiff_t tree_index(const struct tree *t, const struct tree_node *n)
{
	return n ? n - t->nodes : -1;
}

static void assert_same_trees(const struct tree *a, const struct tree *b)
{
	for (uint32_t i = 0; i < NODES; i++) {
		if (i && !a->in[i])
			continue; /* what a node that is out holds is nobody's business */
		assert_int_equal(a->nodes[i].colour, b->nodes[i].colour);
		assert_int_equal(tree_index(a, a->nodes[i].parent), tree_index(b, b->nodes[i].parent));
		assert_int_equal(tree_index(a, a->nodes[i].left), tree_index(b, b->nodes[i].left));
		assert_int_equal(tree_index(a, a->nodes[i].right), tree_index(b, b->nodes[i].right));
	}
}

/* Both ways through the tree, keys in their order. */
static void assert_in_order(struct tree *t)
{
	struct tree_node *head = &t->nodes[0], *x = head->left;

	for (uint32_t i = 1; i < NODES; i++)
		if (t->in[i]) {
			assert_int_equal(tree_index(t, x), i);
			x = t->next(x);
		}
	assert_ptr_equal(x, head);
	for (uint32_t i = NODES - 1; i > 0 && head->parent; i--)
		if (t->in[i]) {
			x = t->before(x);
			assert_int_equal(tree_index(t, x), i);
		}
}

static void trees_change_as_the_librarys_do(void **unused)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	struct tree ours, theirs;

	(void)unused;
	assert_non_null(library);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		tree_init(&ours, RTLD_DEFAULT);
		tree_init(&theirs, library);
		assert_true(ours.insert != theirs.insert && ours.before != theirs.before);
		for (uint32_t step = 0; step < STEPS; step++) {
			const uint32_t i = 1 + pick(NODES - 1);

			tree_change(&ours, i);
			tree_change(&theirs, i);
			assert_same_trees(&ours, &theirs);
			assert_in_order(&ours);
		}
	}
	dlclose(library);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_change_as_the_librarys_do),
		cmocka_unit_test(trees_change_as_the_librarys_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
