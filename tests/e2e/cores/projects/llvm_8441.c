/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes are asked for before both tables of them are filled in. */
#include "../two.h"

static int passes, analyses;

static void *fill_passes(void *arg)
{
	passes = 3;
	return arg;
}

static void *fill_analyses(void *arg)
{
	analyses = 2;
	return arg;
}

static void *ask(void *arg)
{
	int n = passes + analyses;

	assert(n == 5);
	return arg;
}

int main(void)
{
	together(fill_passes, fill_analyses, ask);
	return 0;
}
