/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Only a jump out of a function tells what x was. */
#include "two.h"

#include <setjmp.h>

static int x;
static jmp_buf place;

static void one(void)
{
	x = 1;
}

static void two(void)
{
	x = 2;
}

static void leave(void)
{
	if (x == 1)
		longjmp(place, 1);
}

int main(void)
{
	both();
	if (setjmp(place))
		assert(0);
	leave();
	return 0;
}
