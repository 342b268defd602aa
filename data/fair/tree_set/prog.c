/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TreeSet: a set in a balanced tree (a treap: the priority of a value is its hash), used by 200 threads through methods that lock. One of them walks over a set
 * without. */
#include "../fair.h"

struct node {
	struct node *left, *right, *parent;
	unsigned priority;
	int value;
};

struct set {
	struct node *root;
	unsigned used, changes;
};

static unsigned priority_of(int value)
{
	return (unsigned)value * 2654435761u ^ (unsigned)value >> 3;
}

static void set_init(struct set *s)
{
	s->root = NULL;
}

/* Where the node hangs. */
static struct node **link_of(struct set *s, struct node *n)
{
	if (!n->parent)
		return &s->root;
	return n->parent->left == n ? &n->parent->left : &n->parent->right;
}

static void adopt(struct node *parent, struct node *child)
{
	if (child)
		child->parent = parent;
}

static void rotate_up(struct set *s, struct node *n)
{
	struct node *p = n->parent, **link = link_of(s, p), *grandparent = p->parent;

	if (p->left == n) {
		p->left = n->right;
		adopt(p, p->left);
		n->right = p;
	} else {
		p->right = n->left;
		adopt(p, p->right);
		n->left = p;
	}
	p->parent = n;
	n->parent = grandparent;
	*link = n;
}

static struct node *find(struct set *s, int value, struct node **last)
{
	struct node *n = s->root;

	*last = NULL;
	while (n && n->value != value) {
		*last = n;
		n = value < n->value ? n->left : n->right;
	}
	return n;
}

static bool set_contains(struct set *s, int value)
{
	struct node *last;

	return find(s, value, &last) != NULL;
}

static bool set_add(struct set *s, int value)
{
	struct node *last, *n;

	if (find(s, value, &last))
		return false;
	n = malloc(sizeof(*n));
	if (!n)
		return false;
	*n = (struct node){ .parent = last, .priority = priority_of(value), .value = value };
	if (last && value < last->value)
		last->left = n;
	else if (last)
		last->right = n;
	else
		s->root = n;
	while (n->parent && n->parent->priority < n->priority)
		rotate_up(s, n);
	s->used++;
	s->changes++;
	return true;
}

static bool set_remove(struct set *s, int value)
{
	struct node *last, *n = find(s, value, &last), *child;

	if (!n)
		return false;
	while (n->left && n->right)
		rotate_up(s, n->left->priority > n->right->priority ? n->left : n->right);
	child = n->left ? n->left : n->right;
	*link_of(s, n) = child;
	adopt(n->parent, child);
	s->used--;
	s->changes++;
	free(n);
	return true;
}

static struct node *leftmost(struct node *n)
{
	while (n && n->left)
		n = n->left;
	return n;
}

static struct node *set_first(struct set *s)
{
	return leftmost(s->root);
}

static struct node *set_next(struct set *s, struct node *n)
{
	(void)s;
	if (n->right)
		return leftmost(n->right);
	while (n->parent && n->parent->right == n)
		n = n->parent;
	return n->parent;
}

static int set_size(struct set *s)
{
	int n = 0, before = 0;

	for (struct node *at = set_first(s); at; at = set_next(s, at)) {
		assert(n == 0 || before < at->value);
		before = at->value;
		n++;
	}
	assert(n == (int)s->used);
	return n;
}

#include "../set_harness.h"
