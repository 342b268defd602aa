/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bare_shapes SHAPE N: bugs of 9 shapes among about N threads that share data without locks. The opening of a
 * search was not tried on any of them when it was made. Some order of what they do breaks an assertion, or leaves all
 * of them waiting. */
#include "many_threads.h"

static volatile int a, b, count, ready, stopped, cells[2 * MOST];

/* A version is looked at before and after copying, but it is stepped only once, at the end. */
static void *writes_version(void *x)
{
	cells[0]++;
	cells[1]++;
	a++;
	return x;
}
static void *copies_version(void *x)
{
	int before = a, p = cells[0], q = cells[1];
	assert(a != before || p == q);
	return x;
}
static void version(void)
{
	start(writes_version, 0);
	ALL(i) start(copies_version, i);
	join_all();
}


/* Whoever closes looks first whether it is open. */
static void *closes(void *x)
{
	if (!stopped) {
		stopped = 1;
		assert(++count == 1);
	}
	return x;
}
static void closing(void)
{
	start(closes, 0);
	ALL(i) start(closes, i);
	join_all();
}


/* Who works looks whether it is over, and adds to what is counted when it is over. */
static void *works(void *x)
{
	if (!stopped) {
		assert(!ready);
		count++;
	}
	return x;
}
static void *stops(void *x)
{
	stopped = 1;
	ready = 1;
	return x;
}
static void shutdown(void)
{
	ALL(i) start(works, i);
	start(stops, 0);
	join_all();
}


/* A list gets a new head without anybody looking whether it is still the one that was read. */
struct node {
	struct node *next;
};
static struct node *volatile head, nodes[MOST];
static void *pushes(void *x)
{
	nodes[(long)x].next = head;
	head = &nodes[(long)x];
	return x;
}
static void list(void)
{
	int seen = 0;
	n = n < 2 ? 2 : n;
	ALL(i) start(pushes, i);
	join_all();
	for (struct node *k = head; k; k = k->next)
		seen++;
	assert(seen == n);
}


/* The least and the most are kept one after the other. */
static void *observes(void *x)
{
	int value = (int)(long)x + 1;
	if (!a || value < a)
		a = value;
	if (value > b)
		b = value;
	return x;
}
static void *compares(void *x)
{
	int least = a, most = b;
	assert(least <= most);
	return x;
}
static void range(void)
{
	ALL(i) start(observes, i);
	start(compares, 0);
	join_all();
}


/* An object is shown before it is filled in. */
static int *volatile shown;
static void *fills(void *x)
{
	static int object;
	shown = &object;
	object = 7;
	return x;
}
static void *looks(void *x)
{
	int *p = shown;
	assert(!p || *p == 7);
	return x;
}
static void early(void)
{
	ALL(i) start(looks, i);
	start(fills, 0);
	join_all();
}


/* The most so far is compared, then written. */
static void *raises(void *x)
{
	int value = (int)(long)x + 1;
	if (value > a)
		a = value;
	return x;
}
static void highest(void)
{
	n = n < 2 ? 2 : n;
	ALL(i) start(raises, i);
	join_all();
	assert(a == n);
}


/* The value is the same as before, and yet it was another one meanwhile. */
static void *swaps(void *x)
{
	int seen = a, next = cells[seen];
	if (a == seen) {
		assert(cells[seen] == next);
		a = next;
	}
	return x;
}
static void *turns_over(void *x)
{
	a = 1;
	cells[0] = 2;
	a = 0;
	return x;
}
static void again(void)
{
	cells[0] = 1;
	ALL(i) start(swaps, i);
	start(turns_over, 0);
	join_all();
}


/* Three steps, each of which looks only at the one before. */
static void *steps(void *x)
{
	a = 1;
	b = a;
	count = b;
	return x;
}
static void *sees(void *x)
{
	int third = count, second_step = b, first = a;
	assert(!(first && !second_step && !third));
	return x;
}
static void stages(void)
{
	ALL(i) start(sees, i);
	start(steps, 0);
	join_all();
}


static const struct shape shapes[] = {
	{ "version", version },
	{ "closing", closing },
	{ "shutdown", shutdown },
	{ "list", list },
	{ "range", range },
	{ "early", early },
	{ "highest", highest },
	{ "again", again },
	{ "stages", stages },
};

int main(int argc, char **argv)
{
	return run_shape(shapes, sizeof(shapes) / sizeof(*shapes), argc, argv);
}
