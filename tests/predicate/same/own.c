/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A variable of one thread's own that another one has the address of. */
#include "two.h"

#include <stdatomic.h>

static __thread volatile int mine;
static volatile int *_Atomic his;

static void one(void)
{
	mine = 5;
	his = &mine;
	mine = 6;
	assert(mine == 6);
}

static void two(void)
{
	volatile int *other = his;

	if (other)
		*other = 9;
}

int main(void)
{
	both();
	return 0;
}
