/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of one thread, used by two: what is added, and where the next comes. */
#include "../two.h"

static struct {
	int items[4];
	int open;
} list;

static void add(int item)
{
	list.items[list.open] = item;
	list.open += 1;
}

static int contains(int item)
{
	for (int i = 0; i < list.open; i++)
		if (list.items[i] == item)
			return 1;
	return 0;
}

static void *add_one(void *arg)
{
	add(1);
	return arg;
}

static void *add_two(void *arg)
{
	add(2);
	return arg;
}

int main(void)
{
	together(add_one, add_two, NULL);
	assert(contains(1) && contains(2));
	return 0;
}
