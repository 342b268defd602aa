/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the first setter says is taken for what the second has done. */
#include "../two.h"

static int announced, value;

static void *announce(void *arg)
{
	announced = 1;
	return arg;
}

static void *set(void *arg)
{
	value = 1;
	return arg;
}

static void *check(void *arg)
{
	if (announced)
		assert(value == 1);
	return arg;
}

int main(void)
{
	together(announce, set, check);
	return 0;
}
