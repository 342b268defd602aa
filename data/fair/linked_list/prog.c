/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LinkedList: a doubly linked list with a header, and a harness of two threads that put in and look up, each its own values. Putting in at the end does not lock;
 * everything else does. */
#include "../fair.h"

#define WORKERS 2
#define EACH 8

struct node {
	struct node *next, *before;
	int value;
};

struct list {
	pthread_mutex_t lock;
	struct node header; /* of a ring */
	int removed;
};

static struct list list;

static void list_init(struct list *l)
{
	pthread_mutex_init(&l->lock, NULL);
	l->header.next = l->header.before = &l->header;
}

static struct node *new_node(int value)
{
	struct node *n = malloc(sizeof(*n));

	if (n)
		n->value = value;
	return n;
}

static void add_last(struct list *l, struct node *n)
{
	n->next = &l->header;
	n->before = l->header.before; /* here: without the lock */
	n->before->next = n;
	l->header.before = n;
}

static struct node *find(struct list *l, int value)
{
	struct node *n;

	for (n = l->header.next; n != &l->header; n = n->next)
		if (n->value == value)
			return n;
	return NULL;
}

static bool contains(struct list *l, int value)
{
	bool found;

	pthread_mutex_lock(&l->lock);
	found = find(l, value) != NULL;
	pthread_mutex_unlock(&l->lock);
	return found;
}

static bool remove_value(struct list *l, int value)
{
	struct node *n;

	pthread_mutex_lock(&l->lock);
	n = find(l, value);
	if (n) {
		n->before->next = n->next;
		n->next->before = n->before;
		l->removed++;
	}
	pthread_mutex_unlock(&l->lock);
	free(n);
	return n != NULL;
}

static int size(struct list *l)
{
	int n = 0;

	pthread_mutex_lock(&l->lock);
	for (const struct node *at = l->header.next; at != &l->header; at = at->next)
		n++;
	pthread_mutex_unlock(&l->lock);
	return n;
}

static bool is_empty(struct list *l)
{
	bool empty;

	pthread_mutex_lock(&l->lock);
	empty = l->header.next == &l->header && l->header.before == &l->header;
	pthread_mutex_unlock(&l->lock);
	return empty;
}

/* A place in the list: of who holds the lock, or is alone with it. */
struct iterator {
	const struct list *list;
	const struct node *at;
};

static struct iterator first_of(const struct list *l)
{
	return (struct iterator){ l, l->header.next };
}

static bool is_past_end(const struct iterator *i)
{
	return i->at == &i->list->header;
}

static int retrieve(const struct iterator *i)
{
	return i->at->value;
}

static void advance(struct iterator *i)
{
	i->at = i->at->next;
}

/* Does every node's successor know it? */
static bool is_whole(const struct list *l)
{
	bool whole = l->header.next->before == &l->header;

	for (struct iterator i = first_of(l); whole && !is_past_end(&i); advance(&i))
		whole = i.at->next->before == i.at;
	return whole;
}

/* What it holds adds up to this if all values from 0 are there once. */
static int sum(const struct list *l)
{
	int total = 0;

	for (struct iterator i = first_of(l); !is_past_end(&i); advance(&i))
		total += retrieve(&i);
	return total;
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	for (int i = 0; i < EACH; i++) {
		struct node *n = new_node(me * EACH + i);

		if (n)
			add_last(&list, n);
	}
	contains(&list, me * EACH);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	list_init(&list);
	start_all(workers, WORKERS, worker);
	join_all(workers, WORKERS);
	assert(size(&list) == WORKERS * EACH);
	assert(is_whole(&list) && sum(&list) == WORKERS * EACH * (WORKERS * EACH - 1) / 2);
	for (int i = 0; i < WORKERS * EACH; i++)
		assert(remove_value(&list, i));
	assert(is_empty(&list) && size(&list) == 0 && list.removed == WORKERS * EACH);
	return 0;
}
