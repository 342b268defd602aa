/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of Fibonacci grow fastest if the threads take turns exactly. */
#include "../two.h"

enum { ROUNDS = 3, LARGEST = 21 };
static int i = 1, j = 1;

static void *grow_i(void *arg)
{
	for (int n = 0; n < ROUNDS; n++)
		i += j;
	return arg;
}

static void *grow_j(void *arg)
{
	for (int n = 0; n < ROUNDS; n++)
		j += i;
	return arg;
}

int main(void)
{
	together(grow_i, grow_j, NULL);
	assert(i < LARGEST && j < LARGEST);
	return 0;
}
