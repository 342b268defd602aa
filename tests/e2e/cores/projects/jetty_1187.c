/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A selector is asked for what is selected before it has been opened. */
#include "../two.h"

static int opened;

static void *open_selector(void *arg)
{
	opened = 1;
	return arg;
}

static void *select_(void *arg)
{
	int is = opened;

	assert(is);
	return arg;
}

int main(void)
{
	together(open_selector, select_, NULL);
	return 0;
}
