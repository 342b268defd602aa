/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A counter of one thread, used by two. */
#include "../two.h"

static int counter;

static void *count(void *arg)
{
	counter++;
	return arg;
}

int main(void)
{
	together(count, count, NULL);
	assert(counter == 2);
	return 0;
}
