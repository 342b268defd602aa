/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hash_set and tree_set share: a set that locks in each of its methods, as Java's synchronizedSet() makes of one that does not, and the harness: most threads fill
 * two sets, one puts all of the first one into the second, walking over the first one method by method. The set says when it was changed since a walk began.
 *
 * Before: struct set, set_init, set_add, set_contains, set_remove, set_first, set_next, set_size. struct set has `changes`.
 */
#ifndef SET_HARNESS_H
#define SET_HARNESS_H

#define WORKERS 199
#define EACH 4
#define SETS 2

struct locked_set {
	pthread_mutex_t lock;
	struct set set;
};

static struct locked_set sets[SETS];
static int added[WORKERS];

static bool add(struct locked_set *s, int value)
{
	bool is_new;

	pthread_mutex_lock(&s->lock);
	is_new = set_add(&s->set, value);
	pthread_mutex_unlock(&s->lock);
	return is_new;
}

static bool contains(struct locked_set *s, int value)
{
	bool has;

	pthread_mutex_lock(&s->lock);
	has = set_contains(&s->set, value);
	pthread_mutex_unlock(&s->lock);
	return has;
}

static bool remove_value(struct locked_set *s, int value)
{
	bool had;

	pthread_mutex_lock(&s->lock);
	had = set_remove(&s->set, value);
	pthread_mutex_unlock(&s->lock);
	return had;
}

/* The walk itself does not lock: whoever walks over a synchronizedSet() has to. */
static int add_all(struct locked_set *to, struct locked_set *from, int most)
{
	const unsigned changes = from->set.changes;
	int n = 0;

	for (struct node *at = set_first(&from->set); at && n < most; at = set_next(&from->set, at)) {
		assert(from->set.changes == changes); /* Java: ConcurrentModificationException */
		add(to, at->value);
		n++;
	}
	return n;
}

static void *worker(void *arg)
{
	const int me = (int)(intptr_t)arg;

	if (me == 0) {
		add_all(&sets[1], &sets[0], EACH);
		return NULL;
	}
	for (int i = 0; i < EACH; i++)
		added[me] += add(&sets[me % SETS], me * EACH + i);
	assert(contains(&sets[me % SETS], me * EACH));
	added[me] -= remove_value(&sets[me % SETS], me * EACH);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t workers[WORKERS];

	table1_begin(argc, argv);
	for (int i = 0; i < SETS; i++) {
		pthread_mutex_init(&sets[i].lock, NULL);
		set_init(&sets[i].set);
	}
	for (int i = 0; i < EACH; i++)
		add(&sets[0], -1 - i);
	start_all(workers, WORKERS, worker);
	join_all(workers, WORKERS);
	for (int i = 1; i < WORKERS; i++)
		assert(added[i] == EACH - 1);
	assert(set_size(&sets[0].set) >= EACH);
	return 0;
}

#endif /* SET_HARNESS_H */
