/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A length is tested, and used when the buffer was emptied by another. */
#include "../two.h"

static int length = 1, taken;

static void *read_buffer(void *arg)
{
	if (length > 0) {
		taken = length;
		assert(taken > 0);
	}
	return arg;
}

static void *empty(void *arg)
{
	length = 0;
	return arg;
}

int main(void)
{
	together(read_buffer, empty, NULL);
	return 0;
}
