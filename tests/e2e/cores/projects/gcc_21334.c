/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A string is shared: its count of owners is read, and written back one higher. */
#include "../two.h"

static int owners = 1;

static void *copy(void *arg)
{
	owners = owners + 1;
	return arg;
}

int main(void)
{
	together(copy, copy, NULL);
	assert(owners == 3);
	return 0;
}
