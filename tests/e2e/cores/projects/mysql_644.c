/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection is announced by one thread and made by another. */
#include "../two.h"

static int ready, descriptor;

static void *listen_(void *arg)
{
	ready = 1;
	return arg;
}

static void *accept_(void *arg)
{
	descriptor = 5;
	return arg;
}

static void *serve(void *arg)
{
	if (ready)
		assert(descriptor == 5);
	return arg;
}

int main(void)
{
	together(listen_, accept_, serve);
	return 0;
}
