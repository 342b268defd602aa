/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device answers before it was attached, enabled and told its size. */
#include "../two.h"

static int attached, enabled, size;

static void *attach(void *arg)
{
	size = 8;
	enabled = 1;
	attached = 1;
	return arg;
}

static void *answer(void *arg)
{
	int ok = attached;

	assert(ok && enabled && size == 8);
	return arg;
}

int main(void)
{
	together(attach, answer, NULL);
	return 0;
}
