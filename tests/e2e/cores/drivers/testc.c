/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One of two results must be there, and nothing waits for either. */
#include "../two.h"

static int left, right;

static void *set_left(void *arg)
{
	left = 1;
	return arg;
}

static void *set_right(void *arg)
{
	right = 1;
	return arg;
}

static void *use(void *arg)
{
	assert(left || right);
	return arg;
}

int main(void)
{
	together(set_left, set_right, use);
	return 0;
}
