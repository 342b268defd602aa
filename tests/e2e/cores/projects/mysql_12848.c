/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache is made anew while a query that has seen the old one uses it. */
#include "../two.h"

static int blocks[2];
static int *cache = blocks;

static void *query(void *arg)
{
	if (cache) {
		int *mine = cache;

		assert(mine);
		mine[0]++;
	}
	return arg;
}

static void *resize(void *arg)
{
	cache = NULL;
	cache = blocks + 1;
	return arg;
}

int main(void)
{
	together(query, resize, NULL);
	return 0;
}
