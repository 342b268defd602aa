/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Only a jump out of a function tells what x was: that there is one, what it brings, what it leaves undone. */
#include "two.h"

#include <setjmp.h>

static int x, done;
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
	if (HOW == 2)
		longjmp(place, x);
	if (x == 1)
		longjmp(place, 1);
	done = 1;
}

static void (*volatile leaves)(void) = leave;

static int again(void)
{
	volatile int times = 0;

	setjmp(place);
	if (times++ == 0)
		leaves();
	return times;
}

int main(void)
{
	both();
	if (HOW == 4)
		assert(again() == 1);
	else if (HOW == 2)
		switch (setjmp(place)) {
		case 0:
			leave();
			break;
		case 1:
			assert(0);
		}
	else if (setjmp(place) == 0)
		leaves();
	else
		assert(HOW != 1);
	assert(HOW != 3 || done);
	return 0;
}
