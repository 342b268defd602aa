/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is called is what another thread has written. */
#include "two.h"

static volatile int x;

static void nothing(void)
{
	x = 0;
}

static void set(void)
{
	x = 2;
}

static void check(void)
{
	assert(x != 2);
}

static void (*volatile calls[2])(void) = { nothing, nothing };

static void one(void)
{
	calls[0] = set;
	calls[0]();
}

static void two(void)
{
	calls[0] = check;
	calls[1]();
	calls[0]();
}

int main(void)
{
	both();
	return 0;
}
