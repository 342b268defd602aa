/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whoever comes after both others finds what it takes for impossible. */
#include "../two.h"

static int data, reached;

static void *add_one(void *arg)
{
	__atomic_add_fetch(&data, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static void *add_two(void *arg)
{
	__atomic_add_fetch(&data, 2, __ATOMIC_SEQ_CST);
	return arg;
}

static void *look(void *arg)
{
	if (data >= 3)
		reached = 1;
	return arg;
}

int main(void)
{
	together(add_one, add_two, look);
	assert(!reached);
	return 0;
}
