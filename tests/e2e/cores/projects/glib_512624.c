/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A handler is looked up, and called when another thread has taken it out. */
#include "../two.h"

static int handler = 7, called;

static void *emit(void *arg)
{
	if (handler)
		called = handler;
	else
		called = 7;
	return arg;
}

static void *disconnect(void *arg)
{
	handler = 0;
	return arg;
}

int main(void)
{
	together(emit, disconnect, NULL);
	assert(called == 7);
	return 0;
}
