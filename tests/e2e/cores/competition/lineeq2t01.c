/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two threads bring one equation into shape: x is doubled, x is made one more. */
#include "../two.h"

static int x = 1;

static void *twice(void *arg)
{
	x = 2 * x;
	return arg;
}

static void *one_more(void *arg)
{
	x = x + 1;
	return arg;
}

int main(void)
{
	together(twice, one_more, NULL);
	assert(x == 3 || x == 4);
	return 0;
}
