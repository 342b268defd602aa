/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x or a value made of it is given to flow(), which gives back what it is given, 1 or 2, some WAY: behind both threads
 * (HOW is odd), or in one of them. Whoever does not see the way takes what comes back for a constant.
 */
#include "../two.h"

#define WAY ((HOW + 1) / 2)
#define WITHIN (HOW % 2 == 0)
#define KEPT __attribute__((noinline))

static int flow(int v);

static int x, y = 1, sink;
static char **arguments;

static void one(void)
{
	x = 1;
}

static void two(void)
{
	if (WITHIN)
		y = flow(x == 1 ? 1 : 2);
	else
		x = 2;
}

int main(int argc, char **argv)
{
	sink = argc;
	arguments = argv;
	both();
	if (!WITHIN)
		y = flow(x);
	assert(y == (WITHIN ? 1 : 2));
	return 0;
}
