/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A queue of one thread: two put, and one place is used twice. */
#include "../two.h"

static int queue[4], tail;

static void put(int item)
{
	queue[tail++] = item;
}

static void *put_one(void *arg)
{
	put(1);
	return arg;
}

static void *put_two(void *arg)
{
	put(2);
	return arg;
}

int main(void)
{
	together(put_one, put_two, NULL);
	assert(queue[0] + queue[1] == 3 && tail == 2);
	return 0;
}
