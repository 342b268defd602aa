/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The red-black tree of std::map and std::set: stepping and rebalancing are functions in libstdc++.so, which call no
 * hooks. These stand before them and do the same to the same memory, each access hooked. T. Cormen, C. Leiserson, R.
 * Rivest, C. Stein, "Introduction to Algorithms", chapter 13, on the layout that is the library's ABI:
 *
 *      head (red):  parent = root (NULL: empty)   left = first node   right = last node        root: parent = head
 */
#include <stdbool.h>
#include <stddef.h>

enum colour { RED, BLACK };

struct node {
	enum colour colour;
	struct node *parent, *left, *right;
};

/* ---- the node after, the node before */

static struct node *step_on(struct node *x)
{
	struct node *y;

	if (x->right) {
		for (x = x->right; x->left;)
			x = x->left;
		return x;
	}
	for (y = x->parent; x == y->right; y = y->parent)
		x = y;
	return x->right != y ? y : x; /* the last node of a tree whose root has no right child: x is the head already */
}

static struct node *step_back(struct node *x)
{
	struct node *y;

	if (x->colour == RED && x->parent->parent == x)
		return x->right; /* before the head: the last */
	if (x->left) {
		for (x = x->left; x->right;)
			x = x->right;
		return x;
	}
	for (y = x->parent; x == y->left; y = y->parent)
		x = y;
	return y;
}

#define STEP(name, constant, mangled, of)                                     \
	constant struct node *name(constant struct node *x) __asm__(mangled); \
	constant struct node *name(constant struct node *x)                   \
	{                                                                     \
		return of((struct node *)x);                                  \
	}
#define SAME
STEP(vtb_tree_increment, SAME, "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", step_on)
STEP(vtb_tree_increment_const, const, "_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", step_on)
STEP(vtb_tree_decrement, SAME, "_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", step_back)
STEP(vtb_tree_decrement_const, const, "_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", step_back)

/* ---- both sides of the book's cases in one: `left` says which child is the near one */

static struct node *child(const struct node *x, bool left)
{
	return left ? x->left : x->right;
}

static void set_child(struct node *x, bool left, struct node *to)
{
	if (left)
		x->left = to;
	else
		x->right = to;
}

/* `to` takes the place that x has under its parent. */
static void replace(struct node *x, struct node *to, struct node *head)
{
	struct node *above = x->parent;

	if (x == head->parent)
		head->parent = to;
	else if (x == above->left)
		above->left = to;
	else
		above->right = to;
}

/* x goes down to the left (or right), its other child comes up. */
static void rotate(struct node *x, bool left, struct node *head)
{
	struct node *y = child(x, !left), *inner = child(y, left);

	set_child(x, !left, inner);
	if (inner)
		inner->parent = x;
	y->parent = x->parent;
	replace(x, y, head);
	set_child(y, left, x);
	x->parent = y;
}

/* ---- insertion */

static void insert(bool left, struct node *x, struct node *under, struct node *head)
{
	x->parent = under;
	x->left = NULL;
	x->right = NULL;
	x->colour = RED;
	if (left) {
		under->left = x; /* of the head: the first node */
		if (under == head) {
			head->parent = x;
			head->right = x;
		} else if (under == head->left) {
			head->left = x;
		}
	} else {
		under->right = x;
		if (under == head->right)
			head->right = x;
	}
}

static void after_insertion(struct node *x, struct node *head)
{
	while (x != head->parent && x->parent->colour == RED) {
		struct node *above = x->parent->parent;
		const bool left = x->parent == above->left;
		struct node *uncle = child(above, !left);

		if (uncle && uncle->colour == RED) {
			x->parent->colour = BLACK;
			uncle->colour = BLACK;
			above->colour = RED;
			x = above;
			continue;
		}
		if (x == child(x->parent, !left)) {
			x = x->parent;
			rotate(x, left, head);
		}
		x->parent->colour = BLACK;
		above->colour = RED;
		rotate(above, !left, head);
	}
	head->parent->colour = BLACK;
}

void vtb_tree_insert(bool left, struct node *x, struct node *under,
                     struct node *head) __asm__("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
void vtb_tree_insert(bool left, struct node *x, struct node *under, struct node *head)
{
	insert(left, x, under, head);
	after_insertion(x, head);
}

/* ---- removal */

/* What a removal leaves: a black node is missing above `x` (may be NULL) under `above`, if `black`. */
struct hole {
	struct node *x, *above;
	bool black;
};

static struct node *leftmost(struct node *x)
{
	while (x->left)
		x = x->left;
	return x;
}

static struct node *rightmost(struct node *x)
{
	while (x->right)
		x = x->right;
	return x;
}

/* z has one child at most. */
static struct hole cut_out(struct node *z, struct node *head)
{
	struct hole h = { z->left ? z->left : z->right, z->parent, z->colour == BLACK };

	if (h.x)
		h.x->parent = h.above;
	replace(z, h.x, head);
	if (head->left == z)
		head->left = z->right ? leftmost(h.x) : h.above;
	if (head->right == z)
		head->right = z->left ? rightmost(h.x) : h.above;
	return h;
}

/* z has two children: its successor, which has no left one, takes its place and colour. */
static struct hole replace_by_next(struct node *z, struct node *head)
{
	struct node *y = leftmost(z->right);
	struct hole h = { y->right, y, y->colour == BLACK };

	z->left->parent = y;
	y->left = z->left;
	if (y != z->right) {
		h.above = y->parent;
		if (h.x)
			h.x->parent = h.above;
		h.above->left = h.x;
		y->right = z->right;
		z->right->parent = y;
	}
	replace(z, y, head);
	y->parent = z->parent;
	y->colour = z->colour;
	return h;
}

static bool is_black(const struct node *x)
{
	return !x || x->colour == BLACK;
}

/* One step of filling the hole; true: done. */
static bool fill(struct hole *h, struct node *head)
{
	const bool left = h->x == h->above->left;
	struct node *sibling = child(h->above, !left);

	if (sibling->colour == RED) {
		sibling->colour = BLACK;
		h->above->colour = RED;
		rotate(h->above, left, head);
		sibling = child(h->above, !left);
	}
	if (is_black(sibling->left) && is_black(sibling->right)) {
		sibling->colour = RED;
		h->x = h->above;
		h->above = h->above->parent;
		return false;
	}
	if (is_black(child(sibling, !left))) {
		child(sibling, left)->colour = BLACK;
		sibling->colour = RED;
		rotate(sibling, !left, head);
		sibling = child(h->above, !left);
	}
	sibling->colour = h->above->colour;
	h->above->colour = BLACK;
	child(sibling, !left)->colour = BLACK;
	rotate(h->above, left, head);
	return true;
}

static void after_removal(struct hole h, struct node *head)
{
	if (!h.black)
		return;
	while (h.x != head->parent && is_black(h.x))
		if (fill(&h, head))
			break;
	if (h.x)
		h.x->colour = BLACK;
}

struct node *vtb_tree_erase(struct node *z,
                            struct node *head) __asm__("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");
struct node *vtb_tree_erase(struct node *z, struct node *head)
{
	const struct hole h = z->left && z->right ? replace_by_next(z, head) : cut_out(z, head);

	after_removal(h, head);
	return z;
}
