/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads append what they have found to one array. */
#include "../two.h"

static int found[4], n;

static void append(int prime)
{
	found[n] = prime;
	n++;
}

static void *odd(void *arg)
{
	append(3);
	return arg;
}

static void *even(void *arg)
{
	append(2);
	return arg;
}

int main(void)
{
	together(odd, even, NULL);
	assert(n == 2 && found[0] + found[1] == 5);
	return 0;
}
