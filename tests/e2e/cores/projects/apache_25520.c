/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two requests write to one log buffer. */
#include "../two.h"

static char buffer[8];
static int used;

static void put(char c)
{
	int at = used;

	buffer[at] = c;
	used = at + 1;
}

static void *request_a(void *arg)
{
	put('a');
	return arg;
}

static void *request_b(void *arg)
{
	put('b');
	return arg;
}

int main(void)
{
	together(request_a, request_b, NULL);
	assert(used == 2);
	return 0;
}
